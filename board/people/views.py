"""The pages about people: dispatchers read, supervisors change."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from board.base_context import render_page
from board.formatting import format_moment
from board.people.engineer_form_page import FormPage, build_form_page, find_home
from board.people.engineer_list import PeopleFilter, build_people_page
from board.people.engineer_page import build_engineer_page, month_of
from board.people.forms import EngineerForm, initial_values
from dispatch.models import Visit
from dispatch.states import OPEN_STATES
from engineers import engineer_records, staff
from engineers.audit import ENGINEER_VIEWED, ENGINEERS_LISTED, record_look
from engineers.engineer_records import EngineerChanged, EngineerRecord, TakenIdentity, find_shared_fields
from engineers.models import Engineer, Right
from engineers.office_accounts import refusal_of
from engineers.permissions import for_office, for_right, user_of
from engineers.throttling import RateLimit, rate_limited, slow_request

SECTION = "people"


@for_office
@rate_limited(RateLimit("people", 120))
def people(request: HttpRequest) -> HttpResponse:
    page = build_people_page(PeopleFilter.of_query(request.GET))
    if page.lines:
        record_look(user_of(request), ENGINEERS_LISTED, "list")
    return render_page(request, "board/people/list.html", page, section=SECTION)


@for_office
@rate_limited(RateLimit("people", 120))
def engineer(request: HttpRequest, pk: int) -> HttpResponse:
    return show_engineer(request, pk)


def show_engineer(request: HttpRequest, pk: int, status: int = 200, **forms: Any) -> HttpResponse:
    try:
        page = build_engineer_page(pk, month=month_of(request.GET), by=user_of(request), **forms)
    except Engineer.DoesNotExist as problem:
        raise Http404 from problem
    record_look(user_of(request), ENGINEER_VIEWED, page.staff_number)
    return render_page(request, "board/people/engineer.html", page, section=SECTION, status=status)


def engineer_or_404(pk: int) -> Engineer:
    return get_object_or_404(Engineer.objects.in_scope().select_related("user", "area"), pk=pk)


def engineer_to_change(request: HttpRequest, pk: int) -> Engineer:
    """Raises PermissionDenied for a superuser, whom only a superuser changes."""
    found = engineer_or_404(pk)
    if refusal_of(found.user, by=user_of(request)):
        raise PermissionDenied
    return found


@for_right(Right.CHANGE_PEOPLE)
@rate_limited(RateLimit("engineer_form", 60))
@slow_request
def new_engineer(request: HttpRequest) -> HttpResponse:
    """GET: an empty form. POST makes the engineer; with `find` it only looks up the home address."""
    if request.method != "POST":
        return _show_form(request, build_form_page(EngineerForm(initial=_usual_week())))
    if "find" in request.POST:
        return _show_form(request, find_home(request))
    form = EngineerForm(request.POST)
    if not form.is_valid():
        return _show_taken(request, form, find_shared_fields(form.cleaned_data, engineer=None))
    try:
        made = engineer_records.create_engineer(record=form.record(), by=user_of(request))
    except TakenIdentity as refusal:
        return _show_taken(request, form, refusal.fields)
    messages.success(request, _("%(name)s was added.") % {"name": made.name})
    return redirect("board:engineer", made.pk)


def _usual_week() -> dict[str, Any]:
    return {f"hours_1_{day}": "08:00–17:00" for day in range(5)}


@for_right(Right.CHANGE_PEOPLE)
@rate_limited(RateLimit("engineer_form", 60))
@slow_request
def edit_engineer(request: HttpRequest, pk: int) -> HttpResponse:
    """POST saves what differs; `version` is the record that the form began with."""
    found = engineer_to_change(request, pk)
    if request.method != "POST":
        record_look(user_of(request), ENGINEER_VIEWED, found.staff_number)
        form = EngineerForm(initial=initial_values(engineer_records.read_record(found)))
        return _show_form(request, build_form_page(form, found))
    if "find" in request.POST:
        return _show_form(request, find_home(request, found))
    form = EngineerForm(request.POST)
    if not form.is_valid():
        return _show_taken(request, form, find_shared_fields(form.cleaned_data, engineer=found), found)
    return _save(request, found, form, form.record())


def _save(request: HttpRequest, found: Engineer, form: EngineerForm, record: EngineerRecord) -> HttpResponse:
    version = form.cleaned_data["version"]
    try:
        changed = engineer_records.update_engineer(
            engineer=found, record=record, version=version, by=user_of(request)
        )
    except TakenIdentity as refusal:
        return _show_taken(request, form, refusal.fields, found)
    except EngineerChanged as refusal:
        form.add_error(None, changed_text(refusal))
        return _show_form(request, build_form_page(form, found), status=409)
    text = _("%(name)s was saved.") if changed else _("No changes. %(name)s is as before.")
    messages.success(request, text % {"name": record.name})
    return redirect("board:engineer", found.pk)


def changed_text(refusal: EngineerChanged) -> str:
    if refusal.entry is None or refusal.entry.actor is None:
        return _("This engineer has changed since you opened the form. Open it again.")
    text = _("%(who)s changed this engineer on %(when)s, after you opened the form. Open it again.")
    parameters = {
        "who": refusal.entry.actor.display_name,
        "when": format_moment(refusal.entry.recorded_at),
    }
    return text % parameters


def _show_taken(
    request: HttpRequest, form: EngineerForm, names: Iterable[str], found: Engineer | None = None
) -> HttpResponse:
    """With whatever else is wrong, so that one look at the form is enough."""
    texts = {
        "username": _("Somebody else has this user name. Choose a different one."),
        "staff_number": _("Another engineer has this staff number."),
        "email": _("Somebody else has this e-mail address. Enter a different one."),
    }
    for name in names:
        form.add_error(name, texts[name])
    return _show_form(request, build_form_page(form, found), status=400)


def _show_form(request: HttpRequest, page: FormPage, status: int = 200) -> HttpResponse:
    return render_page(request, "board/people/form.html", page, section=SECTION, status=status)


@for_right(Right.CHANGE_PEOPLE)
@require_POST
def suspend(request: HttpRequest, pk: int) -> HttpResponse:
    """Twice is as once."""
    found = engineer_to_change(request, pk)
    if found.user.is_active:
        staff.suspend(user=found.user, by=user_of(request))
        text = _("%(name)s can no longer sign in and was signed out everywhere.")
        messages.success(request, text % {"name": found.name})
        if left := Visit.objects.active().attended_by([found]).filter(job__state__in=OPEN_STATES).count():
            messages.warning(request, _left_text(left))
    return redirect("board:engineer", pk)


def _left_text(visits: int) -> str:
    text = ngettext(
        "%(visits)d visit is still planned with this engineer. Assign it to somebody else.",
        "%(visits)d visits are still planned with this engineer. Assign them to somebody else.",
        visits,
    )
    return text % {"visits": visits}


@for_right(Right.CHANGE_PEOPLE)
@require_POST
@transaction.atomic
def reinstate(request: HttpRequest, pk: int) -> HttpResponse:
    found = engineer_to_change(request, pk)
    if not found.user.is_active:
        staff.reinstate(user=found.user, by=user_of(request))
        messages.success(request, _("%(name)s can sign in again.") % {"name": found.name})
    return redirect("board:engineer", pk)
