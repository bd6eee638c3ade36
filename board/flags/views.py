"""What property flags ask for: shown to the office, changed by a supervisor."""

from collections.abc import Mapping
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.base_context import render_page
from board.flags.flag_presenter import CODE, flags_page
from board.flags.forms import FlagRuleForm
from dispatch import flag_rules
from dispatch.flag_rules import RuleChanged
from engineers.models import Right
from engineers.permissions import for_office, for_right, may_everywhere, refusing_limited, user_of


@for_office
def flag_list(request: HttpRequest) -> HttpResponse:
    """`?code=` of a flag that a supervisor wants to add."""
    can_change = may_everywhere(request, Right.CHANGE_RULES)
    page = flags_page(can_change=can_change, new_code=request.GET.get("code", "").strip().upper())
    return render_page(request, "board/flags/flags.html", page, section="flags")


@for_right(Right.CHANGE_RULES)
@refusing_limited
@require_POST
def change_flag(request: HttpRequest, code: str) -> HttpResponse:
    """Keep what one flag asks for; a wrong value or a change by somebody else comes back in the form."""
    form = _sent_form(request.POST, code)
    if not CODE.fullmatch(code) or not form.is_valid():
        return _refused(request, code, form)
    changes = dict(form.cleaned_data)
    seen = changes.pop("version")
    try:
        flag_rules.change_rule(code=code, seen=seen, by=user_of(request), changes=changes)
    except RuleChanged as refusal:
        return _refused(request, code, _form_after(refusal, request, code), status=409)
    messages.success(request, _("%(code)s saved. The rule applies from now on.") % {"code": code})
    return redirect("board:flags")


def _sent_form(sent: Mapping[str, Any], code: str) -> FlagRuleForm:
    known = flag_rules.load_flag_rules().by_code.get(code)
    # what it asks for may stay, also where no engineer can have it yet
    initial = {"skill": known.skill} if known else {}
    return FlagRuleForm(sent, initial=initial, auto_id=f"{code}-%s")


def _form_after(refusal: RuleChanged, request: HttpRequest, code: str) -> FlagRuleForm:
    """What was typed, of the rule as it is now, which the page shows above the form: sent again, it replaces that."""
    known = flag_rules.load_flag_rules().by_code.get(code)
    # a flag without a rule begins at 0, whatever the form says
    version = str(known.version if known else 0)
    form = _sent_form({**request.POST.dict(), "version": version}, code)
    for problem in refusal.problems:
        form.add_error(None, problem.message)
    return form


def _refused(request: HttpRequest, code: str, form: FlagRuleForm, *, status: int = 400) -> HttpResponse:
    page = flags_page(can_change=True, new_code=code, bound=form)
    return render_page(request, "board/flags/flags.html", page, section="flags", status=status)
