"""The list of areas, and the page of one: who works there, and how many open jobs lie in it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from django.db.models import Count

from board.people.record_forms import AreaForm
from dispatch.models import Job
from engineers.areas import area_map, find_area
from engineers.models import Area, Engineer

# of the postcodes without an area as many as a sentence can name
MOST_NAMED = 8


@dataclass(frozen=True)
class AreaLine:
    """`engineers` counts who is active, in the main area and in further ones."""

    pk: int
    name: str
    postcodes: str
    engineers: int
    open_jobs: int


@dataclass(frozen=True)
class AreasPage:
    """`jobs_outside`: open jobs in no area; `outside` some of their postcodes. `form` adds an area."""

    lines: list[AreaLine]
    jobs_outside: int
    outside: str
    form: AreaForm


@dataclass(frozen=True)
class AreaMember:
    pk: int
    name: str
    is_main: bool
    is_active: bool


@dataclass(frozen=True)
class AreaPage:
    pk: int
    name: str
    postcodes: str
    open_jobs: int
    members: list[AreaMember]
    form: AreaForm

    @property
    def can_be_deleted(self) -> bool:
        return not self.members


def build_areas_page(form: AreaForm | None = None) -> AreasPage:
    """Four queries, however many areas there are."""
    areas = list(Area.objects.in_scope())
    jobs, outside = _open_jobs(areas)
    people = Counter(
        name
        for engineer in Engineer.objects.active()
        .in_scope()
        .select_related("area")
        .prefetch_related("further_areas")
        for name in engineer.area_names
    )
    return AreasPage(
        lines=[
            AreaLine(area.pk, area.name, area.postcodes, people[area.name], jobs[area.pk]) for area in areas
        ],
        jobs_outside=sum(outside.values()),
        outside=", ".join(code for code, _number in outside.most_common(MOST_NAMED)),
        form=form or AreaForm(),
    )


def _open_jobs(areas: list[Area]) -> tuple[Counter[int], Counter[str]]:
    """Open jobs by the key of their area, and those in none by postcode."""
    by_code: Mapping[str, Area] = area_map(areas)
    inside, outside = Counter[int](), Counter[str]()
    rows = Job.objects.open().in_scope().order_by().values_list("postcode").annotate(number=Count("pk"))
    for postcode, number in rows:
        area = find_area(postcode, by_code)
        if area:
            inside[area.pk] += number
        else:
            outside[postcode.strip().upper() or "–"] += number
    return inside, outside


def build_area_page(area: Area, form: AreaForm | None = None) -> AreaPage:
    """Three queries."""
    people = Engineer.objects.in_area(area.pk).select_related("user")
    jobs, _outside = _open_jobs(list(Area.objects.all()))
    return AreaPage(
        pk=area.pk,
        name=area.name,
        postcodes=area.postcodes,
        open_jobs=jobs[area.pk],
        members=[
            AreaMember(person.pk, person.name, person.area_id == area.pk, person.user.is_active)
            for person in people
        ],
        form=form or area_form(area),
    )


def area_form(area: Area) -> AreaForm:
    values = {"name": area.name, "postcodes": area.postcodes}
    return AreaForm(initial={**values, "seen_name": area.name, "seen_postcodes": area.postcodes})
