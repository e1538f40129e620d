"""Our engines beside engines that others wrote."""
