"""Engineers and their shifts from a CSV file: first a plan that says of each row what it would do, then all or nothing.

A row is the engineer with its staff number or user name, otherwise a new one. A column that the file lacks stays as it
is. The same file twice changes nothing the second time. The form (board.people.forms) has the rules.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from board.people.access_panel import REFUSALS
from board.people.csv_import import CsvPlan
from board.people.forms import Catalogue, EngineerForm, initial_values, load_catalogue
from board.people.import_identities import KnownIdentities, known_identities
from board.spreadsheets import CellChange, read_rows
from closures.safe_csv import write_csv
from dispatch.teams import lock_engineers
from engineers import engineer_records
from engineers.engineer_records import EngineerChanged, EngineerRecord, TakenIdentity, read_record
from engineers.models import Engineer, RotaWeek, User, Weekday
from engineers.office_accounts import AccountRefused, AccountRule, refusal_of
from engineers.working_hours import hours_by_day, write_hours

WEEKDAYS = [day.name.lower() for day in Weekday]
WEEKDAYS_B = [f"{day}_b" for day in WEEKDAYS]
# column of the file -> field of the form
PLAIN = {
    "user_name": "username",
    "name": "name",
    "staff_number": "staff_number",
    "phone": "phone",
    "email": "email",
    "home_address": "home_address",
    "latitude": "home_latitude",
    "longitude": "home_longitude",
    "hours_per_day": "per_day",
    "hours_per_week": "per_week",
    "rest_hours": "rest",
}
COLUMNS = [*list(PLAIN)[:5], "areas", *list(PLAIN)[5:8], "skills", *WEEKDAYS, *WEEKDAYS_B, *list(PLAIN)[8:]]
# in a cell of hours: week B without any work is not the same as no week B
DAY_OFF = "off"
# between the names of areas in one cell
AREA_SEPARATOR = ";"
SKILL = re.compile(r"(\S+?)(?:\s+(\S+))?")


@dataclass(frozen=True)
class ImportRow:
    """One row of the file: `problems` are sentences; `record` is None where there are any. `engineer` is None for a
    new one, `version` the stored record that the plan saw."""

    line: int
    name: str
    problems: list[str] = field(default_factory=list)
    changes: list[CellChange] = field(default_factory=list)
    record: EngineerRecord | None = None
    engineer: Engineer | None = None
    version: str = ""

    @property
    def kind(self) -> str:
        if self.problems:
            return "wrong"
        if self.engineer is None:
            return "new"
        return "changed" if self.changes else "unchanged"

    @property
    def fingerprint(self) -> object:
        return self.version, self.record.version if self.record else ""


class ImportRefused(Exception):
    """Somebody has changed an engineer since the plan was made. Nothing was imported."""


def plan_import(text: str, by: User) -> CsvPlan[ImportRow]:
    """What the file would do for `by`; a fixed number of queries, however many rows. Raises UnreadableSheet."""
    rows, known = read_rows(text, COLUMNS), known_identities(_stored_engineers())
    catalogue = load_catalogue()
    planned = [_plan_row(line, cells, known, catalogue) for line, cells in rows]
    return CsvPlan([_refuse_without_authority(row, by) for row in planned])


def _stored_engineers() -> Iterable[Engineer]:
    stored = Engineer.objects.in_scope().select_related("user", "area")
    return stored.prefetch_related("further_areas", "held_skills__skill", "shifts")


def _plan_row(line: int, cells: Mapping[str, str], known: KnownIdentities, catalogue: Catalogue) -> ImportRow:
    engineer, problems = known.engineer_of(cells), list(known.problems(cells))
    stored = read_record(engineer) if engineer else None
    values = _form_values(initial_values(stored)) if stored else {}
    problems += _fill(values, cells, catalogue)
    form = EngineerForm(values, catalogue=catalogue)
    if not form.is_valid():
        problems += _form_problems(form)
    name = cells.get("name") or (stored.name if stored else "") or cells.get("user_name", "")
    if problems:
        return ImportRow(line, name, problems, engineer=engineer)
    record = form.record()
    changes = _changes(stored, record) if stored else []
    return ImportRow(line, name, [], changes, record, engineer, stored.version if stored else "")


def _changes(stored: EngineerRecord, record: EngineerRecord) -> list[CellChange]:
    """In the cells of the file that the export would write."""
    cells = zip(COLUMNS, _export_row(stored), _export_row(record), strict=True)
    return [CellChange(_label(column), before, after) for column, before, after in cells if before != after]


def _label(column: str) -> str:
    if column in PLAIN:
        return str(EngineerForm.base_fields[PLAIN[column]].label)
    if column in WEEKDAYS:
        return str(Weekday(WEEKDAYS.index(column)).label)
    if column in WEEKDAYS_B:
        day = Weekday(WEEKDAYS_B.index(column)).label
        return _("%(day)s, %(week)s") % {"day": day, "week": RotaWeek.B.label}
    return _("Areas") if column == "areas" else _("Skills")


def _refuse_without_authority(row: ImportRow, by: User) -> ImportRow:
    """As the engineer's page does; a row that changes nothing may stay in the file."""
    rule = refusal_of(row.engineer.user, by=by) if row.changes and row.engineer else None
    if rule is None:
        return row
    problem = _("You may not change this account. Remove the row, or ask a superuser to import the file.")
    if rule == AccountRule.ERASED:
        problem = str(REFUSALS[rule])
    return ImportRow(row.line, row.name, [problem], engineer=row.engineer)


