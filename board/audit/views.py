"""The audit, to be read and exported by whoever may see it. No address changes it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from board.audit.audit_presenter import MOST_ROWS, TooManyRows, audit_csv, audit_form, audit_page
from board.base_context import render_page
from board.spreadsheets import download
from engineers.audit import EXPORTED, record_audit
from engineers.models import Right
from engineers.permissions import for_reading, refuse_limited, user_of
from engineers.throttling import RateLimit, rate_limited

AUDIT_LIMIT = RateLimit("audit", 60)


@for_reading(Right.SEE_AUDIT)
@require_GET
@rate_limited(AUDIT_LIMIT)
def audit(request: HttpRequest) -> HttpResponse:
    """The filter is in the address; the last week by default."""
    refuse_limited()
    page = audit_page(request.GET)
    status = 400 if page.form.errors else 200
    return render_page(request, "board/audit/audit.html", page, section="people", status=status)


@for_reading(Right.SEE_AUDIT)
@require_GET
@rate_limited(AUDIT_LIMIT)
def audit_file(request: HttpRequest) -> HttpResponse:
    """The same as CSV, which leaves a line in the audit."""
    refuse_limited()
    form = audit_form(request.GET)
    if not form.is_valid():
        return redirect(f"{reverse('board:audit')}?{request.GET.urlencode()}")
    try:
        name, content = audit_csv(form)
    except TooManyRows:
        text = _("The export would have more than %(number)d lines. Choose a shorter period.")
        messages.error(request, text % {"number": MOST_ROWS})
        return redirect(f"{reverse('board:audit')}?{request.GET.urlencode()}")
    record_audit(actor=user_of(request), action=EXPORTED, subject=name)
    return download(content, name=name)
