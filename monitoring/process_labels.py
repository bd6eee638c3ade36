"""What the processes of an installation are called on the status page and in alarms."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from monitoring import heartbeats

LABELS: dict[str, Promise] = {
    heartbeats.RELAY: gettext_lazy("Relay to the seller"),
    heartbeats.WEB: gettext_lazy("Web server"),
    heartbeats.SERVER: gettext_lazy("Server for the seller"),
    heartbeats.WORKER: gettext_lazy("Worker"),
    heartbeats.BOARD_STREAM: gettext_lazy("Live updates of the board"),
    heartbeats.WEBHOOKS: gettext_lazy("Webhooks"),
}


def process_label(process: str) -> str:
    """In the current language: of a process by the name of its heartbeat, or of its kind; the name where it is none."""
    return next((str(label) for kind, label in LABELS.items() if f"{process} ".startswith(kind)), process)
