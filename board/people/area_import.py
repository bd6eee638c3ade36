"""Areas from a CSV file: first a plan that says of each row what it would do, then all or nothing.

A row is the area with its name, upper and lower case apart, otherwise a new one. Areas that the file lacks stay. The
same file twice changes nothing the second time.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from board.people.csv_import import CsvPlan
from board.people.record_forms import AreaForm
from board.spreadsheets import CellChange, read_rows
from closures.safe_csv import write_csv
from engineers import areas
from engineers.areas import AreaRecord, area_version
from engineers.models import Area, User

AREA_COLUMNS = ["name", "postcodes"]


@dataclass(frozen=True)
class AreaImportRow:
    """One row of the file: `problems` are sentences; `record` is None where there are any."""

    line: int
    name: str
    problems: list[str] = field(default_factory=list)
    record: AreaRecord | None = None
    stored: Area | None = None

    @property
    def kind(self) -> str:
        if self.record is None:
            return "wrong"
        if self.record.pk is None:
            return "new"
        return "unchanged" if [self.record.name, self.record.postcodes] == self.record.seen else "changed"

    @property
    def changes(self) -> list[CellChange]:
        """Of a new area too: its postcodes as they would be."""
        if self.record is None:
            return []
        name, codes = area_version(self.stored) if self.stored else (self.record.name, "")
        cells = [
            CellChange(_("Name"), name, self.record.name),
            CellChange(_("Postcodes"), codes, self.record.postcodes),
        ]
        return [cell for cell in cells if cell.before != cell.after]

    @property
    def fingerprint(self) -> object:
        return self.record


def plan_area_import(text: str) -> CsvPlan[AreaImportRow]:
    """Two queries at most. Raises UnreadableSheet."""
    stored = {area.name.lower(): area for area in Area.objects.all()}
    rows, seen = [], set[str]()
    for line, cells in read_rows(text, AREA_COLUMNS):
        row = _plan_row(line, cells, stored, seen)
        seen.add(row.name.lower())
        rows.append(row)
    return CsvPlan(_name_shared_postcodes(rows, stored))


def _plan_row(
    line: int, cells: Mapping[str, str], stored: Mapping[str, Area], seen: set[str]
) -> AreaImportRow:
    name = " ".join(cells.get("name", "").split())
    area = stored.get(name.lower())
    # a file without the column leaves the codes as they are
    codes = cells.get("postcodes", area.postcodes if area else "")
    form = AreaForm({"name": name, "postcodes": codes})
    problems = [str(message) for messages in form.errors.values() for message in messages]
    if name.lower() in seen:
        problems.append(_("An earlier row has the same name."))
    if problems:
        return AreaImportRow(line, name, problems)
    version = area_version(area) if area else None
    postcodes = form.cleaned_data["postcodes"]
    record = AreaRecord(name, postcodes, area.pk if area else None, version)
    return AreaImportRow(line, name, [], record, area)


def _name_shared_postcodes(rows: list[AreaImportRow], stored: Mapping[str, Area]) -> list[AreaImportRow]:
    """A code belongs to one area, as it would be after the import."""
    owners: dict[str, str] = {}
    named = {row.name.lower() for row in rows}
    for area in stored.values():
        if area.name.lower() not in named:
            owners.update(dict.fromkeys(area.postcodes.split(), area.name))
    checked = []
    for row in rows:
        codes = row.record.postcodes.split() if row.record else []
        problems = [
            _("%(codes)s already belongs to %(area)s.") % {"codes": code, "area": owners[code]}
            for code in codes
            if code in owners
        ]
        owners.update(dict.fromkeys(codes, row.name))
        checked.append(AreaImportRow(row.line, row.name, problems) if problems else row)
    return checked


def apply_area_import(plan: CsvPlan[AreaImportRow], by: User) -> None:
    """Every row or none. Raises AreaChanged, PostcodesTaken."""
    changed = [row.record for row in plan.rows if row.record and row.kind in {"new", "changed"}]
    areas.save_areas(changed, by=by)


def area_template_csv() -> bytes:
    return write_csv([AREA_COLUMNS])


def export_areas_csv() -> bytes:
    """Every area, in the layout that the import reads."""
    return write_csv([AREA_COLUMNS, *([area.name, area.postcodes] for area in Area.objects.all())])
