"""The pages of skills: dispatchers read, supervisors change."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.base_context import render_page
from board.people.record_forms import SkillForm, SkillNameForm
from board.people.skill_pages import build_skill_page, build_skills_page
from board.people.views import SECTION
from dispatch import skill_catalogue
from dispatch.skill_catalogue import SkillGone, SkillInUse
from engineers.models import Right, Skill
from engineers.permissions import for_office, for_right, refusing_limited, user_of
from engineers.refusals import NameTaken
from engineers.throttling import RateLimit, rate_limited


@for_office
@rate_limited(RateLimit("people", 120))
def skills(request: HttpRequest) -> HttpResponse:
    return _show_list(request)


@for_right(Right.CHANGE_PEOPLE)
@refusing_limited
@require_POST
def add_skill(request: HttpRequest) -> HttpResponse:
    form = SkillForm(request.POST)
    if not form.is_valid():
        return _show_list(request, form)
    name, code = form.cleaned_data["name"], form.cleaned_data["code"]
    try:
        skill_catalogue.create_skill(code=code, name=name, by=user_of(request))
    except NameTaken as refusal:
        field = "code" if refusal.name == code else "name"
        form.add_error(field, _("Another skill has this already. Choose a different one."))
        return _show_list(request, form)
    messages.success(request, _("%(name)s was added.") % {"name": name})
    return redirect("board:skills")


def _show_list(request: HttpRequest, form: SkillForm | None = None) -> HttpResponse:
    page, status = build_skills_page(form), 400 if form else 200
    return render_page(request, "board/people/skills.html", page, section=SECTION, status=status)


@for_office
@rate_limited(RateLimit("people", 120))
def skill(request: HttpRequest, pk: int) -> HttpResponse:
    return _show(request, pk)


@for_right(Right.CHANGE_PEOPLE)
@refusing_limited
@require_POST
def rename_skill(request: HttpRequest, pk: int) -> HttpResponse:
    form = SkillNameForm(request.POST)
    if not form.is_valid():
        return _show(request, pk, form)
    name = form.cleaned_data["name"]
    try:
        changed = skill_catalogue.rename_skill(pk=pk, name=name, by=user_of(request))
    except NameTaken:
        form.add_error("name", _("Another skill has this already. Choose a different one."))
        return _show(request, pk, form)
    except SkillGone:
        return _gone(request)
    except SkillInUse:
        return _refuse(request, pk)
    text = _("%(name)s was saved.") if changed else _("No changes. %(name)s is as before.")
    messages.success(request, text % {"name": name})
    return redirect("board:skill", pk)


@for_right(Right.CHANGE_PEOPLE)
@refusing_limited
@require_POST
def remove_skill(request: HttpRequest, pk: int) -> HttpResponse:
    """Twice is as once."""
    try:
        name = skill_catalogue.remove_skill(pk=pk, by=user_of(request))
    except SkillInUse:
        return _refuse(request, pk)
    if not name:
        return _gone(request)
    messages.success(request, _("%(name)s was removed.") % {"name": name})
    return redirect("board:skills")


def _refuse(request: HttpRequest, pk: int) -> HttpResponse:
    """The page itself says what the skill is needed for."""
    messages.error(request, _("This skill is in use, so it was not changed. The reason is below."))
    return redirect("board:skill", pk)


def _show(request: HttpRequest, pk: int, form: SkillNameForm | None = None) -> HttpResponse:
    found = Skill.objects.filter(pk=pk).first()
    if found is None:
        return _gone(request)
    page = build_skill_page(found, form)
    return render_page(request, "board/people/skill.html", page, section=SECTION, status=400 if form else 200)


def _gone(request: HttpRequest) -> HttpResponse:
    messages.info(request, _("This skill doesn't exist any more."))
    return redirect("board:skills")
