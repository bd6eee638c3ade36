"""The office's page of messages to customers, for who may see personal data; each look is in the audit."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from board.base_context import render_page
from customer_messages.models import CustomerMessage
from customer_messages.office_page import customer_messages_page
from customer_messages.resending import resend
from engineers.audit import CUSTOMER_MESSAGES_VIEWED, record_look
from engineers.models import Right
from engineers.permissions import for_right, user_of
from engineers.throttling import RateLimit, rate_limited
from monitoring.task_queue import enqueue_by_name

SEND_TASK = "customer_messages.tasks.send_customer_messages"


@for_right(Right.SHOW_PERSONAL_DATA)
@require_GET
@rate_limited(RateLimit("search", 120))
def customer_messages(request: HttpRequest) -> HttpResponse:
    """The newest first; the filter is in the address."""
    page = customer_messages_page(request.GET)
    subject = page.form.cleaned_data.get("job") if page.form.is_valid() else ""
    record_look(user_of(request), CUSTOMER_MESSAGES_VIEWED, subject or "all jobs")
    return render_page(request, "customer/messages.html", page, section="messages")


@for_right(Right.RESEND_MESSAGES)
@require_POST
@rate_limited(RateLimit("customer_message", 30))
def resend_message(request: HttpRequest, pk: int) -> HttpResponse:
    """As a message of its own, sent by the worker at once."""
    message = get_object_or_404(CustomerMessage.objects.in_scope().select_related("job"), pk=pk)
    if resend(message=message, by=user_of(request)):
        enqueue_by_name(SEND_TASK)
        messages.success(request, _("The message is being sent again."))
    else:
        messages.error(
            request,
            _("Not sent again: it was sent in the meantime, or the appointment or the job has changed."),
        )
    query = urlencode({"job": message.job.provider_job_id})
    return HttpResponseRedirect(f"{reverse('customer-messages')}?{query}")
