"""Complex orders. To be written by helper E."""


def begin(order) -> None:
    """An acknowledged complex order starts its course."""


def check_amendment(order, changes):
    """Reasons against what an amendment asks of a complex order."""
    return ()


def apply_amendment(order, changes) -> None:
    """Carry out what an accepted amendment asks of a complex order."""


def visit_completed(order, visit) -> None:
    """EXTCOMP or CIVCOMP: the next milestone."""
