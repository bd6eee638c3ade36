"""Who can take a job: what the side panel, the job page and a refused move all offer."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone
from django.utils.translation import gettext as _

from dispatch import wishes
from dispatch.board import words
from dispatch.models import Job, JobEvent, Visit
from dispatch.planning.offers import Offer, candidates
from dispatch.states import EventKind, JobState, is_legal
from engineers.models import Engineer
from engineers.shifts import Window


@dataclass(frozen=True)
class OfferLine:
    """One engineer at one time, ready to be pressed."""

    engineer: str
    name: str
    starts_at: str
    words: str


@dataclass(frozen=True)
class Choice:
    """One line of the free choice of engineer."""

    staff_number: str
    name: str
    is_chosen: bool


@dataclass(frozen=True)
class Placing:
    """What can be done about who does the job and when."""

    job_id: str
    with_whom: str
    can_assign: bool
    can_unassign: bool
    needs_location: bool
    offers: list[OfferLine]
    choices: list[Choice]
    starts_at: str
    button: str
    is_hand_over: bool = False
    wish: str = ""


# who is under way or there: the job can only go to somebody else
UNDER_WAY = frozenset({JobState.EN_ROUTE, JobState.ON_SITE})
QUARTER = timedelta(minutes=15)


def placing_of(job: Job, *, visit: Visit | None) -> Placing:
    state = JobState(job.state)
    can_assign = is_legal(EventKind.ENGINEER_ASSIGNED, state=state)
    is_hand_over = visit is not None and state in UNDER_WAY
    begins = (
        _soon() if is_hand_over else timezone.localtime(visit.planned_start if visit else job.window_start)
    )
    return Placing(
        job_id=job.provider_job_id,
        with_whom=visit_words(visit) if visit else "",
        can_assign=can_assign,
        can_unassign=is_legal(EventKind.UNASSIGNED, state=state),
        needs_location=job.needs_location and job.is_open,
        offers=offer_lines(job, visit=visit) if can_assign else [],
        choices=_choices(visit, is_hand_over=is_hand_over) if can_assign else [],
        starts_at=f"{begins:%Y-%m-%dT%H:%M}",
        button=_button(visit, is_hand_over=is_hand_over),
        is_hand_over=is_hand_over,
        wish=_wish_words(wishes.standing_wish(job)) if is_hand_over else "",
    )


def _wish_words(wish: JobEvent | None) -> str:
    if wish is None:
        return ""
    told = {
        "who": wish.facts["engineer_name"],
        "at": words.clock(wish.occurred_at),
        "why": wish.facts["reason"],
    }
    return _("%(who)s asked at %(at)s to hand this job over: %(why)s") % told


def _button(visit: Visit | None, *, is_hand_over: bool) -> str:
    if is_hand_over:
        return _("Hand over")
    return _("Move") if visit else _("Assign")


def _soon() -> datetime:
    """The next quarter hour."""
    now = timezone.localtime().replace(second=0, microsecond=0)
    return now + QUARTER - timedelta(minutes=now.minute % 15)


def visit_words(visit: Visit) -> str:
    """`Erin Engineer, Mon 23 Nov 08:30–10:30`."""
    day = words.day_words(timezone.localtime(visit.planned_start).date())
    return f"{visit.engineer.name}, {day} {words.span_words(visit.span)}"


def _choices(visit: Visit | None, *, is_hand_over: bool) -> list[Choice]:
    engineers = Engineer.objects.active().select_related("user")
    chosen = visit.engineer_id if visit else None
    if visit is not None and is_hand_over:
        engineers = engineers.exclude(pk=visit.engineer_id)
    return [Choice(one.staff_number, one.name, is_chosen=one.pk == chosen) for one in engineers]


def offer_lines(job: Job, *, visit: Visit | None) -> list[OfferLine]:
    """Times still to come; only when there is none, what the window would have allowed (a late entry)."""
    offers = candidates(job, not_before=timezone.now()) or candidates(job)
    return [_offer_line(job, offer) for offer in offers if not _is_where_it_stands(offer, visit)]


def _is_where_it_stands(offer: Offer, visit: Visit | None) -> bool:
    if visit is not None and visit.job.state in UNDER_WAY:
        return offer.engineer == visit.engineer
    return visit is not None and (offer.engineer, offer.starts_at) == (visit.engineer, visit.planned_start)


def _offer_line(job: Job, offer: Offer) -> OfferLine:
    span = Window(offer.starts_at, offer.starts_at + job.duration)
    drive = _("%(minutes)d min drive") % {"minutes": round(offer.travel_seconds / 60)}
    when = f"{words.day_words(timezone.localtime(span.start).date())} {words.span_words(span)}"
    return OfferLine(
        engineer=offer.engineer.staff_number,
        name=offer.engineer.name,
        starts_at=timezone.localtime(offer.starts_at).isoformat(),
        words=f"{when} · {drive}" if offer.travel_seconds else when,
    )
