"""One picture proves one answer of one job, taken by whoever answers; and there is an end to their number."""

import io
import uuid

import pytest
from django.db import transaction
from PIL import Image

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
PICTURES = ["PHO01", "PHO02", "PHO03", "PHO04", "PHO05", "PHO06", "SIG01"]
SAME = ("same_photo", "question:PHO02")
# of the EXIF data
MAKE = 271
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

    assert [problem.where for problem in problems] == [f"question:{code}" for code in PICTURES[1:]]
    assert {problem.code for problem in problems} == {"photo_of_another_answer"}


def test_service_is_not_proved_by_one_picture_under_seven_ids(job: Job, engineer: Engineer) -> None:
    """Each photo is announced for its own question, and all have the same bytes."""
    make.scan(job)
    make.result(job, 1)
    make.answer_all(job)
    again = {}
    for code in PICTURES:
        again[code] = make.photo(job, question_code=code, raw=make.jpeg())
        give(job, code, again[code], by=None)

    with pytest.raises(ClosureRefused) as refused, transaction.atomic():
        make.close(job, "SP", engineer=engineer)

    found = refused.value.problems
    assert [(problem.code, problem.where) for problem in found] == [
        ("same_photo", f"question:{code}") for code in PICTURES[1:]
    ]
    assert found[0].message.startswith(f"{text_of(job, 'PHO02')}: this is the same photo as for")
    # new ones mend it, and nothing was lost
    for code in PICTURES[1:]:
        give(job, code, make.photo(job, question_code=code), by=None)
    assert preview_close(job=job, outcome=Outcome("SP")) == []
    assert all(Photo.objects.get(pk=photo.pk).is_available for photo in again.values())


def test_camera_data_make_no_other_picture(job: Job) -> None:
    """The file that the seller gets is compared."""
    plain, described = io.BytesIO(), io.BytesIO()
    exif = Image.Exif()
    exif[MAKE] = "Another camera"
    for file, more in ((plain, {}), (described, {"exif": exif})):
        Image.new("RGB", (64, 48), "navy").save(file, "JPEG", **more)
    for code, file in (("PHO01", plain), ("PHO02", described)):
        give(job, code, make.photo(job, question_code=code, raw=file.getvalue()), by=None)

    assert SAME in problems_of(job)


@pytest.mark.parametrize("drawn", ["PHO01", "PHO02"])
def test_arrow_makes_no_other_picture(job: Job, drawn: str) -> None:
    """The phone names the picture that it was drawn on by its own hash, which is not that of the file that we keep."""
    plain = "PHO02" if drawn == "PHO01" else "PHO01"
    chosen = make.photo(job, question_code=plain, raw=make.jpeg())
    give(job, plain, chosen, by=None)
    give(job, drawn, make.photo(job, question_code=drawn, original_sha256=chosen.sha256), by=None)

    assert SAME in problems_of(job)
    assert chosen.sha256 != chosen.stored_sha256


def test_two_arrows_on_one_picture_make_no_two(job: Job) -> None:
    for code in ("PHO01", "PHO02"):
        give(job, code, make.photo(job, question_code=code, original_sha256="a" * 64), by=None)

    assert SAME in problems_of(job)


def test_photo_twice_in_one_answer_and_one_that_no_answer_has_are_harmless(job: Job) -> None:
    first, second, replaced = (
        make.photo(job, question_code=code, raw=make.jpeg()) for code in ("PHO01", "PHO01", "PHO02")
    )
    give(job, "PHO02", replaced, by=None)
    give(job, "PHO02", make.photo(job, question_code="PHO02"), by=None)
    give(job, "PHO01", first, second, by=None)

    assert SAME not in problems_of(job)


def problems_of(job: Job) -> list[tuple[str, str]]:
    problems = preview_close(job=job, outcome=Outcome("SP"))
    return [(problem.code, problem.where) for problem in problems]


def text_of(job: Job, code: str) -> str:
    return Answer.objects.active().get(job=job, question_code=code).question_text


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
