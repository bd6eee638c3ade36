"""The printed sheet of a day: for each engineer the kit and the visits in their order."""

from dataclasses import dataclass
from datetime import date

from django.utils.translation import gettext as _

from board import formatting
from board.links import Link, engineer_page, job_link
from dispatch.forecast import visits_by_engineer
from dispatch.kit_list import KitItem, build_kit_list
from dispatch.models import Job, Visit
from dispatch.occupied_time import HOLDS_NO_TIME
from dispatch.problems import build_or_replace
from dispatch.requirements import JobRequirements, list_requirements
from engineers.models import Engineer
from engineers.shifts import day_span


@dataclass(frozen=True)
class SheetLine:
    """One visit; `notes` are hazards, access and what the flags ask for, each a sentence."""

    job_id: str
    planned: str
    window: str
    kind: str
    address: str
    contact: str
    notes: list[str]


@dataclass(frozen=True)
class KitLine:
    """What to load, and a link for each job that needs it."""

    text: str
    jobs: list[Link]


@dataclass(frozen=True)
class DaySheet:
    name: str
    url: str
    phone: str
    kit: list[KitLine]
    lines: list[SheetLine]


@dataclass(frozen=True)
class DaySheetsPage:
    """`engineers`: (staff number, name) of everybody who has a visit that day; `chosen` is one of them or empty."""

    day: date
    day_text: str
    sheets: list[DaySheet]
    engineers: list[tuple[str, str]]
    chosen: str


def day_sheets_page(day: date, *, staff_number: str = "") -> DaySheetsPage:
    """All engineers of the day, or one, with visits that hold time of theirs; four queries at most."""
    visits = list(
        Visit.objects.in_scope()
        .overlapping(day_span(day))
        .exclude(HOLDS_NO_TIME)
        .select_related("job", "engineer__user", "second_engineer__user")
        .order_by("planned_start")
    )
    requirements = list_requirements(visit.job for visit in visits)
    people = {person.pk: person for visit in visits for person in visit.people}
    by_engineer = sorted(
        ((people[key], own) for key, own in visits_by_engineer(visits).items()),
        key=lambda found: (found[0].name, found[0].pk),
    )
    return DaySheetsPage(
        day=day,
        day_text=formatting.format_day(day),
        sheets=[
            _sheet(engineer, own, requirements)
            for engineer, own in by_engineer
            if staff_number in {"", engineer.staff_number}
        ],
        engineers=[(engineer.staff_number, engineer.name) for engineer, _own in by_engineer],
        chosen=staff_number,
    )


def _sheet(engineer: Engineer, visits: list[Visit], requirements: dict[int, JobRequirements]) -> DaySheet:
    return DaySheet(
        name=engineer.name,
        url=engineer_page(engineer),
        phone=engineer.phone,
        # whoever accompanies has it in the first engineer's van
        kit=[_kit_line(item) for item in build_kit_list(_led_by(engineer, visits), requirements)],
        lines=[_line(visit, engineer, requirements[visit.job_id]) for visit in visits],
    )


def _led_by(engineer: Engineer, visits: list[Visit]) -> list[Job]:
    return [visit.job for visit in visits if visit.engineer_id == engineer.pk]


def _kit_line(item: KitItem) -> KitLine:
    return KitLine(item.text, [job_link(job.provider_job_id, title=job.title) for job in item.jobs])


def _line(visit: Visit, engineer: Engineer, required: JobRequirements) -> SheetLine:
    def broken(reason: str) -> SheetLine:
        number = visit.job.provider_job_id
        return SheetLine(number, formatting.format_span(visit.span), "", "", "", "", [reason])

    return build_or_replace(visit.job, lambda: _full_line(visit, engineer, required), broken)


def _full_line(visit: Visit, engineer: Engineer, required: JobRequirements) -> SheetLine:
    job = visit.job
    flags = ", ".join(str(flag.label) for flag in formatting.job_flags(job))
    notes = [
        _("On hold: don't set off.") if job.on_hold_since else "",
        _("Hazards: %(text)s") % {"text": job.hazards} if job.hazards else "",
        _("Access: %(text)s") % {"text": job.access_restrictions} if job.access_restrictions else "",
        job.site_notes,
        flags,
        _team_note(visit, engineer) or (_("Two people") if required.team else ""),
        _("No survey known") if required.is_survey_missing else "",
    ]
    return SheetLine(
        job_id=job.provider_job_id,
        planned=formatting.format_span(visit.span),
        window=formatting.format_window(job),
        kind=formatting.job_type_label(job),
        address=job.address,
        contact=f"{job.contact_name}, {job.contact_phone}",
        notes=[note for note in notes if note],
    )


def _team_note(visit: Visit, engineer: Engineer) -> str:
    colleague = visit.colleague_of(engineer)
    if colleague is None:
        return ""
    text = (
        _("With %(engineer)s, %(phone)s")
        if visit.engineer == engineer
        else _("You accompany %(engineer)s, %(phone)s")
    )
    return text % {"engineer": colleague.name, "phone": colleague.phone}
