"""Messages sent again together: what would go, and how far it is."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from board import formatting
from board.messages.message_list import format_form_moment
from engineers.input_values import read_number
from seller_link import replays
from seller_link.models import OutboundMessage, OutboundQuerySet, OutboundState, Replay
from seller_link.replays import Preview

MAX_RECENT = 20
# more than any outage: whoever wants everything sent again has to say so month by month
MAX_DAYS = 31


class OutageForm(forms.Form):
    """Everything between two moments that are MAX_DAYS apart at most."""

    from_at = format_form_moment(gettext_lazy("From"), is_required=True)
    to_at = format_form_moment(gettext_lazy("To"), is_required=True)

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean() or {}
        if not data.get("from_at") or not data.get("to_at"):
            return data
        if data["from_at"] > data["to_at"]:
            raise forms.ValidationError(_("The end must be after the start."))
        if data["to_at"] - data["from_at"] > timedelta(days=MAX_DAYS):
            raise forms.ValidationError(_("Choose a period of at most %(days)d days.") % {"days": MAX_DAYS})
        return data


@dataclass(frozen=True)
class SelectedMessages:
    """What somebody wants sent again: some messages, or an outage; `fields` says it in a form again."""

    messages: OutboundQuerySet
    fields: list[tuple[str, str]]
    title: str
    span: dict[str, Any]


def select_messages(query: QueryDict) -> SelectedMessages | OutageForm:
    """The form with what is wrong when it can be read as neither."""
    picked = [number for number in map(read_number, query.getlist("message")) if number is not None]
    if picked:
        messages = OutboundMessage.objects.in_scope().filter(pk__in=picked)
        return SelectedMessages(
            messages, [("message", str(number)) for number in picked], _("Selected messages"), {}
        )
    form = OutageForm(query)
    if not form.is_valid():
        return form
    span = form.cleaned_data
    title = _("All messages from %(start)s to %(end)s") % {
        "start": formatting.format_moment(span["from_at"]),
        "end": formatting.format_moment(span["to_at"]),
    }
    fields = [(name, str(query[name])) for name in ("from_at", "to_at")]
    return SelectedMessages(replays.outage_messages(**span).in_scope(), fields, title, span)


@dataclass(frozen=True)
class PreviewPage:
    """What would go; `problems` when it could not be started."""

    title: str
    preview: Preview
    span: str
    fields: list[tuple[str, str]]
    reason: str
    problems: list[str]


def preview_page(
    chosen: SelectedMessages, *, reason: str = "", problems: list[str] | None = None
) -> PreviewPage:
    preview = replays.preview_replay(chosen.messages)
    span = ""
    if preview.first_at and preview.last_at:
        span = f"{formatting.format_exact_moment(preview.first_at)} – {formatting.format_exact_moment(preview.last_at)}"
    return PreviewPage(chosen.title, preview, span, chosen.fields, reason, problems or [])


@dataclass(frozen=True)
class ReplayLine:
    pk: int
    started: str
    by: str
    reason: str


@dataclass(frozen=True)
class ReplaysPage:
    form: OutageForm
    lines: list[ReplayLine]


def replays_page(form: OutageForm | None = None) -> ReplaysPage:
    recent = Replay.objects.in_scope().select_related("by")[:MAX_RECENT]
    return ReplaysPage(form or OutageForm(), [_line(row) for row in recent])


@dataclass(frozen=True)
class ProgressPage:
    line: ReplayLine
    done: int
    total: int
    held: int
    blocked: int
    rejected: int
    is_over: bool


def progress_page(replay: Replay) -> ProgressPage:
    """`is_over` when nothing waits any more but for a person."""
    done, total = replays.replay_progress(replay)
    held = replay.messages.filter(state=OutboundState.HELD).count()
    blocked = replay.messages.all().blocked().count()
    rejected = replays.rejected_again(replay)
    stopped = replay.messages.filter(state=OutboundState.STOPPED).count()
    is_over = done + held + blocked + rejected + stopped >= total
    return ProgressPage(_line(replay), done, total, held, blocked, rejected, is_over=is_over)


def _line(replay: Replay) -> ReplayLine:
    return ReplayLine(
        replay.pk, formatting.format_exact_moment(replay.started_at), replay.by.display_name, replay.reason
    )
