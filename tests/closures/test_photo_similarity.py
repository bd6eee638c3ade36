"""Photos that another job has too: the same file by its hash, the same picture by what it looks like."""

import io
from uuid import uuid4

import pytest
from django.test import Client
from PIL import Image, ImageDraw, ImageEnhance

from board.jobs.job_presenter import build_job_page
from closures.models import Photo, PhotoFingerprint
from closures.photos import evidence, photo_similarity, thumbnails
from dispatch.models import Job
from dispatch.states import JobState
from engineers.models import Area, AreaLimit
from tests import make

pytestmark = pytest.mark.django_db


def scene(*, seed: int = 1, width: int = 800, quality: int = 85, brightness: float = 1.0) -> bytes:
    """Blocks of grey that look like nothing else."""
    picture = Image.new("RGB", (width, width * 3 // 4))
    draw, state = ImageDraw.Draw(picture), seed
    for row in range(6):
        for column in range(8):
            state = (state * 1103515245 + 12345) % 2**31
            level, step = 40 + state // 2**16 % 160, width / 8
            corner = (column * step, row * step, (column + 1) * step, (row + 1) * step)
            draw.rectangle(corner, fill=(level, level, level))
    content = io.BytesIO()
    ImageEnhance.Brightness(picture).enhance(brightness).save(content, "JPEG", quality=quality)
    return content.getvalue()


def photo(job: Job, raw: bytes) -> Photo:
    made = make.photo(job, question_code="PHO01", raw=raw)
    thumbnails.make_thumbnail(made.pk)
    return made


def jobs() -> tuple[Job, Job]:
    return make.job(at_state=JobState.ON_SITE), make.job(at_state=JobState.ON_SITE)


def reused(job: Job) -> list[tuple[str, bool]]:
    found = photo_similarity.find_reused(job, list(job.photos.all()))
    return [(str(pair.other.job), pair.is_same_file) for pair in found]


def test_same_file_on_another_job_is_found() -> None:
    first, second = jobs()
    photo(first, scene())
    photo(second, scene())

    assert reused(second) == [(str(first), True)]
    assert reused(first) == [(str(second), True)]


def test_look_alike_is_found_among_many_that_have_a_part_in_common() -> None:
    """As a million photos have by chance."""
    first, second = jobs()
    photo(first, scene())
    mine = photo(second, scene(quality=40))
    bands = {name: getattr(mine.fingerprint, name) for name in photo_similarity.BANDS}
    template = make.photo(make.job(at_state=JobState.ON_SITE), question_code="PHO01")
    for _ in range(600):
        template.pk = uuid4()
        template.save(force_insert=True)
        far = {name: value ^ 0x5555 for name, value in bands.items()} | {"band_1": bands["band_1"]}
        PhotoFingerprint.objects.create(photo=template, **far)

    assert reused(second) == [(str(first), False)]


@pytest.mark.parametrize(
    "change", [{"width": 640}, {"quality": 40}, {"brightness": 1.15}], ids=["smaller", "coarser", "brighter"]
)
def test_same_picture_in_another_shape_is_found(change: dict[str, float]) -> None:
    first, second = jobs()
    photo(first, scene())
    photo(second, scene(**change))  # type: ignore[arg-type]

    assert reused(second) == [(str(first), False)]


def test_other_pictures_and_those_of_the_same_job_are_not() -> None:
    first, second = jobs()
    for seed in range(20, 30):
        photo(first, scene(seed=seed))
    photo(second, scene(seed=99))
    photo(second, scene(seed=99, quality=50))

    assert reused(second) == []


def test_pictures_without_structure_are_alike_only_as_files() -> None:
    first, second = jobs()
    photo(first, make.jpeg(colour="black"))
    photo(second, make.jpeg(colour="black", width=200))

    assert reused(second) == []


def test_job_page_shows_both_side_by_side() -> None:
    first, second = jobs()
    photo(first, scene())
    photo(second, scene(quality=50))

    page = build_job_page(second, now=make.now())

    (line,) = page.reused
    assert (line.other_job_id, line.how) == (str(first), "Almost the same picture")
    assert line.other is not None
    assert line.other.small_url != line.photo.small_url
    assert "A photo is also on another job" in [entry.title for entry in page.urgent]


def test_job_page_names_nothing_of_a_job_outside_the_areas_of_its_reader() -> None:
    other, own = jobs()
    Job.objects.filter(pk=own.pk).update(postcode="YO1 7HH", postcode_key="YO17HH")
    hidden, bela = photo(other, scene()), make.engineer(name="Bela Splice")
    Photo.objects.filter(pk=hidden.pk).update(by=bela)
    photo(own, scene())
    yara = make.dispatcher(username="yara")
    AreaLimit.objects.create(user=yara, area=Area.objects.create(name="York", postcodes="YO"))
    client = Client()
    client.force_login(yara)

    answer = client.get(f"/board/jobs/{own}/")

    html, page = answer.content.decode(), answer.context["page"]
    (line,) = page.reused
    assert (line.other, line.other_job_id, line.how) == (None, "", "The same file")
    assert ("A job outside your areas" in html, "Ask a supervisor to compare both photos." in html) == (
        True,
        True,
    )
    secrets = (str(other), bela.name, str(hidden.pk), evidence.sign(hidden).partition(":")[0])
    assert [secret for secret in secrets if secret in html] == []
