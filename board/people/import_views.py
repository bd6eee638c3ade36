"""Importing engineers and areas from a CSV file, and the same files to download."""

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_GET, require_http_methods

from board.people import area_import, engineer_import
from board.people.area_import import AreaImportRow
from board.people.csv_import import CsvImport, CsvPlan, run_import
from board.people.engineer_import import ImportRefused, ImportRow
from board.spreadsheets import download
from engineers.areas import AreaChanged, PostcodesTaken
from engineers.audit import ENGINEERS_EXPORTED, record_audit
from engineers.models import Right
from engineers.permissions import for_right, refusing_limited, user_of
from engineers.throttling import RateLimit, rate_limited, slow_request


def _engineers_report(plan: CsvPlan[ImportRow]) -> list[str]:
    added, changed = plan.number_of("new"), plan.number_of("changed")
    texts = []
    if added:
        text = ngettext(
            "%(number)d engineer was added. Create a sign-in link on the engineer's page.",
            "%(number)d engineers were added. Create sign-in links on their pages.",
            added,
        )
        texts.append(text % {"number": added})
    if changed:
        text = ngettext("%(number)d engineer was changed.", "%(number)d engineers were changed.", changed)
        texts.append(text % {"number": changed})
    return texts


def _areas_report(plan: CsvPlan[AreaImportRow]) -> list[str]:
    text = _("The areas were imported: %(new)d new, %(changed)d changed.")
    return [text % {"new": plan.number_of("new"), "changed": plan.number_of("changed")}]


ENGINEERS = CsvImport(
    template="board/people/engineer_import.html",
    make_plan=engineer_import.plan_import,
    apply=engineer_import.apply_import,
    refusals=(ImportRefused,),
    refusal=gettext_lazy(
        "Engineers have changed since you opened this preview. Nothing was imported. Check it again."
    ),
    report=_engineers_report,
    next_page="board:people",
)
AREAS = CsvImport(
    template="board/people/area_import.html",
    make_plan=lambda text, _by: area_import.plan_area_import(text),
    apply=area_import.apply_area_import,
    refusals=(AreaChanged, PostcodesTaken),
    refusal=gettext_lazy(
        "Areas have changed since you opened this preview. Nothing was imported. Check it again."
    ),
    report=_areas_report,
    next_page="board:areas",
)


@for_right(Right.CHANGE_PEOPLE)
@refusing_limited
@require_http_methods(["GET", "POST"])
@rate_limited(RateLimit("engineer_import", 60))
@slow_request
def import_engineers(request: HttpRequest) -> HttpResponse:
    """A file may name any engineer."""
    return run_import(request, ENGINEERS)


@for_right(Right.CHANGE_PEOPLE)
@require_GET
def import_template(_request: HttpRequest) -> HttpResponse:
    return download(engineer_import.template_csv(), name="engineers-template.csv")


@for_right(Right.CHANGE_PEOPLE)
@require_GET
@rate_limited(RateLimit("engineer_export", 20))
def export_engineers(request: HttpRequest) -> HttpResponse:
    record_audit(actor=user_of(request), action=ENGINEERS_EXPORTED, subject="engineers.csv")
    return download(engineer_import.export_csv(), name="engineers.csv")


@for_right(Right.CHANGE_PEOPLE)
@refusing_limited
@require_http_methods(["GET", "POST"])
@rate_limited(RateLimit("area_import", 60))
def import_areas(request: HttpRequest) -> HttpResponse:
    return run_import(request, AREAS)


@for_right(Right.CHANGE_PEOPLE)
@require_GET
def area_template(_request: HttpRequest) -> HttpResponse:
    return download(area_import.area_template_csv(), name="areas-template.csv")


@for_right(Right.CHANGE_PEOPLE)
@refusing_limited
@require_GET
@rate_limited(RateLimit("area_export", 20))
def export_areas(_request: HttpRequest) -> HttpResponse:
    return download(area_import.export_areas_csv(), name="areas.csv")
