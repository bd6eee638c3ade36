"""Visits of a team of two: who accompanies, what is asked of the second engineer, and who is locked with the first.

The first engineer works through the job, and the seller is notified of that one. The second engineer's time is held
like the first's.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from datetime import date
from enum import Enum
from typing import Any

from django.db.models import prefetch_related_objects
from django.utils.translation import gettext as _

from dispatch import skills
from dispatch.models import Visit
from dispatch.problems import Problem
from dispatch.visit_proposals import VisitProposal
from engineers.models import Absence, Engineer, HeldSkill
from engineers.shifts import is_absent_during


class Unchanged(Enum):
    """In place of an engineer or nobody (None): whoever accompanies the visit today."""

    SECOND_ENGINEER = "unchanged"


RequestedSecondEngineer = Engineer | Unchanged | None


def second_engineer_of(
    current: Visit | None, *, engineer: Engineer, wanted: RequestedSecondEngineer
) -> Engineer | None:
    """Who is to accompany `engineer`. Where whoever accompanied takes the job over, the two change places."""
    if not isinstance(wanted, Unchanged):
        return wanted
    if current is None or current.second_engineer is None:
        return None
    return current.engineer if current.second_engineer_id == engineer.pk else current.second_engineer


def lock_engineers(keys: Iterable[int]) -> dict[int, Engineer]:
    """By their keys, and locked in the order of these: no two changes wait in a ring."""
    locked = Engineer.objects.select_for_update().filter(pk__in=set(keys)).order_by("pk")
    return {engineer.pk: engineer for engineer in locked}


def lock_team(engineer: Engineer, second: Engineer | None) -> tuple[Engineer, Engineer | None]:
    """The same people, fresh and locked until the transaction ends. Their accounts are read after the lock: a joined
    row would be that of before a suspension for which it waited (PostgreSQL)."""
    locked = lock_engineers([engineer.pk, *([second.pk] if second else [])])
    prefetch_related_objects(list(locked.values()), "user")
    return locked[engineer.pk], locked[second.pk] if second else None


def team_problems(proposal: VisitProposal, *, held: Sequence[HeldSkill]) -> list[Problem]:
    """Who accompanies must be somebody else; a job that needs two people must have them. `held`: what the first
    engineer holds."""
    if proposal.second_engineer:
        return _same_person_problems(proposal)
    needed, days = proposal.requirements.team, proposal.local_days
    return alone_problems(proposal.engineer, needed=needed, held=held, days=days)


def suspended_problems(person: Engineer) -> list[Problem]:
    """Whoever can't sign in reports nothing: a reason is no way round it."""
    if person.user.is_active:
        return []
    message = _("%(name)s's account is suspended. Choose another engineer, or reinstate the account.")
    return [Problem("engineer_suspended", "engineer", message % {"name": person.name})]


def alone_problems(
    engineer: Engineer, *, needed: Set[str], held: Iterable[HeldSkill], days: Sequence[date]
) -> list[Problem]:
    """Of an engineer without a second one. `needed` is the skill of whoever always comes with a second person, where
    the job needs two people."""
    if not any(skills.missing_skills(needed=needed, held=held, first=days[0], last=days[-1])):
        return []
    message = _("This job needs two people, and %(engineer)s works alone. Say who comes along.")
    parameters = {"engineer": engineer.name}
    return [Problem("team_missing", "engineer", message % parameters, can_override=True)]


def _same_person_problems(proposal: VisitProposal) -> list[Problem]:
    if proposal.second_engineer != proposal.engineer:
        return []
    message = _("%(engineer)s can't be the second engineer too. Choose somebody else.")
    parameters = {"engineer": proposal.engineer.name}
    return [Problem("same_engineer", "second_engineer", message % parameters)]


def with_team_named(problem: Problem, person: VisitProposal) -> Problem:
    """Whose problem it is and who the other one is: `Sam Second (with Erin Engineer): …`."""
    if person.second_engineer is None:
        return problem
    parameters = {
        "engineer": person.engineer.name,
        "colleague": person.second_engineer.name,
        "problem": problem.message,
    }
    return replace(problem, message=_("%(engineer)s (with %(colleague)s): %(problem)s") % parameters)


def engineer_facts(engineer: Engineer) -> dict[str, str]:
    """Of an event: who did it, or has the job now; what the seller is sent."""
    return {
        "engineer_number": engineer.staff_number,
        "engineer_name": engineer.name,
        "engineer_phone": engineer.phone,
    }


def team_facts(visit: Visit) -> dict[str, Any]:
    return {**engineer_facts(visit.engineer), **second_engineer_facts(visit.second_engineer)}


def absent_people(visit: Visit, *, absences: Mapping[int, Iterable[Absence]] | None = None) -> list[Engineer]:
    """Who of a visit's people is absent at its time, or suspended. `absences`: by the engineer's key; without, of each
    engineer."""
    return [
        person
        for person in visit.people
        if not person.user.is_active
        or is_absent_during(
            visit.span, person.absences.all() if absences is None else absences.get(person.pk, ())
        )
    ]


def second_engineer_facts(second: Engineer | None, *, before: Engineer | None = None) -> dict[str, Any]:
    """Of an event: who accompanies from now on, and who did until now where it is another one."""
    facts: dict[str, Any] = {}
    if second:
        is_new = second != before
        facts |= {"second_number": second.staff_number, "second_name": second.name, "second_is_new": is_new}
    if before and before != second:
        facts |= {"second_before_number": before.staff_number, "second_before": before.name}
    return facts
