"""Why a message did not reach a contact: said on the page of contacts, so without secrets."""


class AlarmNotDelivered(Exception):
    """This attempt failed; `is_permanent` where another one would fail, too."""

    def __init__(self, reason: str, *, is_permanent: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_permanent = is_permanent


def not_set_up(setting: str) -> AlarmNotDelivered:
    """Since the contact was saved the settings have changed."""
    return AlarmNotDelivered(f"{setting} does not allow it", is_permanent=True)
