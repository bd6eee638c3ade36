"""The control interface for lines: every fault that can be simulated is one request."""

from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_GET, require_POST

from seller_sandbox.console import control_requests
from seller_sandbox.console.api import control
from seller_sandbox.console.lines import line_reports
from seller_sandbox.console.lines.line_control_requests import LINE_ACTIONS
from seller_sandbox.diagnostics import line_states
from seller_sandbox.diagnostics.line_states import AtPremises


@control
@require_GET
def faulty_lines(_: HttpRequest) -> HttpResponse:
    """The lines on which a fault is simulated."""
    return JsonResponse({"lines": [line_reports.report_state(line) for line in line_states.list_faulty()]})


@control
@require_GET
def line(_: HttpRequest, reference: str) -> HttpResponse:
    return JsonResponse(line_reports.report_line(_premises(reference)))


@control
@require_POST
def act(request: HttpRequest, reference: str, action: str) -> HttpResponse:
    """One fault or its end; the answer is the line as it is then."""
    if action not in LINE_ACTIONS:
        raise Http404(f"actions are {', '.join(LINE_ACTIONS)}")
    premises = _premises(reference)
    LINE_ACTIONS[action].run(premises, control_requests.read_json(request.body))
    return JsonResponse(line_reports.report_line(premises))


def _premises(reference: str) -> AtPremises:
    found = line_reports.find_premises(reference)
    if found is None:
        raise Http404(f"There is no line {reference}. Give a UPRN or a serviceIdentifier, also of a job.")
    return found
