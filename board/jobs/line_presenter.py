"""The line of a job on its panel and page: the newest check in colours and words, and whether another may be made."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.translation import gettext as _

from board import formatting
from dispatch.line_checks import newest_line_check
from dispatch.models import Job, LineCheck, LinePart, NodeColour
from dispatch.seller_codes import LINE_PARTS, PART_NAMES, PART_TONES, line_state_text, next_action_text
from dispatch.states import JobState, JobType
from seller_link.line_check import LineCheckReason

# of a badge: its colour, and an icon of another shape for each colour
ICONS = {"good": "check", "warning": "warning", "alarm": "x", "calm": "circle"}
NODE_TONES: dict[str, str] = {
    NodeColour.GREEN: "good",
    NodeColour.ORANGE: "warning",
    NodeColour.RED: "alarm",
}


@dataclass(frozen=True)
class LineBadge:
    """`name` is what it is about; `since` empty where nobody knows."""

    name: str
    label: str
    tone: str
    since: str = ""

    @property
    def icon(self) -> str:
        return ICONS[self.tone]


@dataclass(frozen=True)
class LineResult:
    """One check: what it means at one look, what to do next, the parts, the nodes by path, and how old it is."""

    headline: LineBadge
    code: str
    action: str
    checked: str
    parts: list[LineBadge]
    # of the worst node, and of each by its path
    load: LineBadge
    paths: list[tuple[str, list[LineBadge]]]


@dataclass(frozen=True)
class LineView:
    """`reason`: why the line can't be checked, instead of the button; empty where it can."""

    job_id: str
    reason: str
    result: LineResult | None


def build_line_view(job: Job, *, now: datetime) -> LineView | None:
    """None where there is nothing to see or do: a job that is not on site, no revisit, and was never checked."""
    newest = newest_line_check(job) if job.service_identifier else None
    is_wanted = job.is_open and (job.state == JobState.ON_SITE or job.job_type == JobType.REVISIT)
    if newest is None and not (is_wanted and settings.LINE_CHECK.is_on):
        return None
    result = _result(newest, now=now) if newest else None
    return LineView(job.provider_job_id, _reason(job, is_wanted=is_wanted), result)


def _reason(job: Job, *, is_wanted: bool) -> str:
    if not settings.LINE_CHECK.is_on:
        return str(LineCheckReason.SWITCHED_OFF.label)
    if not job.service_identifier:
        return str(LineCheckReason.NO_SERVICE.label)
    return "" if is_wanted else _("The line can be checked while the engineer is on site.")


def _result(check: LineCheck, *, now: datetime) -> LineResult:
    parts = [_part(name, getattr(check, name)) for name in LINE_PARTS]
    return LineResult(
        headline=_headline(check, parts),
        code=check.code,
        action=next_action_text(check.code, sellers_text=check.action or check.current_status),
        checked=_checked(check, now=now),
        # of a test that could not run there is nothing to show
        parts=parts if check.could_run else [],
        load=_load("", check.path_usage),
        paths=_paths(check),
    )


def _headline(check: LineCheck, parts: list[LineBadge]) -> LineBadge:
    text = line_state_text(check.code, is_down=check.is_down)
    if not check.could_run:
        return LineBadge("", text, "calm")
    if check.is_down:
        return LineBadge("", text, "alarm")
    if any(part.tone == "warning" for part in parts):
        return LineBadge("", _("Line up, check the customer's side"), "warning")
    return LineBadge("", text, "good")


def _part(name: str, part: LinePart) -> LineBadge:
    label = str(LINE_PARTS[name](part.state).label)
    return LineBadge(
        str(PART_NAMES[name]), label, PART_TONES.get((name, part.state), "calm"), _since(name, part)
    )


def _since(name: str, part: LinePart) -> str:
    if part.last_event_at is None:
        return ""
    at = formatting.format_moment(part.last_event_at)
    if not part.changed_from:
        return _("since %(at)s") % {"at": at}
    before = LINE_PARTS[name](part.changed_from).label
    return _("since %(at)s, before: %(state)s") % {"at": at, "state": before}


def _checked(check: LineCheck, *, now: datetime) -> str:
    """Exact, with the age beside it."""
    parameters = {
        "at": formatting.format_exact_moment(check.checked_at),
        "who": check.by.display_name if check.by else "",
        "minutes": max(0, int((now - check.checked_at).total_seconds() // 60)),
    }
    if check.by:
        return _("Checked %(at)s by %(who)s, %(minutes)d min ago") % parameters
    return _("Checked %(at)s, %(minutes)d min ago") % parameters


def _paths(check: LineCheck) -> list[tuple[str, list[LineBadge]]]:
    titles = {"local": _("Local path"), "national": _("National path")}
    return [
        (title, nodes)
        for path, title in titles.items()
        if (nodes := [_load(node["name"], node["colour"]) for node in check.nodes if node["path"] == path])
    ]


def _load(name: str, colour: str) -> LineBadge:
    return LineBadge(name, str(NodeColour(colour).label), NODE_TONES.get(colour, "calm"))
