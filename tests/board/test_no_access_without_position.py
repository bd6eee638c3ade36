"""Nobody let the engineer in: the office reads where nothing shows that the engineer was at the premises."""

import pytest
from pytest_django import Settings

from board.jobs.job_presenter import JobPage, build_job_page
from closures import review
from closures.models import Closure, Photo
from dispatch import visits
from dispatch.models import Job
from dispatch.states import JobState
from engineers.staff import Position, PositionMissing
from tests import make

pytestmark = pytest.mark.django_db
NOWHERE = Position(missing_because=PositionMissing.NOT_IN_TIME)
WARNING = "No access, but neither “On site” nor a photo has a position: nothing shows where the engineer was."
TITLE = "Closed without access, and no position"


def page_of(job: Job) -> JobPage:
    return build_job_page(Job.objects.get(pk=job.pk), now=make.now())


def closed_without_access(position: Position, *, code: str = "RNA/NA") -> Job:
    engineer = make.engineer(name="Nina North")
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    make.arrive(job, position=position)
    job.refresh_from_db()
    make.answer_all(job, code=code)
    # those of the test give a position with each
    Photo.objects.update(latitude=None, longitude=None)
    make.close(job, code, engineer=engineer, remarks="Rang twice")
    return job


def titles(job: Job) -> list[str]:
    return [line.title for line in page_of(job).urgent]


def test_page_says_that_no_position_shows_the_visit() -> None:
    job = closed_without_access(NOWHERE)

    (line,) = [line for line in page_of(job).urgent if line.title == TITLE]

    assert line.text.startswith("Nina North, ")
    assert line.text.endswith(": No position: no location within 20 s.")
    assert (line.tone, line.url, [link.text for link in line.links]) == ("warning", "#place", ["Nina North"])


def test_position_on_site_is_proof_enough() -> None:
    assert TITLE not in titles(closed_without_access(make.HERE))


def test_photo_of_whoever_closed_it_is_proof_enough() -> None:
    job = closed_without_access(NOWHERE)
    engineer = Closure.objects.get(job=job).engineer
    photo = Photo.objects.create(
        job=job,
        question_code="NOA02",
        by=make.engineer(name="Sam Other"),
        taken_at=make.now(),
        recorded_at=make.now(),
        stored_at=make.now(),
        latitude=53.8,
        longitude=-1.5,
    )
    assert TITLE in titles(job)

    Photo.objects.filter(pk=photo.pk).update(by=engineer)

    assert TITLE not in titles(job)


def test_other_outcomes_need_no_position() -> None:
    assert TITLE not in titles(closed_without_access(NOWHERE, code="ASQ"))


def test_arrival_of_the_colleague_before_proves_nothing() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    olu = make.engineer(name="Olu Other")
    visits.assign(job=job, engineer=olu, starts_at=make.at("14:00"), by=make.office())
    make.start_travel(job)
    make.arrive(job, position=NOWHERE)
    job.refresh_from_db()
    make.answer_all(job, code="RNA/NA")
    Photo.objects.update(latitude=None)
    make.close(job, "RNA/NA", engineer=olu, remarks="Rang twice")

    assert TITLE in titles(job)


@pytest.mark.parametrize(("position", "is_warned"), [(NOWHERE, True), (make.HERE, False)])
def test_review_warns_and_does_not_block(settings: Settings, position: Position, *, is_warned: bool) -> None:
    settings.CLOSURE_REVIEW = True
    job = closed_without_access(position)

    view = page_of(job).review

    assert view is not None
    assert (WARNING in view.warnings, view.blocking) == (is_warned, [])
    assert {problem.code for problem in review.review_problems(Job.objects.get(pk=job.pk))} == (
        {"no_position"} if is_warned else set()
    )
