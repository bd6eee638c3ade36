"""Pages of the link to the seller: the message log, one message, replays."""

from uuid import UUID

from django.contrib import messages
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from board.base_context import render_page
from board.jobs.forms import ReplayForm, ResendForm, problems_of
from board.messages.api_docs import api_docs_page
from board.messages.job_messages import stuck_page
from board.messages.message_list import message_list_page
from board.messages.message_presenter import Draft, inbound_page, may_see_personal_data, outbound_page
from board.messages.reconciliation_presenter import ReconcileForm, comparison_page, empty_page
from board.messages.replay_presenter import (
    OutageForm,
    SelectedMessages,
    preview_page,
    progress_page,
    replays_page,
    select_messages,
)
from dispatch.problems import ActionRefused, Problem
from engineers.area_scope import postcode_filter
from engineers.audit import PERSONAL_DATA_SHOWN, record_audit, record_look
from engineers.input_values import read_number
from engineers.models import AuditEntry, Right
from engineers.permissions import for_office, for_right, refuse_limited, user_of
from engineers.throttling import RateLimit, rate_limited, slow_request
from seller_link import outbox, replays
from seller_link.models import InboundMessage, OutboundMessage, Replay
from seller_link.wire import openapi

MOST_STUCK_PAGES = 1000


@for_office
@rate_limited(RateLimit("search", 120))
def message_list(request: HttpRequest) -> HttpResponse:
    """All messages; the filter is in the address."""
    return render_page(
        request, "board/messages/messages.html", message_list_page(request.GET), section="messages"
    )


@for_office
def stuck(request: HttpRequest) -> HttpResponse:
    number = min(max(read_number(request.GET.get("page", "1")) or 1, 1), MOST_STUCK_PAGES)
    page = stuck_page(now=timezone.now(), page=number)
    return render_page(request, "board/messages/stuck_messages.html", page, section="messages")


@for_office
def message(request: HttpRequest, message_id: UUID) -> HttpResponse:
    found, is_shown = outbound_or_404(message_id), may_see_personal_data(user_of(request))
    if is_shown:
        record_look(user_of(request), PERSONAL_DATA_SHOWN, f"{found.operation} {found.message_id}")
    page = outbound_page(found, is_shown=is_shown)
    return render_page(request, "board/messages/message.html", page, section="messages")


@for_office
def inbound_message(request: HttpRequest, pk: int) -> HttpResponse:
    found, is_shown = _inbound_or_404(pk), may_see_personal_data(user_of(request))
    if is_shown:
        record_look(user_of(request), PERSONAL_DATA_SHOWN, _inbound_subject(found))
    page = inbound_page(found, is_shown=is_shown)
    return render_page(request, "board/messages/message.html", page, section="messages")


@for_right(Right.SHOW_PERSONAL_DATA)
@require_POST
def reveal_message(request: HttpRequest, message_id: UUID) -> HttpResponse:
    """The message with its personal data, which leaves a line in the audit."""
    found = outbound_or_404(message_id)
    _audit_reveal(request, f"{found.operation} {found.message_id}")
    return render_page(
        request, "board/messages/message.html", outbound_page(found, is_shown=True), section="messages"
    )


@for_right(Right.SHOW_PERSONAL_DATA)
@require_POST
def reveal_inbound_message(request: HttpRequest, pk: int) -> HttpResponse:
    """As `reveal_message`, for one of the seller's."""
    found = _inbound_or_404(pk)
    _audit_reveal(request, _inbound_subject(found))
    return render_page(
        request, "board/messages/message.html", inbound_page(found, is_shown=True), section="messages"
    )


def _inbound_subject(found: InboundMessage) -> str:
    """The number is as the seller sent it, however long."""
    return f"{found.operation} {found.raw_message_id}"[: AuditEntry.SUBJECT_CHARACTERS]


def _audit_reveal(request: HttpRequest, subject: str) -> None:
    record_audit(actor=user_of(request), action=PERSONAL_DATA_SHOWN, subject=subject)


def _visible_outbound() -> QuerySet[OutboundMessage]:
    return OutboundMessage.objects.in_scope().select_related("job", "event", "replay")


def outbound_or_404(message_id: UUID) -> OutboundMessage:
    rows = _visible_outbound()
    return get_object_or_404(rows, message_id=message_id)


def _inbound_or_404(pk: int) -> InboundMessage:
    return get_object_or_404(
        InboundMessage.objects.filter(postcode_filter("job__")).select_related("job"), pk=pk
    )


