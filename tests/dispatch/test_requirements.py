"""What property flags require: default rules, changed rules, lead time and survey."""

from datetime import date, timedelta

import pytest
import time_machine

from closures import closing
from closures.closing import Outcome
from dispatch import flag_rules, visits
from dispatch.availability import NotBookable
from dispatch.flag_rules import RuleChanged
from dispatch.kit_list import KitItem, build_kit_list
from dispatch.models import FlagRule, Job, Visit
from dispatch.requirements import JobRequirements, job_requirements, list_requirements
from dispatch.states import JobState, JobType
from engineers.models import AuditEntry, Role
from tests import make

pytestmark = pytest.mark.django_db
NO_REQUIREMENTS = {
    "skill": "",
    "needs_two_people": False,
    "extra_minutes": 0,
    "kit": [],
    "lead_days": 0,
    "needs_survey": False,
}


def close_surveyed(job: Job) -> None:
    """As an engineer closes an external job; the questions of that closure are not tested here."""
    make.walk(job, at_state=JobState.ON_SITE)
    make.answer_all(job, code="EXTCOMP")
    outcome = Outcome(code="EXTCOMP")
    make.act(
        closing.close_job,
        job=job,
        outcome=outcome,
        by=make.office(),
        closed_at=make.now(),
        engineer=job.visits.get().engineer,
    )


def test_flags_require_skills_people_and_kit() -> None:
    required = job_requirements(make.job(flags=("CHP", "MDU", "ZZZ"), job_type=JobType.CIVILS))

    assert (required.skills, required.team) == ({"cherry-picker", "mdu", "civils"}, {"team-of-two"})
    assert required.kit[0] == "Cherry picker"
    assert (required.earliest_day, required.is_survey_missing) == (None, False)


def test_job_without_flags_has_no_requirements() -> None:
    assert job_requirements(make.job()) == JobRequirements()


@pytest.mark.parametrize(
    ("flags", "minutes_in_pack", "minutes"),
    [(("DTL", "MDU"), None, 180), (("DTL",), 45, 45), ((), None, 120), (("CHP",), None, 120)],
)
def test_duration_follows_the_flags_unless_the_pack_has_one(
    flags: tuple[str, ...], minutes_in_pack: int | None, minutes: int
) -> None:
    assert make.job(flags=flags, duration_minutes=minutes_in_pack).duration_minutes == minutes


def test_supervisor_changes_a_rule_and_it_is_audited() -> None:
    ruth = make.dispatcher(role=Role.SUPERVISOR)
    flag_rules.change_rule(code="CHP", seen=0, by=ruth, changes={**NO_REQUIREMENTS, "kit": ["Long ladder"]})

    required = job_requirements(make.job(flags=("CHP",)))

    assert (required.skills, required.team, required.kit) == (frozenset(), frozenset(), ("Long ladder",))
    entry = AuditEntry.objects.get(action="flag_rule_changed")
    assert (entry.actor, entry.subject, entry.after["kit"]) == (ruth, "CHP", ["Long ladder"])


def test_rule_changed_since_it_was_displayed_is_not_overwritten() -> None:
    ruth = make.dispatcher(role=Role.SUPERVISOR)
    flag_rules.change_rule(code="BP", seen=0, by=ruth, changes={**NO_REQUIREMENTS, "extra_minutes": 15})

    with pytest.raises(RuleChanged):
        flag_rules.change_rule(code="BP", seen=0, by=ruth, changes=NO_REQUIREMENTS)

    assert FlagRule.objects.get().extra_minutes == 15


def test_survey_job_is_refused_unless_overridden_with_a_reason() -> None:
    with time_machine.travel(make.at("12:00", day=date(2026, 11, 20))):
        job, engineer = make.job(flags=("SUR",)), make.engineer()
        with pytest.raises(NotBookable) as refusal:
            book(job, engineer)
        visit = book(job, engineer, override_reason="The seller agreed by telephone")

    assert [problem.code for problem in refusal.value.problems] == ["survey_missing", "lead_time"]
    assert all(problem.can_override for problem in refusal.value.problems)
    assert visit.job.events.last().facts["overridden"] == ["survey_missing", "lead_time"]


def book(job: Job, engineer: object, **options: str) -> Visit:
    start = make.at("09:00")
    return visits.assign(
        job=job,
        engineer=engineer,
        starts_at=start,
        by=make.office(),
        not_before=make.now(),
        **options,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(("days_before", "codes"), [(10, []), (9, ["lead_time"])])
def test_lead_time_counts_calendar_days(days_before: int, codes: list[str]) -> None:
    with time_machine.travel(make.at("23:30", day=make.DAY - timedelta(days=days_before))):
        survey = make.job(job_type=JobType.EXTERNAL)
        close_surveyed(survey)
        job, engineer = make.job(flags=("SUR",)), make.engineer()
        try:
            book(job, engineer)
            found = []
        except NotBookable as refusal:
            found = [problem.code for problem in refusal.problems]

    assert found == codes


def test_previous_job_counts_as_the_survey_at_another_uprn() -> None:
    survey = make.job(job_type=JobType.EXTERNAL, uprn="200000000001")
    close_surveyed(survey)
    follows = make.job(flags=("SUR",), previous_provider_job_id=survey.provider_job_id)
    unrelated = make.job(flags=("SUR",), uprn="200000000009")

    found = list_requirements([follows, unrelated])

    assert [found[job.pk].is_survey_missing for job in (follows, unrelated)] == [False, True]


def test_open_external_job_does_not_count_as_survey() -> None:
    make.job(job_type=JobType.EXTERNAL)

    assert job_requirements(make.job(flags=("SUR",))).is_survey_missing


@pytest.mark.parametrize("rows", [1, 3])
def test_requirements_cost_two_queries(rows: int, django_assert_num_queries: object) -> None:
    jobs = [make.job(flags=("SUR", "CHP")) for _ in range(rows)]

    with django_assert_num_queries(2):  # type: ignore[operator]
        assert len(list_requirements(jobs)) == rows


def test_single_engineer_needs_a_reason_for_a_two_person_job() -> None:
    job, alone = make.job(flags=("CHP",)), make.engineer(skills=("cherry-picker",))

    with pytest.raises(NotBookable) as refusal:
        visits.assign(job=job, engineer=alone, starts_at=make.at("09:00"), by=make.office())

    assert [(problem.code, problem.can_override) for problem in refusal.value.problems] == [
        ("team_missing", True)
    ]


def test_kit_list_names_each_item_once_with_its_jobs() -> None:
    jobs = [make.job(flags=("CHP",)), make.job(flags=("CHP",), job_type=JobType.CIVILS)]
    started = make.job(at_state=JobState.ON_SITE, flags=("DTL",))

    found = build_kit_list([*jobs, started], list_requirements([*jobs, started]))

    assert found == [
        KitItem("ONT Calix 801G", jobs[:1]),
        KitItem("Cherry picker", jobs),
        KitItem("Harness and helmet", jobs),
    ]
