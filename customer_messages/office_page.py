"""What was sent to which customer about which job, for the office: filter, a page of lines, what can be sent again."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board.formatting import format_exact_moment
from customer_messages.models import CustomerMessage, MessageState
from customer_messages.resending import is_resendable, resent_key
from dispatch.models import Job
from engineers.input_values import read_number
from monitoring.coded_texts import reason_text

PAGE_SIZE = 50
TONES = {
    MessageState.SENT: "good",
    MessageState.FAILED: "alarm",
    MessageState.EXPIRED: "warning",
}


class CustomerMessageFilterForm(forms.Form):
    """The filter; it stands in the address."""

    job = forms.CharField(label=gettext_lazy("Job"), required=False, max_length=100)
    state = forms.ChoiceField(
        label=gettext_lazy("Status"),
        required=False,
        choices=[("", gettext_lazy("Any")), *MessageState.choices],
    )


@dataclass(frozen=True)
class CustomerMessageLine:
    """`recipient` and `text` are empty where retention has removed them."""

    pk: int
    created: str
    job_id: str
    job_url: str
    kind: str
    channel: str
    recipient: str
    text: str
    state: str
    tone: str
    details: str
    can_resend: bool


@dataclass(frozen=True)
class CustomerMessagesPage:
    """`notice` says that nothing is sent at all; `hint` is what stands there without lines."""

    form: CustomerMessageFilterForm
    lines: list[CustomerMessageLine]
    is_filtered: bool
    notice: str
    hint: str
    older_query: str


def customer_messages_page(asked: QueryDict) -> CustomerMessagesPage:
    """Three queries at most; a filter that cannot be read lists nothing."""
    form = CustomerMessageFilterForm(asked)
    rows = _rows(form.cleaned_data, read_number(asked.get("before", ""))) if form.is_valid() else []
    filters = {name: asked[name] for name in form.fields if asked.get(name)}
    visible, is_more = rows[:PAGE_SIZE], len(rows) > PAGE_SIZE
    return CustomerMessagesPage(
        form=form,
        lines=_lines(visible),
        is_filtered=bool(filters),
        notice=_notice(),
        hint=_hint(is_filtered=bool(filters)),
        older_query=urlencode({**filters, "before": visible[-1].pk}) if is_more else "",
    )


def _rows(wanted: dict[str, Any], before: int | None) -> list[CustomerMessage]:
    found = CustomerMessage.objects.in_scope().select_related("job").order_by("-pk")
    if wanted["job"]:
        found = found.filter(job__in=Job.objects.filter(provider_job_id=wanted["job"].strip().upper()))
    if wanted["state"]:
        found = found.filter(state=wanted["state"])
    if before is not None:
        found = found.filter(pk__lt=before)
    return list(found[: PAGE_SIZE + 1])


def _lines(rows: Sequence[CustomerMessage]) -> list[CustomerMessageLine]:
    now, keys = timezone.now(), [resent_key(row) for row in rows]
    resent = set(CustomerMessage.objects.filter(key__in=keys).values_list("key", flat=True))
    return [_line(row, is_resent=resent_key(row) in resent, now=now) for row in rows]


def _line(row: CustomerMessage, *, is_resent: bool, now: datetime) -> CustomerMessageLine:
    return CustomerMessageLine(
        pk=row.pk,
        created=format_exact_moment(row.created_at),
        job_id=row.job.provider_job_id,
        job_url=reverse("board:job", args=[row.job.provider_job_id]),
        kind=row.get_kind_display(),
        channel=row.get_channel_display(),
        recipient=row.recipient,
        text=row.text,
        state=row.get_state_display(),
        tone=TONES.get(MessageState(row.state), ""),
        details=_details(row, is_resent=is_resent),
        can_resend=not is_resent and is_resendable(row, now=now),
    )


def _details(row: CustomerMessage, *, is_resent: bool) -> str:
    parts = [reason_text(row.reason)]
    if row.sent_at:
        parts.append(format_exact_moment(row.sent_at))
    if row.state == MessageState.READY and row.attempts:
        parts.append(_("Next attempt: %(at)s") % {"at": format_exact_moment(row.next_attempt_at)})
    if is_resent:
        parts.append(_("Sent again as a new message."))
    return " · ".join(filter(None, parts))


def _notice() -> str:
    if settings.CUSTOMER_MESSAGES.channels:
        return ""
    return _("Messages to customers are switched off. The system operator can set CUSTOMER_MESSAGES.")


def _hint(*, is_filtered: bool) -> str:
    if is_filtered:
        return _("No messages found. Remove a filter, or enter the whole job number.")
    return _(
        "No messages to customers yet. They are written on the morning of the appointment and when the "
        "engineer sets off."
    )
