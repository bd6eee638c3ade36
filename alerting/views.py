"""The page of alarm contacts: the office reads, a supervisor changes."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from alerting import contact_records
from alerting.contact_records import AlertingChanged, ContactGone
from alerting.contacts_page import BoundForms, contacts_page
from alerting.forms import AlertingPlanForm, ContactForm, UrgencyForm
from alerting.models import AlarmContact
from board.base_context import render_page
from engineers.models import Right
from engineers.permissions import for_office, for_right, may_everywhere, refusing_limited, user_of
from engineers.throttling import RateLimit, rate_limited

TEMPLATE, SECTION = "alerting/alarm_contacts.html", "alarms"
# a test reaches somebody's telephone
TEST_LIMIT = RateLimit("alarm_test", 10)


@for_office
def contact_list(request: HttpRequest) -> HttpResponse:
    can_change = may_everywhere(request, Right.CHANGE_ALARM_CONTACTS)
    return render_page(request, TEMPLATE, contacts_page(can_change=can_change), section=SECTION)


@for_right(Right.CHANGE_ALARM_CONTACTS)
@refusing_limited
@require_POST
def add_contact(request: HttpRequest) -> HttpResponse:
    form = ContactForm(request.POST, auto_id="new-%s")
    if not form.is_valid():
        return _refused(request, BoundForms(contact=form))
    contact = contact_records.add_contact(changes=form.entered, by=user_of(request))
    messages.success(request, _("%(name)s was added. Send a test.") % {"name": contact.name})
    return redirect("alarm-contacts")


@for_right(Right.CHANGE_ALARM_CONTACTS)
@refusing_limited
@require_POST
def change_contact(request: HttpRequest, pk: int) -> HttpResponse:
    form = ContactForm(request.POST, auto_id=f"contact-{pk}-%s")
    if not form.is_valid():
        return _refused(request, BoundForms(contact=form, contact_pk=pk))
    try:
        contact_records.change_contact(pk=pk, changes=form.entered, seen=form.seen, by=user_of(request))
    except AlertingChanged:
        form.add_error(None, _("Somebody changed this contact after you opened the form. Open it again."))
        return _refused(request, BoundForms(contact=form, contact_pk=pk), status=409)
    except ContactGone:
        # what was typed stays in the form of a new contact
        text = _(
            "Somebody deleted this contact after you opened the form. Add it again if it is still needed."
        )
        form.add_error(None, text)
        return _refused(request, BoundForms(contact=form), status=409)
    messages.success(request, _("%(name)s was changed.") % {"name": form.cleaned_data["name"]})
    return redirect("alarm-contacts")


@for_right(Right.CHANGE_ALARM_CONTACTS)
@refusing_limited
@require_POST
def delete_contact(request: HttpRequest, pk: int) -> HttpResponse:
    """Twice is as once."""
    if name := contact_records.delete_contact(pk=pk, by=user_of(request)):
        messages.success(request, _("%(name)s was deleted.") % {"name": name})
    return redirect("alarm-contacts")


@for_right(Right.CHANGE_ALARM_CONTACTS)
@refusing_limited
@require_POST
@rate_limited(TEST_LIMIT)
def send_test(request: HttpRequest, pk: int) -> HttpResponse:
    contact = get_object_or_404(AlarmContact, pk=pk)
    contact_records.send_test(contact=contact)
    text = _("A test to %(name)s is on its way. Reload the page to see whether it was sent.")
    messages.success(request, text % {"name": contact.name})
    return redirect("alarm-contacts")


@for_right(Right.CHANGE_ALARM_CONTACTS)
@refusing_limited
@require_POST
def change_plan(request: HttpRequest) -> HttpResponse:
    form = AlertingPlanForm(request.POST, auto_id="plan-%s")
    if not form.is_valid():
        return _refused(request, BoundForms(plan=form))
    try:
        contact_records.change_plan(changes=form.entered, seen=form.seen, by=user_of(request))
    except AlertingChanged:
        form.add_error(None, _("Somebody changed the office hours after you opened the form. Open it again."))
        return _refused(request, BoundForms(plan=form), status=409)
    messages.success(request, _("Office hours and escalation were saved."))
    return redirect("alarm-contacts")


@for_right(Right.CHANGE_ALARM_CONTACTS)
@refusing_limited
@require_POST
def change_urgencies(request: HttpRequest) -> HttpResponse:
    form = UrgencyForm(request.POST, auto_id="kind-%s")
    if not form.is_valid():
        return _refused(request, BoundForms(urgencies=form))
    try:
        contact_records.change_urgencies(form.entered, seen=form.seen, by=user_of(request))
    except AlertingChanged:
        form.add_error(None, _("Somebody changed these hours after you opened the form. Open it again."))
        return _refused(request, BoundForms(urgencies=form), status=409)
    messages.success(request, _("The hours of the alarms were saved."))
    return redirect("alarm-contacts")


def _refused(request: HttpRequest, bound: BoundForms, *, status: int = 400) -> HttpResponse:
    page = contacts_page(can_change=True, bound=bound)
    return render_page(request, TEMPLATE, page, section=SECTION, status=status)