def _form_values(initial: Mapping[str, Any]) -> dict[str, Any]:
    """As a browser sends them: nothing for what is empty or not ticked. A home on the meridian has the longitude 0."""
    return {
        name: _sent_value(value)
        for name, value in initial.items()
        if value is not None and value is not False and value not in ("", [])
    }


def _sent_value(value: object) -> str | list[str]:
    if isinstance(value, list):
        return value
    return "on" if value is True else str(value)


def _form_problems(form: EngineerForm) -> Iterator[str]:
    for name, messages in form.errors.items():
        for message in messages:
            yield f"{form.fields[name].label}: {message}" if name in form.fields else str(message)


def _fill(values: dict[str, Any], cells: Mapping[str, str], catalogue: Catalogue) -> Iterator[str]:
    """Put the cells over the stored values; sentences about cells that no field of the form can judge."""
    for column, name in PLAIN.items():
        if column in cells:
            values[name] = cells[column]
    for name in ("home_latitude", "home_longitude"):
        # a spreadsheet in German writes a comma
        values[name] = values.get(name, "").replace(",", ".")
    if "areas" in cells:
        _fill_areas(values, cells["areas"], catalogue)
    yield from _fill_hours(values, cells)
    if "skills" in cells:
        yield from _fill_skills(values, cells["skills"], catalogue)


def _fill_areas(values: dict[str, Any], cell: str, catalogue: Catalogue) -> None:
    """The main area first; upper and lower case do not matter."""
    known = {name.lower(): name for name in catalogue.areas}
    names = [" ".join(part.split()) for part in cell.split(AREA_SEPARATOR)]
    areas = [known.get(name.lower(), name) for name in names if name]
    values["area"], values["further_areas"] = next(iter(areas), ""), areas[1:]


def _fill_hours(values: dict[str, Any], cells: Mapping[str, str]) -> Iterator[str]:
    for week, columns in ((RotaWeek.A, WEEKDAYS), (RotaWeek.B, WEEKDAYS_B)):
        present = [column for column in columns if column in cells]
        if present and len(present) < len(columns):
            yield _("The file needs a column for each of the seven days, or for none.")
        for day, column in enumerate(columns):
            if column in cells:
                values[f"hours_{week}_{day}"] = "" if cells[column].lower() == DAY_OFF else cells[column]
    if any(column in cells for column in WEEKDAYS_B):
        is_two_weeks = any(cells.get(column) for column in WEEKDAYS_B)
        values["two_weeks"] = "on" if is_two_weeks else ""


def _fill_skills(values: dict[str, Any], cell: str, catalogue: Catalogue) -> Iterator[str]:
    for name in [name for name in values if name.startswith(("skill_", "expires_"))]:
        del values[name]
    known = {skill.code for skill in catalogue.skills}
    for part in filter(None, (part.strip() for part in cell.split(","))):
        found = SKILL.fullmatch(part)
        code = found.group(1).lower() if found else ""
        if found is None or code not in known:
            codes = ", ".join(sorted(known))
            yield _("“%(text)s” is not a skill, or not with its last day. The skills are: %(codes)s.") % {
                "text": part,
                "codes": codes,
            }
            continue
        if f"skill_{code}" in values:
            yield _("The skill %(code)s is named twice. Name it once, with its last day if it has one.") % {
                "code": code
            }
        values[f"skill_{code}"] = "on"
        values[f"expires_{code}"] = _iso_day(found.group(2) or "")


def _iso_day(text: str) -> str:
    """`31.03.2027` as `2027-03-31`; anything else as it is, for the form to judge."""
    try:
        return datetime.strptime(text, "%d.%m.%Y").date().isoformat()  # noqa: DTZ007
    except ValueError:
        return text


@transaction.atomic
def apply_import(plan: CsvPlan[ImportRow], by: User) -> None:
    """Every row or none. Raises ImportRefused."""
    # first: row by row would be in the order of the file, and everybody else locks by key
    lock_engineers(row.engineer.pk for row in plan.rows if row.engineer)
    try:
        for row in plan.rows:
            if row.record and row.engineer:
                engineer_records.update_engineer(
                    engineer=row.engineer, record=row.record, version=row.version, by=by
                )
            elif row.record:
                engineer_records.create_engineer(record=row.record, by=by)
    except (AccountRefused, EngineerChanged, TakenIdentity) as problem:
        raise ImportRefused from problem


def template_csv() -> bytes:
    return write_csv([COLUMNS])


def export_csv() -> bytes:
    """Every active engineer, in the layout that the import reads."""
    engineers = [engineer for engineer in _stored_engineers() if engineer.user.is_active]
    return write_csv([COLUMNS, *(_export_row(read_record(engineer)) for engineer in engineers)])


def _export_row(record: EngineerRecord) -> list[str]:
    values = initial_values(record)
    cells = {column: _cell(values[name]) for column, name in PLAIN.items()}
    parts = [f"{code} {day or ''}".strip() for code, day in record.skills]
    cells["areas"] = f"{AREA_SEPARATOR} ".join(record.areas)
    cells["skills"] = ", ".join(parts)
    hours = hours_by_day(record.shifts)
    for day in Weekday:
        every, week_a = hours.get((RotaWeek.EVERY, day), ()), hours.get((RotaWeek.A, day), ())
        week_b = hours.get((RotaWeek.B, day), ())
        cells[WEEKDAYS[day]] = write_hours(sorted((*every, *week_a)))
        hours_b = write_hours(sorted((*every, *week_b))) or DAY_OFF
        cells[WEEKDAYS_B[day]] = hours_b if values["two_weeks"] else ""
    return [cells[column] for column in COLUMNS]


def _cell(value: object) -> str:
    return "" if value is None else str(value)