@for_right(Right.RESEND_MESSAGES)
@rate_limited(RateLimit("replay", 60))
@require_POST
def replay(request: HttpRequest, message_id: UUID) -> HttpResponse:
    """Send a message in trouble again: a corrected one has `body` and `reason`, which stay on the page when it
    is refused. A colleague's correction gives the message another id: `pk` finds it then."""
    found = _stuck_with_errors(message_id, request.POST.get("pk", ""))
    form = ReplayForm(request.POST)
    is_correction = bool(request.POST.get("body"))
    if found is None:
        return _refused_replay(request, [_("This message is no longer held.")])
    if not form.is_valid():
        problems = problems_of(form)
        # the member of the message that is wrong has no name here; the reason has its own field
        where = "reason" if problems[0].where == "reason" else ""
        texts = [problem.message for problem in problems]
        return _refused_replay(request, texts, found, wrong_field=where)
    if is_correction and found.message_id != message_id:
        return _refused_replay(
            request,
            [
                _(
                    "Someone else has already corrected this message. Compare both versions and decide "
                    "which to send."
                )
            ],
            found,
        )
    try:
        outbox.replay_message(
            message=found,
            by=user_of(request),
            reason=form.cleaned_data["reason"],
            body=form.cleaned_data["body"],
        )
    except ActionRefused as refusal:
        texts, where = [problem.message for problem in refusal.problems], refusal.problems[0].where
        return _refused_replay(request, texts, found if is_correction else None, wrong_field=where)
    messages.success(request, _("Message queued for resending."))
    return redirect("board:stuck")


def _stuck_with_errors(message_id: UUID, pk: str) -> OutboundMessage | None:
    rows = _visible_outbound()
    number = read_number(pk)
    named = Q(message_id=message_id) | (Q() if number is None else Q(pk=number))
    return rows.filter(named).first()


def _refused_replay(
    request: HttpRequest, texts: list[str], found: OutboundMessage | None = None, *, wrong_field: str = ""
) -> HttpResponse:
    """The page of the message with everything that was typed; the list where nothing was."""
    if found is None:
        for text in texts:
            messages.error(request, text)
        return redirect("board:stuck")
    draft = Draft(request.POST.get("body", ""), request.POST.get("reason", ""), texts, wrong_field)
    page = outbound_page(found, is_shown=may_see_personal_data(user_of(request)), draft=draft)
    return render_page(request, "board/messages/message.html", page, section="messages", status=400)


@for_office
def replay_list(request: HttpRequest) -> HttpResponse:
    """What was sent again lately, and the form for an outage."""
    return render_page(request, "board/messages/replays.html", replays_page(), section="messages")


@for_right(Right.RESEND_MESSAGES)
@rate_limited(RateLimit("replay", 60))
def replay_preview(request: HttpRequest) -> HttpResponse:
    """GET says what would go again (`message` several times, or `from_at` and `to_at`); POST with `reason` starts."""
    chosen = select_messages(request.POST if request.method == "POST" else request.GET)
    if isinstance(chosen, OutageForm):
        return render_page(
            request, "board/messages/replays.html", replays_page(chosen), section="messages", status=400
        )
    if request.method != "POST":
        return render_page(
            request, "board/messages/replay_preview.html", preview_page(chosen), section="messages"
        )
    form = ResendForm(request.POST)
    if not form.is_valid():
        return _refused_preview(request, chosen, problems_of(form), status=400)
    try:
        started = replays.start_replay(
            messages=chosen.messages, by=user_of(request), reason=form.cleaned_data["reason"], **chosen.span
        )
    except ActionRefused as refusal:
        return _refused_preview(request, chosen, refusal.problems, status=409)
    return redirect("board:replay-progress", started.pk)


def _refused_preview(
    request: HttpRequest, chosen: SelectedMessages, problems: list[Problem], *, status: int
) -> HttpResponse:
    """With the reason as it was typed."""
    reason, texts = request.POST.get("reason", ""), [problem.message for problem in problems]
    page = preview_page(chosen, reason=reason, problems=texts)
    return render_page(request, "board/messages/replay_preview.html", page, section="messages", status=status)


@for_office
def replay_progress(request: HttpRequest, pk: int) -> HttpResponse:
    replay = get_object_or_404(Replay.objects.in_scope().select_related("by"), pk=pk)
    return render_page(
        request, "board/messages/replay_progress.html", progress_page(replay), section="messages"
    )


@for_right(Right.RESEND_MESSAGES)
@rate_limited(RateLimit("reconciliation", 20))
@slow_request
def reconcile(request: HttpRequest) -> HttpResponse:
    """POST with `from_at`, `to_at` and the file `record` lists the differences. The record is of all areas."""
    refuse_limited()
    if request.method != "POST":
        return render_page(request, "board/messages/reconcile.html", empty_page(), section="messages")
    page = comparison_page(ReconcileForm(request.POST, request.FILES))
    status = 400 if page.compared is None else 200
    return render_page(request, "board/messages/reconcile.html", page, section="messages", status=status)


@for_office
def api_documentation(request: HttpRequest) -> HttpResponse:
    """What both sides say to each other, for those who build the other side."""
    return render_page(request, "board/messages/contract.html", api_docs_page(), section="messages")


@for_office
def openapi_file(_request: HttpRequest) -> HttpResponse:
    """The same as OpenAPI 3.1."""
    return HttpResponse(openapi.text(), content_type="application/json")
