"""What a dispatcher can ask a plan for: days, half days, an area, chosen jobs and engineers, a limit of jobs."""

from datetime import timedelta

import pytest
from django.test import Client

from board.plans.forms import MOST_JOBS
from dispatch.models import Job, PlanProposal
from dispatch.planning.proposal_making import make_proposal
from engineers.models import Area, Engineer
from tests import make
from tests.board.office import signed_in
from tests.board.test_plans import ASKED

pytestmark = pytest.mark.django_db


def planned_jobs(client: Client, **values: object) -> dict[Job, str]:
    """Who has which job in the plan that is asked for like this."""
    answer = client.post("/board/plans/", ASKED | values)
    assert answer.status_code == 302, answer.context["page"].form.errors
    PlanProposal.objects.update(neighbourhoods=2)
    proposal = PlanProposal.objects.latest("pk")
    make_proposal(proposal.pk)
    changes = proposal.changes.select_related("job", "engineer_after__user").exclude(engineer_after=None)
    return {change.job: change.engineer_after.name for change in changes if change.engineer_after}


def test_chosen_jobs_alone_are_planned_with_the_chosen_engineers() -> None:
    make.engineer(name="Ann")
    lee, client = make.engineer(name="Lee"), signed_in()
    first, second, _other = (make.job(duration_minutes=60) for _ in range(3))
    numbers = f"{first.provider_job_id}, {second.provider_job_id}"

    planned = planned_jobs(client, jobs=numbers, engineers=[lee.staff_number])

    assert planned == {first: "Lee", second: "Lee"}


def test_nobody_gets_more_jobs_than_the_limit() -> None:
    make.engineer(name="Ann")
    client = signed_in()
    for _ in range(3):
        make.job(duration_minutes=60)

    assert len(planned_jobs(client, max_jobs="2")) == 2


def test_two_days_are_planned_at_once() -> None:
    make.engineer(name="Ann")
    client, next_day = signed_in(), make.DAY + timedelta(days=1)
    expected = {make.job(day=day): "Ann" for day in (make.DAY, next_day)}
    make.job(day=next_day + timedelta(days=1))

    assert planned_jobs(client, days="2") == expected


def test_jobs_of_another_area_are_left_out() -> None:
    ann, client = make.engineer(name="Ann"), signed_in()
    area = Area.objects.create(name="North", postcodes="LS6")
    Engineer.objects.filter(pk=ann.pk).update(area=area)
    inside, outside = make.job(), make.job()
    Job.objects.filter(pk=outside.pk).update(postcode="WF1 1AA")

    assert planned_jobs(client, area=f"{area.pk}") == {inside: "Ann"}


def test_form_shows_the_jobs_that_were_selected_on_the_board() -> None:
    page = signed_in().get(f"/board/plans/?day={make.DAY}&job=J-1&job=J-2").context["page"]

    assert (page.form["first"].value(), page.form["jobs"].value()) == (f"{make.DAY}", "J-1, J-2")


@pytest.mark.parametrize(
    ("values", "field", "text"),
    [
        ({"jobs": "no-such-job"}, "jobs", "There is no job no-such-job."),
        ({"jobs": "OVER"}, "jobs", "These jobs are closed or cancelled: OVER."),
        ({"jobs": "LATER"}, "jobs", "The customer's window is in another part of the plan: LATER."),
        ({"jobs": " ".join(map(str, range(MOST_JOBS + 1)))}, "jobs", "Choose between 1 and 300 jobs."),
        ({"engineers": ["nobody"]}, "engineers", None),
        ({"max_jobs": "0"}, "max_jobs", None),
        ({"days": "2", "part": "morning"}, "part", "Choose the whole day, or one day only."),
    ],
)
def test_choice_that_cannot_be_planned_is_an_error(
    values: dict[str, object], field: str, text: str | None
) -> None:
    over, later = make.job(), make.job(day=make.DAY + timedelta(days=1))
    make.close_without_visit(over)
    numbers = {"OVER": over.provider_job_id, "LATER": later.provider_job_id}
    values = {name: numbers.get(str(value), value) for name, value in values.items()}

    answer = signed_in().post("/board/plans/", ASKED | values)

    errors = answer.context["page"].form.errors
    assert (answer.status_code, list(errors)) == (400, [field])
    for name, number in numbers.items():
        text = text.replace(name, number) if text else None
    assert text is None or errors[field] == [text]
    assert not PlanProposal.objects.exists()
