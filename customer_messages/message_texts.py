"""What a message says: in the language of the settings, without a name, an address or what is installed."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from customer_messages.arrival import expected_arrival
from customer_messages.live_links import live_address
from customer_messages.models import CustomerMessageKind
from dispatch.agreed_starts import agreed_start
from dispatch.models import Job
from dispatch.visits import current_visit
from engineers.moment_texts import ends_at_midnight, format_moment, format_time
from engineers.shifts import local_time


@dataclass(frozen=True)
class MessageText:
    subject: str
    text: str


def compose(kind: CustomerMessageKind, job: Job, *, now: datetime) -> MessageText:
    """An SMS has the text only; a mail has both."""
    with translation.override(settings.CUSTOMER_MESSAGES.language):
        subject, sentence = (_on_the_way if kind == CustomerMessageKind.ON_THE_WAY else _today)(job, now)
        end = _("Follow it here: %(address)s") % {"address": live_address(job)}
        sender = settings.CUSTOMER_MESSAGES.sender_name
        return MessageText(f"{sender}: {subject}", f"{sender}: {sentence} {end}")


def _on_the_way(job: Job, now: datetime) -> tuple[str, str]:
    subject, arrival = _("Your engineer is on the way"), expected_arrival(job, now=now)
    if arrival is None:
        return subject, _("Your engineer is on the way to you.")
    text = _("Your engineer is on the way to you and is expected between %(start)s and %(end)s.")
    return subject, text % {"start": format_time(arrival.start), "end": format_time(arrival.end)}


def _today(job: Job, _now: datetime) -> tuple[str, str]:
    agreed = agreed_start(current_visit(job))
    if agreed:
        text = _(
            "Your engineer comes today at about %(at)s, as agreed. An adult (18 or over) must be present."
        )
        return _("Your appointment today"), text % {"at": format_time(agreed)}
    window = job.window
    if local_time(window.start).date() != window.last_day:
        text = _("Your engineer comes between %(start)s and %(end)s. An adult (18 or over) must be present.")
        times = {"start": format_moment(window.start), "end": format_moment(window.end)}
        return _("Your appointment"), text % times
    text = _(
        "Your engineer comes today between %(start)s and %(end)s. An adult (18 or over) must be present."
    )
    end = "24:00" if ends_at_midnight(window) else format_time(window.end)
    return _("Your appointment today"), text % {"start": format_time(window.start), "end": end}
