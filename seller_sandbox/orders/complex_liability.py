"""Survey liability. To be written by helper E."""


def settle(order) -> None:
    """The order is about to be cancelled."""
