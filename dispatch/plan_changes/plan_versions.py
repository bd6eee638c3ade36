"""Optimistic concurrency of planning: a dispatcher's change carries the plan that the dispatcher saw."""

from collections.abc import Iterable
from datetime import datetime

from django.utils.formats import date_format
from django.utils.translation import gettext as _

from dispatch.models import Job, JobEvent, PinHoldStep, PlanComparison, PlanStep, ProposedChange, Visit
from dispatch.problems import ActionRefused, Problem
from dispatch.states import Actor, EventKind, JobState
from engineers.moment_texts import format_moment_phrase
from engineers.shifts import local_time

UNASSIGNED = "none"
# what changes who does a job, when, or whether at all
KINDS = (
    EventKind.RECEIVED,
    EventKind.ENGINEER_ASSIGNED,
    EventKind.RESCHEDULED,
    EventKind.SECOND_ENGINEER_CHANGED,
    EventKind.UNASSIGNED,
    EventKind.EN_ROUTE,
    EventKind.ON_SITE,
    EventKind.CLOSED,
    EventKind.CANCELLED,
)


class PlanChanged(ActionRefused):
    """The job has another plan than the dispatcher saw; the problem says who changed it, what and when."""


def plan_version(visit: Visit | None) -> str:
    """Another one for each engineer, each second engineer and each time, and once the engineer is en route and on site;
    `visit` is the job's current one."""
    if visit is None:
        return UNASSIGNED
    second = f"-{visit.second_engineer_id}" if visit.second_engineer_id else ""
    return f"{visit.pk}-{visit.planned_start.timestamp():.0f}{second}{_progress(visit)}"


def _progress(visit: Visit) -> str:
    """Whoever has set off or arrived is not to lose the job by a page that still shows it as assigned."""
    if visit.arrived_at:
        return f"-{JobState.ON_SITE}"
    return f"-{JobState.EN_ROUTE}" if visit.travel_started_at else ""


def refuse_changed_plan(job: Job, *, visit: Visit | None, seen: str | None) -> None:
    """Raises PlanChanged unless `seen` is the present plan; None asks for nothing. The job must be locked."""
    if seen is not None and seen != plan_version(visit):
        raise PlanChanged([Problem("plan_changed", "version", last_change(job))])


def rename_version(job: Job, *, was: str, now: str) -> None:
    """The same plan is there again as another visit: older actions on this job can be undone after this one, and what
    was planned from it still fits."""
    steps = PlanStep.objects.filter(job=job)
    steps.filter(version_before=was).update(version_before=now)
    steps.filter(version_after=was).update(version_after=now)
    PinHoldStep.objects.filter(job=job, plan=was).update(plan=now)
    ProposedChange.objects.filter(job=job, version=was).update(version=now)
    PlanComparison.objects.filter(job=job, version=was).update(version=now)


def last_change(job: Job, kinds: Iterable[EventKind] = KINDS) -> str:
    """`Imran Sadiq assigned this job to Bea Okafor at 10:41.`"""
    event = job.events.filter(kind__in=kinds).select_related("user").order_by("-seq").first()
    return _sentence(event) if event else _("This job has changed.")


def _sentence(event: JobEvent) -> str:
    texts = {
        EventKind.ENGINEER_ASSIGNED: _("%(who)s assigned this job to %(engineer)s %(when)s."),
        EventKind.RESCHEDULED: _("%(who)s rescheduled this job to %(start)s %(when)s."),
        EventKind.SECOND_ENGINEER_CHANGED: _("%(who)s changed the second engineer of this job %(when)s."),
        EventKind.UNASSIGNED: _("%(who)s unassigned this job %(when)s."),
        EventKind.EN_ROUTE: _("%(who)s reported %(what)s %(when)s."),
        EventKind.ON_SITE: _("%(who)s reported %(what)s %(when)s."),
        EventKind.PUT_ON_HOLD: _("%(who)s put this job on hold %(when)s."),
        EventKind.RELEASED: _("%(who)s released this job %(when)s."),
    }
    text = texts.get(EventKind(event.kind), _("%(who)s changed this job %(when)s: %(what)s."))
    return text % {
        "who": event.user.display_name if event.user else str(Actor(event.actor).label),
        "engineer": event.facts.get("engineer_name", ""),
        "start": _start(event),
        "when": format_moment_phrase(event.recorded_at),
        "what": str(EventKind(event.kind).label),
    }


def _start(event: JobEvent) -> str:
    planned = event.facts.get("planned_start")
    return date_format(local_time(datetime.fromisoformat(planned)), _("D j M H:i")) if planned else ""
