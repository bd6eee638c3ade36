"""Filters that people keep under a name, for themselves or for the whole office: their rules and two addresses."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django import forms
from django.contrib import messages
from django.db import transaction
from django.db.models import Q
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from board.jobs.responses import redirect_back, wants_json
from board.models import MAX_QUERY, FilterPage, SavedFilter
from dispatch.problems import ActionRefused, Problem
from engineers.models import User
from engineers.permissions import for_own_settings, user_of
from engineers.throttling import RateLimit, rate_limited

MAX_SAVED = 20
# what each page filters by: nothing else is stored or linked
FIELDS: Mapping[str, tuple[str, ...]] = {
    FilterPage.REPORTS: ("period", "first", "last", "by", "engineer", "area", "job_type"),
    FilterPage.BOARD: ("text", "window", "kind", "skill", "area", "risk"),
}
PERIOD_DAYS = ("first", "last")


@dataclass(frozen=True)
class SavedFilterLine:
    """`by` names the colleague who shares it; empty for an own one, which only its owner changes."""

    pk: int
    name: str
    query: str
    is_shared: bool
    by: str


class SavedFilterForm(forms.Form):
    page = forms.ChoiceField(choices=FilterPage.choices)
    name = forms.CharField(
        max_length=40, error_messages={"required": gettext_lazy("Enter a name for the filter.")}
    )
    query = forms.CharField(max_length=MAX_QUERY, required=False)
    is_shared = forms.BooleanField(required=False)


class RenameForm(forms.Form):
    name = SavedFilterForm.base_fields["name"]
    is_shared = SavedFilterForm.base_fields["is_shared"]


def list_filters(user: User, page: FilterPage) -> list[SavedFilterLine]:
    """The own ones, then what colleagues share, each by name; one query."""
    visible = SavedFilter.objects.filter(Q(user=user) | Q(is_shared=True), page=page, user__is_active=True)
    rows = sorted(visible.select_related("user"), key=lambda row: (row.user_id != user.pk, row.name.lower()))
    return [
        SavedFilterLine(
            row.pk,
            row.name,
            row.query,
            row.is_shared,
            "" if row.user_id == user.pk else row.user.display_name,
        )
        for row in rows
    ]


def clean_query(page: str, query: str) -> str:
    """Only the fields of that page's filter; with a period, which goes on with the calendar, not its present days."""
    sent = QueryDict(query)
    remaining = QueryDict(mutable=True)
    days = PERIOD_DAYS if sent.get("period") else ()
    names = [name for name in FIELDS[page] if sent.get(name) and name not in days]
    remaining.update({name: sent[name] for name in names})
    return remaining.urlencode()


@transaction.atomic
def save_filter(*, user: User, page: str, name: str, query: str, is_shared: bool) -> SavedFilter:
    """Under this name, instead of an earlier one with it. Raises ActionRefused at MAX_SAVED, and for somebody who only
    reads and would share it."""
    _refuse_sharing(user, is_shared=is_shared)
    # one at a time for each person: a second press finds the first one's row, and the limit holds
    User.objects.select_for_update().get(pk=user.pk)
    own = SavedFilter.objects.filter(user=user, page=page)
    if own.exclude(name=name).count() >= MAX_SAVED:
        text = _("You have %(number)d saved filters here. Delete one first.")
        raise ActionRefused([Problem("too_many_filters", "name", text % {"number": MAX_SAVED})])
    wanted = {"query": clean_query(page, query), "is_shared": is_shared}
    return own.update_or_create(user=user, page=page, name=name, defaults=wanted)[0]


@transaction.atomic
def rename_filter(*, saved: SavedFilter, name: str, is_shared: bool) -> None:
    """Raises ActionRefused where another one of the same person and page has this name, and as save_filter does."""
    _refuse_sharing(saved.user, is_shared=is_shared)
    User.objects.select_for_update().get(pk=saved.user_id)
    same = SavedFilter.objects.filter(user=saved.user_id, page=saved.page, name=name).exclude(pk=saved.pk)
    if same.exists():
        text = _("You already have a filter called %(name)s. Choose another name.")
        raise ActionRefused([Problem("name_taken", "name", text % {"name": name})])
    saved.name, saved.is_shared = name, is_shared
    saved.save(update_fields=["name", "is_shared"])


def _refuse_sharing(user: User, *, is_shared: bool) -> None:
    if is_shared and user.only_reads:
        text = _("Your role only reads: keep the filter for yourself.")
        raise ActionRefused([Problem("may_not_share", "is_shared", text)])


@for_own_settings
@rate_limited(RateLimit("saved_filters", 60))
@require_POST
def save(request: HttpRequest) -> HttpResponse:
    """Keep the filter `query` of `page` under `name`; with `is_shared` the whole office sees it."""
    form = SavedFilterForm(request.POST)
    if not form.is_valid():
        return _answer(request, _texts(form))
    try:
        save_filter(user=user_of(request), **form.cleaned_data)
    except ActionRefused as refused:
        return _answer(request, [problem.message for problem in refused.problems])
    return _answer(request)


@for_own_settings
@rate_limited(RateLimit("saved_filters", 60))
@require_POST
def change(request: HttpRequest, pk: int) -> HttpResponse:
    """Rename an own filter (`name`, `is_shared`), or with `delete` remove it; a second press changes nothing."""
    saved = SavedFilter.objects.filter(pk=pk, user=user_of(request)).first()
    if saved is None:
        return _answer(request)
    if "delete" in request.POST:
        saved.delete()
        return _answer(request)
    form = RenameForm(request.POST)
    if not form.is_valid():
        return _answer(request, _texts(form))
    try:
        rename_filter(saved=saved, **form.cleaned_data)
    except ActionRefused as refused:
        return _answer(request, [problem.message for problem in refused.problems])
    return _answer(request)


def _texts(form: forms.Form) -> list[str]:
    return [str(text) for texts in form.errors.values() for text in texts]


def _answer(request: HttpRequest, problems: Sequence[str] = ()) -> HttpResponse:
    """Back to the page; for the board's script the list alone, since a filter that is being made must not be lost."""
    if wants_json(request):
        saved = list_filters(user_of(request), FilterPage.BOARD)
        context = {"saved": saved, "problems": problems, "on_board": True}
        html = render_to_string("board/_saved_filters.html", context, request)
        return JsonResponse({"ok": not problems, "html": html})
    for problem in problems:
        messages.error(request, problem)
    return redirect(redirect_back(request))
