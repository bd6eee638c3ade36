"""Why a message did not reach a contact: said on the page of contacts, so without secrets."""

SERVER_ERROR = 500
# a receiver that is busy, or slow
RETRIED_STATUS = frozenset({408, 425, 429})


class AlarmNotDelivered(Exception):
    """This attempt failed; `is_permanent` where another one would fail, too."""

    def __init__(self, reason: str, *, is_permanent: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_permanent = is_permanent


def not_set_up(setting: str) -> AlarmNotDelivered:
    """Since the contact was saved the settings have changed."""
    return AlarmNotDelivered(f"{setting} does not allow it", is_permanent=True)


def is_permanent_status(status: int) -> bool:
    """Whether another attempt would get this answer again; 0: none came."""
    return 0 < status < SERVER_ERROR and status not in RETRIED_STATUS
