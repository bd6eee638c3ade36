"""What lies in the areas that somebody is limited to: the same in the database, in Python and for `find_area`."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.django import TestCase

from dispatch.models import Job
from engineers.area_scope import is_in_scope, scope_of, scope_of_areas
from engineers.areas import area_map, find_area
from engineers.current_scope import EVERYWHERE, current_scope, limited_to
from engineers.models import Area, AreaLimit, Engineer
from tests import make

CODES = ["LS", "LS6", "LS1", "LS16", "BD", "BD1", "W1A", "W", "YO"]
OUTWARD = st.sampled_from([*CODES, "LS7", "BD10", "W2", "YO31", "L1", "S6", "HG1"])
INWARD = st.from_regex(r"[0-9][A-Z]{2}", fullmatch=True)
POSTCODES = st.builds(
    "{}{}{}{}".format, OUTWARD, st.sampled_from([" ", ""]), INWARD, st.sampled_from(["", " "])
)


class TestRule(TestCase):
    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(st.sampled_from(CODES), unique=True, min_size=1),
        st.integers(1, 3),
        st.lists(POSTCODES, min_size=1, max_size=8),
    )
    def test_database_python_and_find_area_agree(
        self, codes: list[str], parts: int, postcodes: list[str]
    ) -> None:
        for number in range(parts):
            Area.objects.create(name=f"Area {number}", postcodes=" ".join(codes[number::parts]))
        areas, mine = area_map(Area.objects.all()), Area.objects.order_by("pk").first()
        assert mine is not None
        rows = [make.job(seller_job_id=f"S-{number}") for number in range(len(postcodes))]
        for job, postcode in zip(rows, postcodes, strict=True):
            Job.objects.filter(pk=job.pk).update(postcode=postcode.lower() if job.pk % 2 else postcode)

        with limited_to(scope_of_areas(frozenset({mine.pk}))):
            visible = {job.pk for job in Job.objects.in_scope()}
            in_python = {job.pk for job in Job.objects.all() if is_in_scope(job.postcode)}
        expected = {job.pk for job in Job.objects.all() if find_area(job.postcode, areas) == mine}

        assert visible == in_python == expected


@pytest.mark.django_db
def test_engineer_is_in_the_main_and_in_each_further_area() -> None:
    leeds, york = (Area.objects.create(name=name) for name in ("Leeds", "York"))
    anna, bela, _cora = (make.engineer() for _number in range(3))
    Engineer.objects.filter(pk=anna.pk).update(area=leeds)
    Engineer.objects.filter(pk=bela.pk).update(area=york)
    bela.further_areas.add(leeds)

    with limited_to(scope_of_areas(frozenset({leeds.pk}))):
        assert set(Engineer.objects.in_scope()) == {anna, bela}
    assert Engineer.objects.in_scope().count() == 3


@pytest.mark.django_db
def test_nobody_is_limited_without_an_area() -> None:
    dana = make.dispatcher()
    assert scope_of(dana) == EVERYWHERE

    leeds = Area.objects.create(name="Leeds", postcodes="LS")
    AreaLimit.objects.create(user=dana, area=leeds)
    with limited_to(scope_of(dana)):
        assert (current_scope().names, current_scope().own) == ({"Leeds"}, {"LS"})
    assert current_scope() == EVERYWHERE
