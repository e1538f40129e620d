"""Search over any game, through its kernels: functions are taken, not games."""
