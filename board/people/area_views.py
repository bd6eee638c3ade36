"""The pages of areas: dispatchers read, supervisors change."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from board.base_context import render_page
from board.people.area_pages import build_area_page, build_areas_page
from board.people.record_forms import AreaForm
from board.people.views import SECTION
from engineers import areas as area_records
from engineers.areas import AreaChanged, AreaInUse, PostcodesTaken
from engineers.models import Area, Right
from engineers.permissions import for_office, for_right, refusing_limited, user_of
from engineers.refusals import NameTaken
from engineers.throttling import RateLimit, rate_limited


@for_office
@rate_limited(RateLimit("people", 120))
def areas(request: HttpRequest) -> HttpResponse:
    return _show_list(request)


@for_right(Right.CHANGE_PEOPLE)
@refusing_limited
@require_POST
def add_area(request: HttpRequest) -> HttpResponse:
    form = AreaForm(request.POST)
    if not form.is_valid():
        return _show_list(request, form)
    name, postcodes = form.cleaned_data["name"], form.cleaned_data["postcodes"]
    try:
        area_records.create_area(name=name, postcodes=postcodes, by=user_of(request))
    except (NameTaken, PostcodesTaken) as refusal:
        _add_error(form, refusal)
        return _show_list(request, form)
    messages.success(request, _("%(name)s was added.") % {"name": name})
    return redirect("board:areas")


def _show_list(request: HttpRequest, form: AreaForm | None = None) -> HttpResponse:
    page, status = build_areas_page(form), 400 if form else 200
    return render_page(request, "board/people/areas.html", page, section=SECTION, status=status)


def _add_error(form: AreaForm, refusal: NameTaken | PostcodesTaken) -> None:
    if isinstance(refusal, NameTaken):
        form.add_error("name", _("Another area has this name. Choose a different one."))
        return
    text = _("%(codes)s already belongs to %(area)s.")
    form.add_error("postcodes", text % {"codes": ", ".join(refusal.codes), "area": refusal.area.name})


@for_office
@rate_limited(RateLimit("people", 120))
def area(request: HttpRequest, pk: int) -> HttpResponse:
    return _show(request, pk)


@for_right(Right.CHANGE_PEOPLE)
@refusing_limited
@require_POST
def change_area(request: HttpRequest, pk: int) -> HttpResponse:
    form = AreaForm(request.POST)
    if not form.is_valid():
        return _show(request, pk, form)
    data = form.cleaned_data
    try:
        changed = area_records.change_area(
            pk=pk, name=data["name"], postcodes=data["postcodes"], seen=form.seen, by=user_of(request)
        )
    except (NameTaken, PostcodesTaken) as refusal:
        _add_error(form, refusal)
        return _show(request, pk, form)
    except AreaChanged:
        form.add_error(None, _("Somebody changed this area after you opened the form. Open it again."))
        return _show(request, pk, form, status=409)
    text = _("%(name)s was saved.") if changed else _("No changes. %(name)s is as before.")
    messages.success(request, text % {"name": data["name"]})
    return redirect("board:area", pk)


@for_right(Right.CHANGE_PEOPLE)
@refusing_limited
@require_POST
def delete_area(request: HttpRequest, pk: int) -> HttpResponse:
    """Twice is as once."""
    try:
        name = area_records.delete_area(pk=pk, by=user_of(request))
    except AreaInUse as refusal:
        messages.error(request, _in_use_text(refusal))
        return redirect("board:area", pk)
    if not name:
        return _gone(request)
    messages.success(request, _("%(name)s was deleted.") % {"name": name})
    return redirect("board:areas")


def _in_use_text(refusal: AreaInUse) -> str:
    if refusal.number:
        text = ngettext(
            "%(number)d engineer works here. Give this engineer another area first.",
            "%(number)d engineers work here. Give them other areas first.",
            refusal.number,
        )
        return text % {"number": refusal.number}
    text = ngettext(
        "%(number)d office account is limited to this area. Change the account first.",
        "%(number)d office accounts are limited to this area. Change the accounts first.",
        refusal.accounts,
    )
    return text % {"number": refusal.accounts}


def _show(request: HttpRequest, pk: int, form: AreaForm | None = None, status: int = 400) -> HttpResponse:
    """`status` where a form is shown again."""
    found = Area.objects.in_scope().filter(pk=pk).first()
    if found is None:
        return _gone(request)
    page = build_area_page(found, form)
    return render_page(
        request, "board/people/area.html", page, section=SECTION, status=status if form else 200
    )


def _gone(request: HttpRequest) -> HttpResponse:
    messages.info(request, _("This area doesn't exist any more."))
    return redirect("board:areas")
