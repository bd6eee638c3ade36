"""One picture proves one answer of one job, taken by whoever answers; and there is an end to their number."""

import uuid

import pytest
from django.db import transaction

from closures import answers
from closures.answer_validation import BadAnswer
from closures.closing import ClosureRefused, Outcome
from closures.models import Answer, Photo
from closures.photos import evidence
from closures.photos.evidence import Capture, PhotoDiffers, PhotoRefused
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Engineer
from tests import make
from tests.closures.previews import preview_close

pytestmark = pytest.mark.django_db
FOREIGN = [("photo_of_another_answer", "question:PHO01")]


@pytest.fixture
def engineer() -> Engineer:
    return make.engineer()


@pytest.fixture
def job(engineer: Engineer) -> Job:
    return make.job(at_state=JobState.ON_SITE, to=engineer)


def announce(job: Job, code: str, *, by: Engineer | None, photo_id: uuid.UUID | None = None) -> Photo:
    capture = Capture(photo_id=photo_id or uuid.uuid4(), question_code=code, taken_at=make.now())
    return make.act(evidence.announce_photo, job=job, capture=capture, by=by)


def give(job: Job, code: str, *photos: Photo, by: Engineer | None) -> Answer:
    ids = [str(photo.pk) for photo in photos]
    return make.record_answer(job, code, ids, by=by)


def refusal(job: Job, *photos: Photo, by: Engineer | None) -> list[tuple[str, str]]:
    with pytest.raises(BadAnswer) as refused:
        give(job, "PHO01", *photos, by=by)
    assert answers.current_answers(job).get("PHO01") is None
    return [(problem.code, problem.where) for problem in refused.value.problems]


def test_photo_of_another_question_is_refused(job: Job, engineer: Engineer) -> None:
    assert refusal(job, announce(job, "PHO02", by=engineer), by=engineer) == FOREIGN


def test_photo_of_another_job_is_refused(job: Job, engineer: Engineer) -> None:
    other = make.job(at_state=JobState.ASSIGNED, to=make.engineer())

    assert refusal(job, announce(other, "PHO01", by=engineer), by=engineer) == FOREIGN


def test_photo_of_another_engineer_is_refused(job: Job, engineer: Engineer) -> None:
    assert refusal(job, announce(job, "PHO01", by=make.engineer()), by=engineer) == FOREIGN


def test_photo_that_nobody_announced_is_refused(job: Job, engineer: Engineer) -> None:
    assert refusal(job, Photo(pk=uuid.uuid4()), by=engineer) == FOREIGN


def test_colleague_keeps_the_photos_that_answered_before(job: Job, engineer: Engineer) -> None:
    first = announce(job, "PHO01", by=engineer)
    give(job, "PHO01", first, by=engineer)
    colleague = make.engineer()
    added = announce(job, "PHO01", by=colleague)

    assert give(job, "PHO01", first, added, by=colleague).value == [str(first.pk), str(added.pk)]


def test_service_is_not_proved_by_one_picture(job: Job) -> None:
    """Answers of an older version, which took any picture for any question."""
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    first = job.photos.get(question_code="PHO01")
    Answer.objects.filter(job=job, kind__in=["photo", "signature"]).update(value=[str(first.pk)])

    problems = preview_close(job=job, outcome=Outcome("SP"))

    codes = ["PHO02", "PHO03", "PHO04", "PHO05", "PHO06", "SIG01"]
    assert [problem.where for problem in problems] == [f"question:{code}" for code in codes]
    assert {problem.code for problem in problems} == {"photo_of_another_answer"}


def test_photo_of_the_work_that_has_not_arrived_keeps_a_failed_job_open(job: Job, engineer: Engineer) -> None:
    """It would go to the seller as an answer without a file."""
    give(job, "PHO06", announce(job, "PHO06", by=engineer), by=engineer)
    make.answer_all(job, code="RNA/NA")

    with pytest.raises(ClosureRefused) as refused, transaction.atomic():
        make.close(job, "RNA/NA", engineer=engineer)

    assert [(problem.code, problem.where) for problem in refused.value.problems] == [
        ("photo_not_stored", "question:PHO06")
    ]


def test_photo_answer_without_a_file_is_not_sent(engineer: Engineer) -> None:
    job = make.job(at_state=JobState.EN_ROUTE, to=engineer)
    give(job, "PHO01", announce(job, "PHO01", by=engineer), by=engineer)
    make.record_answer(job, "SAF01", "yes", by=engineer)

    make.close_without_visit(job)

    sent = job.outbound_messages.get(operation="closeJob").body["questions_answers"]
    assert [answer["question_code"] for answer in sent] == ["SAF01"]


@pytest.mark.parametrize("code", ["ZZZ99", "SAF01", "CIV01", "PHO01\n", ""])
def test_question_without_photos_takes_none(job: Job, code: str) -> None:
    with pytest.raises(PhotoRefused) as refused:
        announce(job, code, by=None)

    assert [(problem.code, problem.where) for problem in refused.value.problems] == [
        ("unknown_question", "question")
    ]
    assert not Photo.objects.exists()


def test_label_s_photo_belongs_to_the_scan(job: Job, engineer: Engineer) -> None:
    assert announce(job, evidence.ONT_LABEL, by=engineer).question_code == "ONT_LABEL"


def test_photos_of_a_question_and_of_a_job_have_an_end(job: Job, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (evidence.MAX_PER_QUESTION, evidence.MAX_PER_JOB) == (30, 150)
    monkeypatch.setattr(evidence, "MAX_PER_JOB", 32)
    ids = [announce(job, "PHO01", by=None).pk for _ in range(30)]

    with pytest.raises(PhotoRefused, match="This question already has 30 photos"):
        announce(job, "PHO01", by=None)
    announce(job, "PHO02", by=None)
    announce(job, "PHO03", by=None)
    with pytest.raises(PhotoRefused, match="This job already has 32 photos"):
        announce(job, "PHO04", by=None)

    # one that is known may be announced again
    assert announce(job, "PHO01", by=None, photo_id=ids[0]).pk == ids[0]


def test_id_in_use_is_not_taken_over(job: Job, engineer: Engineer) -> None:
    photo_id = announce(job, "PHO01", by=engineer).pk

    with pytest.raises(PhotoDiffers):
        announce(job, "PHO02", by=engineer, photo_id=photo_id)
    with pytest.raises(PhotoDiffers):
        announce(job, "PHO01", by=make.engineer(), photo_id=photo_id)
