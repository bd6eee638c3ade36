"""A phone's clock against ours: the times of a wrong clock are corrected, and the original times are stored as well.

Each batch says when it was sent by the phone's own clock; what that differs from its arrival is the clock's error and
the way here. A way takes seconds, so only an error of more than TOLERATED_SKEW counts.
"""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from django.utils.translation import gettext as _

from engineers.input_values import is_usual, read_instant

TOLERATED_SKEW = timedelta(minutes=2)
# what is farther away is no clock but a mistake in writing
MAX_SKEW = timedelta(days=20 * 366)


@dataclass(frozen=True)
class PhoneClock:
    """`ahead` of ours, negative when it is behind; nothing while it is right within TOLERATED_SKEW.

    `latest`: what was tapped by it arrived then, or was followed by another tap. `earliest`: a tap from before that is
    of a phone that had lost its time, where that is known.
    """

    ahead: timedelta = timedelta()
    latest: datetime | None = None
    earliest: datetime | None = None

    def to_server_time(self, phone_time: datetime) -> datetime:
        """The same moment by our clock. What would lie ahead of `latest` (tapped before the clock was corrected)
        happened at the latest then, and so did what would lie before `earliest`."""
        try:
            moment = phone_time.astimezone(UTC) - self.ahead
        except OverflowError:
            return phone_time
        if self.latest and (moment > self.latest + TOLERATED_SKEW or self.had_lost_time(phone_time)):
            return self.latest
        return moment

    def had_lost_time(self, phone_time: datetime) -> bool:
        """Whether a tap with this time lies before `earliest`, or before there were such phones."""
        is_too_early = self.earliest is not None and phone_time < self.earliest + self.ahead
        return is_too_early or not is_usual(phone_time)

    def before(self, next_tap: datetime) -> "PhoneClock":
        """For what was tapped before that."""
        moment = self.to_server_time(next_tap)
        return replace(self, latest=min(moment, self.latest or moment))

    @property
    def difference_text(self) -> str:
        """For the engineer; empty while the clock is right."""
        if not self.ahead:
            return ""
        parameters = {"how": describe_difference(self.ahead)}
        return (
            _("This phone's clock is %(how)s. Your times were corrected. Check the clock settings.")
            % parameters
        )


# of whoever has no clock of their own: a form of ours
NO_SKEW = PhoneClock()


def phone_clock(sent_at: Any, *, received_at: datetime) -> PhoneClock:
    """By the time that the phone sent with its request; a phone that sends no readable time is believed."""
    sent = read_instant(sent_at)
    ahead = sent - received_at if sent else timedelta()
    counts = TOLERATED_SKEW < abs(ahead) < MAX_SKEW
    return PhoneClock(ahead if counts else timedelta(), received_at)


def describe_difference(ahead: timedelta) -> str:
    """`3 h ahead`, `5 min behind`."""
    minutes = round(abs(ahead).total_seconds() / 60)
    hours, rest = divmod(minutes, 60)
    parts = [f"{hours} h" if hours else "", f"{rest} min" if rest or not hours else ""]
    parameters = {"span": " ".join(part for part in parts if part)}
    return _("%(span)s ahead") % parameters if ahead > timedelta() else _("%(span)s behind") % parameters
