"""What a message says: in the language of the settings, without a name, an address or what is installed."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils import translation
from django.utils.translation import gettext as _

from customer_messages.arrival import expected_arrival
from customer_messages.live_links import live_address
from customer_messages.models import CustomerMessageKind
from dispatch.models import Job
from engineers.moment_texts import format_time


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
    text = _("Your engineer comes today between %(start)s and %(end)s. Somebody over 18 must be at home.")
    times = {"start": format_time(job.window_start), "end": format_time(job.window_end)}
    return _("Your appointment today"), text % times
