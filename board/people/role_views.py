"""What each role may do: everybody of the office reads it, whoever manages accounts changes it."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST

from board.base_context import render_page
from board.people.role_pages import build_roles_page
from board.people.views import SECTION
from engineers import rights
from engineers.models import Right, Role
from engineers.models.roles import SHIPPED_RIGHTS
from engineers.permissions import for_office, for_right, refusing_limited, user_of
from engineers.rights import RightsChanged, RightsRefused, RightsRule
from engineers.throttling import RateLimit, rate_limited

REFUSED = {
    RightsRule.FIXED: gettext_lazy("What this role may do can't be changed."),
    RightsRule.OWN_ROLE: gettext_lazy("You can't change your own role. Ask somebody with another role."),
    RightsRule.LACKED: gettext_lazy(
        "You can't grant or remove rights that you don't have. Ask a supervisor."
    ),
}


@for_office
@rate_limited(RateLimit("people", 120))
def roles(request: HttpRequest) -> HttpResponse:
    return render_page(
        request, "board/people/roles.html", build_roles_page(user_of(request)), section=SECTION
    )


@for_right(Right.MANAGE_ACCOUNTS)
@refusing_limited
@require_POST
def change_role(request: HttpRequest, role: str) -> HttpResponse:
    """`right` several times: all that the role may do; `seen` likewise, as the page showed it. With `as_shipped` it
    gets the rights that it came with."""
    if role not in Role.values:
        raise Http404
    chosen = Role(role)
    managed_interfaces = rights.holders_everywhere(Right.MANAGE_INTERFACES)
    wanted = SHIPPED_RIGHTS[chosen] if "as_shipped" in request.POST else request.POST.getlist("right")
    try:
        is_changed = rights.change_role(
            role=chosen, rights=wanted, seen=request.POST.getlist("seen"), by=user_of(request)
        )
    except RightsRefused as refused:
        messages.error(request, str(REFUSED[refused.rule]))
    except RightsChanged:
        messages.error(request, _("Somebody changed this role after you opened the page. Look at it again."))
    else:
        text = _("%(role)s was saved.") if is_changed else _("No changes. %(role)s is as before.")
        messages.success(request, text % {"role": chosen.label})
        if managed_interfaces - rights.holders_everywhere(Right.MANAGE_INTERFACES):
            more = _("Access tokens and webhooks that these people created still work. Check “Interfaces”.")
            messages.warning(request, more)
    return redirect("board:roles")
