"""What a relay looks after besides its messages: that it is alive, what the seller's state means for people."""

import os
import socket
from collections.abc import Callable
from datetime import timedelta
from time import monotonic

from django.utils import timezone

from seller_link import endpoints, expiry, pulse, relay
from seller_link.models import Heartbeat
from seller_link.shown import Watch

BEAT_SECONDS, WATCH_SECONDS, SWEEP_SECONDS = 2.0, 5.0, 600.0
# who has not beaten for so long will not come back under this name
FORGOTTEN_AFTER = timedelta(hours=1)


class Housekeeping:
    """Several small duties, each when its time has come; for the thread that talks to the database."""

    def __init__(self) -> None:
        self.process = f"relay {socket.gethostname()} {os.getpid()}"
        self.settled = 0
        self.began = pulse.begun(timezone.now())
        self.others = pulse.Watch()
        self.theirs = Watch()
        self._duties: list[tuple[float, Callable[[], object]]] = [
            (BEAT_SECONDS, self._beat),
            (WATCH_SECONDS, self.others.look),
            (WATCH_SECONDS, endpoints.watch_unreachable),
            (WATCH_SECONDS, relay.mend_clock),
            (SWEEP_SECONDS, _forget),
            (SWEEP_SECONDS, expiry.watch_certificates),
            (SWEEP_SECONDS, expiry.forget_theirs),
            (SWEEP_SECONDS, self.theirs.begin),
            (WATCH_SECONDS, self.theirs.tell),
        ]
        self._due_at = [float("-inf")] * len(self._duties)

    def look(self) -> None:
        """Cheap when nothing is due."""
        now = monotonic()
        for number, (seconds, duty) in enumerate(self._duties):
            if now >= self._due_at[number]:
                duty()
                self._due_at[number] = now + seconds

    def end(self) -> None:
        """A relay that was told to stop leaves no heartbeat that somebody could miss."""
        pulse.end(self.process)

    def _beat(self) -> None:
        facts = {"settled": self.settled, **self.began}
        Heartbeat.objects.update_or_create(
            process=self.process, defaults={"beat_at": timezone.now(), "facts": facts}
        )


def _forget() -> None:
    """Of relays that were killed; the row is kept long enough for somebody to wonder."""
    old = timezone.now() - FORGOTTEN_AFTER
    Heartbeat.objects.filter(process__startswith=pulse.RELAY, beat_at__lt=old).delete()
