"""What the live page says: where the appointment stands, in plain words, and nothing about a person or a place."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext as _

from customer_messages.arrival import expected_arrival
from customer_messages.live_links import LiveLink
from dispatch.agreed_starts import agreed_start, latest_start
from dispatch.models import Job
from dispatch.states import JobState
from dispatch.visits import current_visit
from engineers.moment_texts import format_span_with_day, format_time
from engineers.phone_urls import phone_url

BEFORE_TRAVEL = frozenset({JobState.RECEIVED, JobState.ASSIGNED})
# state of the job -> which of the steps is the present one
STEP_OF = {
    **dict.fromkeys(BEFORE_TRAVEL, 0),
    JobState.EN_ROUTE: 1,
    JobState.ON_SITE: 2,
    JobState.IN_REVIEW: 3,
    JobState.CLOSED: 3,
}


@dataclass(frozen=True)
class LiveStep:
    """`state` is `done`, `now` or `next`."""

    name: str
    state: str


@dataclass(frozen=True)
class LivePage:
    """`steps` is empty where the appointment does not take place as it was planned."""

    title: str
    text: str
    window: str
    steps: list[LiveStep]
    sender: str
    phone: str
    updated: str
    is_over: bool

    @property
    def phone_url(self) -> str:
        return phone_url(self.phone)


def build_live_page(job: Job, link: LiveLink, *, now: datetime) -> LivePage:
    """Four queries at most."""
    title, text = _status(job, link, now)
    is_moved = job.window_start != link.window_start
    is_planned = not is_moved and job.state in STEP_OF and not (job.held_at and job.state in BEFORE_TRAVEL)
    return LivePage(
        title=title,
        text=text,
        window="" if is_moved or job.state == JobState.CANCELLED else format_span_with_day(job.window),
        steps=_steps(JobState(job.state)) if is_planned else [],
        sender=settings.CUSTOMER_MESSAGES.sender_name,
        phone=settings.CUSTOMER_MESSAGES.phone,
        updated=format_time(now),
        is_over=job.state in {JobState.CLOSED, JobState.CANCELLED, JobState.IN_REVIEW} or is_moved,
    )


def _status(job: Job, link: LiveLink, now: datetime) -> tuple[str, str]:
    if job.state == JobState.CANCELLED:
        return _("This appointment was cancelled"), _(
            "Nobody will come. Ask your provider for a new appointment."
        )
    if job.window_start != link.window_start:
        return _("This appointment has changed"), _(
            "Your newest message has the link to the new appointment."
        )
    match JobState(job.state):
        case JobState.EN_ROUTE:
            return _("Your engineer is on the way"), _arrival_text(job, now)
        case JobState.ON_SITE:
            return _("Your engineer has arrived"), _("The work has begun.")
        case JobState.IN_REVIEW | JobState.CLOSED:
            return _("The visit is over"), _("Your provider can tell you more about the result.")
    return _status_before_travel(job, now)


def _status_before_travel(job: Job, now: datetime) -> tuple[str, str]:
    visit = current_visit(job)
    if now >= latest_start(job, visit):
        return _("We are late"), _("We are sorry: nobody has arrived in time. We will contact you.")
    if job.held_at:
        return _("Your appointment may change"), _("There is a fault in the network. We will contact you.")
    agreed = agreed_start(visit)
    if agreed:
        text = _("Your engineer will come at about %(at)s, as agreed with you.")
        return _("Your appointment is planned"), text % {"at": format_time(agreed)}
    return _("Your appointment is planned"), _("You will see here when your engineer sets off.")


def _arrival_text(job: Job, now: datetime) -> str:
    arrival = expected_arrival(job, now=now)
    if arrival is None:
        return _("Your engineer has set off.")
    text = _("Expected between %(start)s and %(end)s.")
    return text % {"start": format_time(arrival.start), "end": format_time(arrival.end)}


def _steps(state: JobState) -> list[LiveStep]:
    present = STEP_OF[state]
    names = [_("Planned"), _("On the way"), _("At your premises"), _("Done")]
    states = ["done" if number < present else "now" if number == present else "next" for number in range(4)]
    return [LiveStep(name, step) for name, step in zip(names, states, strict=True)]
