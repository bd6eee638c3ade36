"""How long jobs take, learned from closed ones by type, product and flag, and used for new ones."""

from dataclasses import replace

import pytest

from dispatch import jobs
from dispatch.job_lengths import FEWEST_JOBS, LengthSample
from dispatch.job_pack import JobPack
from dispatch.models import LearnedLength
from dispatch.states import DEFAULT_MINUTES, JobType
from tests import make
from tests.learning import learn_lengths

pytestmark = pytest.mark.django_db
DEFAULT = DEFAULT_MINUTES[JobType.INSTALLATION]


def closed(
    first_minutes: int, *, product: str = "", flags: frozenset[str] = frozenset(), number: int = FEWEST_JOBS
) -> list[LengthSample]:
    """From so many minutes on, each a minute longer than the one before."""
    return [
        LengthSample(JobType.INSTALLATION, product, flags, first_minutes + more) for more in range(number)
    ]


def pack(*, product: str = "Fibre 900", flags: tuple[str, ...] = ()) -> JobPack:
    """Without a length of the seller."""
    return replace(make.pack(flags=flags), product_name=product, duration_minutes=None)


def length_of(job_pack: JobPack) -> int:
    return jobs.create_job(pack=job_pack).job.duration_minutes


def learn(*groups: list[LengthSample]) -> None:
    learn_lengths([sample for group in groups for sample in group], now=make.at("20:00"))


def test_three_of_four_jobs_take_no_longer_than_what_is_planned() -> None:
    learn(closed(60))

    row = LearnedLength.objects.get()
    # 60 to 99 minutes, up to whole steps of five
    assert (row.minutes, row.learned_from) == ([65, 70, 80, 90, 100], FEWEST_JOBS)
    assert length_of(pack()) == 90


def test_product_has_a_length_of_its_own() -> None:
    learn(closed(60), closed(150, product="Fibre 900"))

    assert length_of(pack(product="Fibre 900")) == 180
    assert length_of(pack(product="Fibre 100")) > 90


def test_flag_makes_a_job_as_long_as_others_with_it() -> None:
    learn(closed(60), closed(140, flags=frozenset({"MDU"})))

    assert length_of(pack(flags=("MDU",))) == 170
    # half an hour more by its rule, since nothing was learned of it
    assert length_of(pack(flags=("MDU", "DTL"))) == 200


def test_flag_that_comes_twice_adds_its_minutes_once() -> None:
    assert length_of(pack(flags=("DTL", "DTL"))) == DEFAULT + 30


def test_few_jobs_teach_nothing() -> None:
    learn(closed(60, number=FEWEST_JOBS - 1))

    assert length_of(pack()) == DEFAULT


def test_length_that_the_seller_gives_is_kept() -> None:
    learn(closed(60))

    assert length_of(replace(pack(), duration_minutes=45)) == 45


def test_what_is_switched_off_stays_so() -> None:
    learn(closed(60))
    LearnedLength.objects.update(is_used=False)

    learn(closed(70))

    assert LearnedLength.objects.get().minutes[0] == 75
    assert length_of(pack()) == DEFAULT


def test_what_is_switched_off_stays_so_after_a_night_with_too_few_jobs() -> None:
    learn(closed(60))
    LearnedLength.objects.update(is_used=False)

    learn(closed(60, number=FEWEST_JOBS - 1))
    learn(closed(70))

    row = LearnedLength.objects.get()
    assert (row.is_used, row.minutes[0]) == (False, 75)
    assert length_of(pack()) == DEFAULT


def test_what_is_used_ends_with_a_night_of_too_few_jobs() -> None:
    learn(closed(60))

    learn(closed(60, number=FEWEST_JOBS - 1))

    assert not LearnedLength.objects.exists()
