"""Absences as a part of a change of the plan: entered, taken back and entered again with it."""

from datetime import datetime

from dispatch.models import AbsenceStep, PlanAction
from engineers import rota
from engineers.models import Absence, Engineer, User
from engineers.shifts import TimeSpan


def is_entered(engineer: Engineer, span: TimeSpan) -> bool:
    """Whether one absence covers the whole span."""
    known = Absence.objects.filter(engineer=engineer, starts_at__lte=span.start, ends_at__gte=span.end)
    return known.exists()


def has_absence(engineer: Engineer, span: TimeSpan) -> bool:
    """Whether an absence of exactly these times is there."""
    return Absence.objects.filter(engineer=engineer, starts_at=span.start, ends_at=span.end).exists()


def enter_absence(action: PlanAction, *, engineer: Engineer, span: TimeSpan, reason: str, by: User) -> None:
    """As a part of this action, in the transaction of the caller."""
    AbsenceStep.objects.create(action=action, engineer=engineer, starts_at=span.start, ends_at=span.end)
    rota.add_absence(engineer=engineer, starts_at=span.start, ends_at=span.end, reason=reason, by=by)


def entering_actions(engineer: Engineer, *, since: datetime) -> dict[tuple[datetime, datetime], int]:
    """By the times of an absence: the key of the action, no older than `since`, that entered it and nothing else, so
    that it can be taken back alone; whoever pressed it."""
    done = AbsenceStep.objects.filter(engineer=engineer, action__undone_at=None, action__made_at__gt=since)
    alone = done.filter(action__steps=None).order_by("pk")
    return {(step.starts_at, step.ends_at): step.action_id for step in alone}


def repeat_absences(action: PlanAction, *, by: User, is_undo: bool) -> None:
    """Take back what the action entered, or enter it again without its reason, which nothing else knows. What somebody
    has removed or entered meanwhile stays so."""
    for step in action.absence_steps.select_related("engineer__user"):
        if not is_undo:
            rota.add_absence(
                engineer=step.engineer, starts_at=step.starts_at, ends_at=step.ends_at, reason="", by=by
            )
            continue
        same = Absence.objects.filter(
            engineer=step.engineer, starts_at=step.starts_at, ends_at=step.ends_at
        ).first()
        if same:
            rota.remove_absence(engineer=step.engineer, pk=same.pk, by=by)
