"""How far the clocks of the seller's endpoints are from ours, by the `Date` of their answers."""

from collections.abc import Mapping
from datetime import datetime
from time import monotonic

from django.utils import timezone

from monitoring import alarms
from monitoring.coded_texts import CodedText, coded_text
from monitoring.models import AlarmKind
from seller_link.http_client import read_http_date

# a phone's clock differs more than this unnoticed
CLOCK_DIFFERS_SECONDS = 30
# other relays and check_link raise and clear the same alarms
KNOWN_SECONDS = 600


def seconds_ahead(headers: Mapping[str, str], *, asked_at: datetime) -> float | None:
    """The seller's clock less ours, for an answer that has just come, whole seconds as the header has them; 0 where it
    wrote any moment since we asked, None where it wrote none that can be read."""
    written = read_http_date(headers.get("date", ""))
    if written is None:
        return None
    since_asked = (written - asked_at).total_seconds()
    return min(since_asked, 0.0) or max((written - timezone.now()).total_seconds(), 0.0)


def settle_clock(url: str, ahead_seconds: float) -> CodedText | None:
    """Raise or clear CLOCK_DIFFERS of this endpoint; its text, if there is one."""
    if abs(ahead_seconds) <= CLOCK_DIFFERS_SECONDS:
        alarms.clear_alarm(AlarmKind.CLOCK_DIFFERS, url)
        return None
    text = coded_text("clock_differs", url=url, difference_seconds=round(ahead_seconds))
    alarms.raise_alarm(AlarmKind.CLOCK_DIFFERS, url, text)
    return text


class ClockWatch:
    """`note` from any thread that has an answer, `settle` from the one that talks to the database, which knows for
    `known_seconds` what it has settled."""

    def __init__(self, *, known_seconds: float = KNOWN_SECONDS) -> None:
        self._seen: dict[str, float] = {}
        self._settled: dict[str, float] = {}
        self._known_seconds, self._known_since = known_seconds, monotonic()

    def record(self, url: str, headers: Mapping[str, str], asked_at: datetime) -> None:
        ahead = seconds_ahead(headers, asked_at=asked_at)
        if ahead is not None:
            self._seen[url] = ahead

    def settle(self) -> None:
        """For what was noted since. While it is known, a difference that is about as it was keeps its first number."""
        seen, self._seen = self._seen, {}
        if monotonic() - self._known_since > self._known_seconds:
            self._settled, self._known_since = {}, monotonic()
        for url, ahead in seen.items():
            known = self._settled.get(url)
            settled = ahead if known is None or abs(ahead - known) > CLOCK_DIFFERS_SECONDS / 2 else known
            # a clock that is right costs no statement again
            if settled != known or abs(settled) > CLOCK_DIFFERS_SECONDS:
                settle_clock(url, settled)
            self._settled[url] = settled
