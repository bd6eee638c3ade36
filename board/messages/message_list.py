"""The message log: filter form, one row per message, keyset pagination."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.conf import settings
from django.http import QueryDict
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board import formatting
from board.form_inputs import MOMENT_INPUT, MomentField
from seller_link import message_log
from seller_link.message_log import OPERATIONS, Cursor, Direction, Entry, MessageFilter, StatusFilter
from seller_link.models import InboundMessage, InboundOutcome, OutboundMessage, OutboundState

ANY = ("", gettext_lazy("Any"))
STATUSES = {
    StatusFilter.DELIVERED: gettext_lazy("Delivered"),
    StatusFilter.WAITING: gettext_lazy("Waiting to be sent"),
    StatusFilter.HELD: gettext_lazy("Held"),
    StatusFilter.STOPPED: gettext_lazy("Sending stopped"),
    StatusFilter.FAILED_LATELY: gettext_lazy("Failed attempt in the last 24 hours"),
    StatusFilter.ACCEPTED: gettext_lazy("Accepted by us"),
    StatusFilter.REFUSED: gettext_lazy("Rejected by us"),
}
SHORTCUTS = [
    (StatusFilter.HELD, "lock", gettext_lazy("Held")),
    (StatusFilter.WAITING, "clock", gettext_lazy("Waiting")),
    (StatusFilter.FAILED_LATELY, "warning", gettext_lazy("Failed in the last 24 h")),
]


def format_form_moment(label: Any, *, is_required: bool = False) -> forms.DateTimeField:
    """A field for a local date and time."""
    return MomentField(label=label, widget=MOMENT_INPUT, required=is_required)


class MessageFilterForm(forms.Form):
    """The filter; it stands in the address."""

    text = forms.CharField(label=gettext_lazy("Order, job or message ID"), required=False, max_length=100)
    job = forms.CharField(label=gettext_lazy("Job"), required=False, max_length=100)
    order = forms.CharField(label=gettext_lazy("Order reference"), required=False, max_length=100)
    direction = forms.ChoiceField(
        label=gettext_lazy("Direction"),
        required=False,
        choices=[
            ANY,
            (Direction.TO_SELLER.value, gettext_lazy("To the seller")),
            (Direction.FROM_SELLER.value, gettext_lazy("From the seller")),
        ],
    )
    operation = forms.ChoiceField(
        label=gettext_lazy("Type"), required=False, choices=[ANY, *OPERATIONS.items()]
    )
    status = forms.ChoiceField(
        label=gettext_lazy("Status"),
        required=False,
        choices=[ANY, *((status.value, label) for status, label in STATUSES.items())],
    )
    endpoint = forms.ChoiceField(label=gettext_lazy("Endpoint"), required=False)
    from_at = format_form_moment(gettext_lazy("From"))
    to_at = format_form_moment(gettext_lazy("To"))

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        endpoints: Any = [ANY, *((url, url) for url in settings.SELLER_ENDPOINTS)]
        self.fields["endpoint"].choices = endpoints  # type: ignore[attr-defined]


@dataclass(frozen=True)
class MessageListLine:
    """One message in the list; `pk` is there for those that may be sent again."""

    url: str
    pk: int | None
    is_to_seller: bool
    title: str
    operation: str
    job_id: str
    tone: str
    icon: str
    state: str
    happened: str
    recorded: str
    acknowledged: str
    attempts: str


@dataclass(frozen=True)
class Shortcut:
    query: str
    icon: str
    label: str
    is_current: bool


@dataclass(frozen=True)
class MessageListPage:
    form: MessageFilterForm
    lines: list[MessageListLine]
    next_query: str
    shortcuts: list[Shortcut]
    # how many are set
    filters: int
    is_first: bool


def message_list_page(asked: QueryDict) -> MessageListPage:
    """The messages that the address asks for, a page of them; a filter that cannot be read lists nothing."""
    form = MessageFilterForm(asked)
    after = Cursor.read(asked.get("after", ""))
    filters = {name: asked[name] for name in form.fields if asked.get(name)}
    found = (
        message_log.page(MessageFilter(**form.cleaned_data), after=after)
        if form.is_valid()
        else message_log.Page([], None)
    )
    return MessageListPage(
        form=form,
        lines=[message_list_line(entry) for entry in found.entries],
        next_query=urlencode({**filters, "after": str(found.following)}) if found.following else "",
        shortcuts=[
            Shortcut(
                urlencode({"status": shortcut_filter}),
                icon,
                str(label),
                filters.get("status") == shortcut_filter,
            )
            for shortcut_filter, icon, label in SHORTCUTS
        ],
        filters=len(filters),
        is_first=after is None,
    )


def message_list_line(entry: Entry) -> MessageListLine:
    message = entry.message
    tone, icon, state = message_state(message)
    times = message_log.load_times(message)
    is_ours = isinstance(message, OutboundMessage)
    return MessageListLine(
        url=message_url(message),
        pk=message.pk if is_ours else None,
        is_to_seller=is_ours,
        title=message_title(message),
        operation=message.operation,
        job_id=message.job.provider_job_id if message.job else "",
        tone=tone,
        icon=icon,
        state=state,
        happened=_at(times.happened),
        recorded=formatting.format_exact_moment(times.recorded),
        acknowledged=_at(times.acknowledged),
        attempts=_attempts(message),
    )


def message_url(message: InboundMessage | OutboundMessage) -> str:
    if isinstance(message, OutboundMessage):
        return reverse("board:message", args=[message.message_id])
    return reverse("board:inbound-message", args=[message.pk])


def message_title(message: InboundMessage | OutboundMessage) -> str:
    """What the message is about, in domain terms."""
    if isinstance(message, OutboundMessage):
        return str(message.event.get_kind_display())
    return str(OPERATIONS.get(message.operation, message.operation))


def message_state(message: InboundMessage | OutboundMessage) -> tuple[str, str, str]:
    """Its tone, icon and label."""
    if isinstance(message, InboundMessage):
        if message.outcome == InboundOutcome.ACCEPTED:
            return "good", "check", _("Accepted")
        return "alarm", "x", _("Rejected (%(status)s)") % {"status": message.response_status}
    return _outbound_state(message)


def _outbound_state(message: OutboundMessage) -> tuple[str, str, str]:
    if message.state == OutboundState.SENT and message.held_reason:
        return "warning", "warning", _("Delivered, rejected when resent")
    if message.state == OutboundState.SENT:
        return "good", "check", _("Delivered")
    if message.state == OutboundState.STOPPED:
        return "warning", "x", _("Sending stopped")
    if message.state == OutboundState.HELD:
        return "alarm", "lock", _("Held")
    if message.failures:
        return "warning", "warning", _("Failing")
    return "warning", "clock", _("Waiting")


def _at(at: datetime | None) -> str:
    return formatting.format_exact_moment(at) if at else ""


def _attempts(message: InboundMessage | OutboundMessage) -> str:
    if isinstance(message, InboundMessage):
        times = message.repeats + 1
        return _("Received %(number)s times") % {"number": times} if message.repeats else _("Received")
    return str(message.attempt_count)
