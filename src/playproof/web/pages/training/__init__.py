"""The Train page: training runs with their curves, nets and games, and starting small runs."""

__all__: list[str] = []
