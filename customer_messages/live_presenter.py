"""What the live page says: where the appointment stands, in plain words, and nothing about a person or a place."""

from dataclasses import dataclass
from datetime import date, datetime

from django.conf import settings
from django.utils.translation import gettext as _

from customer_messages.arrival import expected_arrival
from customer_messages.live_links import LiveLink
from dispatch import job_events
from dispatch.agreed_starts import agreed_start, latest_start
from dispatch.models import Job
from dispatch.states import JobState
from dispatch.visits import current_visit
from engineers.moment_texts import format_day, format_span_with_day, format_time
from engineers.phone_urls import phone_url
from engineers.shifts import local_time

BEFORE_TRAVEL = frozenset({JobState.UNASSIGNED, JobState.ASSIGNED})
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
    is_moved, is_unvisited = not link.is_about_window_of(job), _ended_without_visit(job)
    title, text = _status(job, link, now, is_unvisited=is_unvisited)
    is_off = is_moved or is_unvisited or job.state == JobState.CANCELLED
    is_held = job.on_hold_since and job.state in BEFORE_TRAVEL
    return LivePage(
        title=title,
        text=text,
        window="" if is_off else format_span_with_day(job.window),
        steps=_steps(JobState(job.state)) if not (is_off or is_held) else [],
        sender=settings.CUSTOMER_MESSAGES.sender_name,
        phone=settings.CUSTOMER_MESSAGES.phone,
        updated=format_time(now),
        is_over=job.state in {JobState.CLOSED, JobState.CANCELLED, JobState.IN_REVIEW} or is_moved,
    )


def _ended_without_visit(job: Job) -> bool:
    """The office closed it, and no engineer was there."""
    return job.state == JobState.CLOSED and not job_events.jobs_begun([job.pk])


def _status(job: Job, link: LiveLink, now: datetime, *, is_unvisited: bool) -> tuple[str, str]:
    if job.state == JobState.CANCELLED:
        return _("This appointment was cancelled"), _(
            "Nobody will come. Ask your provider for a new appointment."
        )
    if not link.is_about_window_of(job):
        return _("This appointment has changed"), _(
            "Your newest message has the link to the new appointment."
        )
    if is_unvisited:
        return _("This appointment was closed without a visit"), _(
            "Nobody will come. Please contact your provider."
        )
    return _status_before_travel(job, now) if job.state in BEFORE_TRAVEL else _status_of_visit(job, now)


def _status_of_visit(job: Job, now: datetime) -> tuple[str, str]:
    if job.state == JobState.EN_ROUTE:
        return _("Your engineer is on the way"), _arrival_text(job, now)
    if job.state == JobState.ON_SITE:
        return _("Your engineer has arrived"), _("The work has begun.")
    return _("The visit has ended"), _("Your provider can tell you more about the result.")


def _status_before_travel(job: Job, now: datetime) -> tuple[str, str]:
    visit = current_visit(job)
    is_begun = bool(job_events.jobs_begun([job.pk]))
    if not is_begun and now >= latest_start(job, visit):
        return _("We are late"), _("We are sorry: nobody has arrived in time. We will contact you.")
    if job.on_hold_since:
        return _("Your appointment may change"), _hold_text(job)
    if is_begun:
        return _("The work is not finished yet"), _(
            "An engineer was with you. You will see here when an engineer sets off to finish the work."
        )
    agreed = agreed_start(visit)
    if agreed:
        return _("Your appointment is planned"), _agreed_text(agreed, today=local_time(now).date())
    return _("Your appointment is planned"), _("You will see here when your engineer sets off.")


def _hold_text(job: Job) -> str:
    """The office's own reason is not for the customer; that a fault in the network holds the job is known."""
    if job.on_hold_for:
        return _("There is a fault in the network. We will contact you.")
    return _("We are checking whether the appointment can go ahead. We will contact you.")


def _agreed_text(agreed: datetime, *, today: date) -> str:
    day = local_time(agreed).date()
    if day == today:
        return _("Your engineer will come at about %(at)s, as agreed with you.") % {"at": format_time(agreed)}
    text = _("Your engineer will come on %(day)s at about %(at)s, as agreed with you.")
    return text % {"day": format_day(day), "at": format_time(agreed)}


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
