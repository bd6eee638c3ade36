"""Who attended a job: each visit with its times, and each position that a phone gave, with its distance."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from board import formatting
from board.event_descriptions import Facts, distance_text, position_text
from board.jobs.evidence_presenter import is_far
from board.links import engineer_page
from dispatch.driving import travel
from dispatch.models import Job, JobEvent, Visit
from dispatch.states import EventKind
from engineers.models import Engineer
from engineers.phone_urls import phone_url

WITH_POSITION = frozenset({EventKind.EN_ROUTE, EventKind.ON_SITE})


@dataclass(frozen=True)
class VisitPerson:
    """Who attends; `role` names the second engineer."""

    name: str
    url: str
    staff_number: str
    phone: str
    phone_url: str
    role: str


@dataclass(frozen=True)
class VisitLine:
    """The attendance of one engineer or of a team; `times` are (what, when) of what has happened."""

    people: list[VisitPerson]
    planned: str
    times: list[tuple[str, str]]
    is_unassigned: bool


@dataclass(frozen=True)
class PositionLine:
    """A position that a phone gave; without one, `text` is the reason, and `latitude` and `longitude` are empty.
    `accuracy` in metres, empty where it is not known."""

    kind: str
    title: str
    by: str
    at: str
    text: str
    distance: str
    is_far: bool
    latitude: str
    longitude: str
    accuracy: str


def visit_lines(job: Job) -> list[VisitLine]:
    """The newest plan first; one query."""
    visits = job.visits.select_related("engineer__user", "second_engineer__user").order_by("-pk")
    return [_visit_line(visit) for visit in visits]


def _visit_line(visit: Visit) -> VisitLine:
    times = [
        (_("En route"), visit.travel_started_at),
        (_("On site"), visit.arrived_at),
        (_("Ended"), visit.ended_at),
        (_("Unassigned"), visit.unassigned_at),
    ]
    return VisitLine(
        people=[_person(visit, engineer) for engineer in visit.people],
        planned=formatting.format_span_with_day(visit.span),
        times=[(label, _exact(at)) for label, at in times if at],
        is_unassigned=visit.unassigned_at is not None,
    )


def _person(visit: Visit, engineer: Engineer) -> VisitPerson:
    return VisitPerson(
        name=engineer.name,
        url=engineer_page(engineer),
        staff_number=engineer.staff_number,
        phone=engineer.phone,
        phone_url=phone_url(engineer.phone),
        role=_("second engineer") if visit.second_engineer_id == engineer.pk else "",
    )


def _exact(moment: datetime) -> str:
    return formatting.format_exact_moment(moment)


def position_lines(job: Job, events: Sequence[JobEvent]) -> list[PositionLine]:
    """The positions of en route and on site, also those that came too late to count; no query."""
    return [_position_line(job, event) for event in events if _is_with_position(event)]


def _is_with_position(event: JobEvent) -> bool:
    if event.kind == EventKind.REPORTED_LATE:
        return event.facts.get("what") in WITH_POSITION
    return event.kind in WITH_POSITION


def _position_line(job: Job, event: JobEvent) -> PositionLine:
    facts: Facts = event.facts
    latitude, longitude = facts.get("latitude"), facts.get("longitude")
    is_known = latitude is not None and longitude is not None
    return PositionLine(
        kind=str(event.kind),
        title=str(EventKind(facts.get("what", event.kind)).label),
        by=event.user.display_name if event.user else str(facts.get("engineer_name", "")),
        at=_exact(event.occurred_at),
        text=position_text(facts) or _("No position"),
        distance=distance_text(facts, premises=travel.job_coordinates(job)),
        is_far=is_far(job, latitude, longitude, facts.get("accuracy_metres")),
        latitude=str(latitude) if is_known else "",
        longitude=str(longitude) if is_known else "",
        accuracy=str(facts.get("accuracy_metres") or ""),
    )
