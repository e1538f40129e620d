"""Networks: what they are, how they are kept, and how they judge positions."""
