"""What closed jobs and ended drives have taught, beside what is expected without it."""

from dataclasses import dataclass

from django.db.models import F, QuerySet
from django.utils.translation import gettext as _

from board import formatting
from dispatch.flag_rules import FlagRules, load_flag_rules, planned_minutes
from dispatch.models import DriveCorrection, LearnedLength
from dispatch.states import DEFAULT_MINUTES, JobType


@dataclass(frozen=True)
class LearnedLine:
    """`kind` and `pk`: what a press switches on or off."""

    kind: str
    pk: int
    about: str
    default: str
    learned: str
    range: str
    learned_from: int
    is_used: bool


@dataclass(frozen=True)
class LearnedTable:
    title: str
    explanation: str
    lines: list[LearnedLine]
    has_range: bool = False


@dataclass(frozen=True)
class LearnedPage:
    tables: list[LearnedTable]
    learned_at: str
    can_change: bool


def learned_page(*, can_change: bool) -> LearnedPage:
    """Three queries, however much there is."""
    rules = load_flag_rules()
    lengths, drives = list(LearnedLength.objects.all()), list(_drives())
    moments = [row.learned_at for row in lengths] + [row.learned_at for row in drives]
    return LearnedPage(
        tables=[
            LearnedTable(
                _("Job lengths"),
                _(
                    "Used for new jobs for which the seller gives no length: the length within which three of four "
                    "closed jobs were finished."
                ),
                [_length_line(row, rules) for row in lengths],
                has_range=True,
            ),
            LearnedTable(
                _("Drives"),
                _("How long real drives took, from “On my way” to “I'm on site”, against what was expected."),
                [_drive_line(row) for row in drives],
            ),
        ],
        learned_at=formatting.format_exact_moment(max(moments)) if moments else "",
        can_change=can_change,
    )


def _drives() -> QuerySet[DriveCorrection]:
    """Over all hours first, as both databases must be told."""
    return DriveCorrection.objects.order_by("source", F("hour").asc(nulls_first=True))


def _length_line(row: LearnedLength, rules: FlagRules) -> LearnedLine:
    default = DEFAULT_MINUTES[JobType(row.job_type)]
    default += sum(rule.extra_minutes for rule in rules.rules_of([row.flag]))
    about = [row.get_job_type_display(), row.product, row.flag]
    first, *_middle, last = row.minutes
    return LearnedLine(
        kind="length",
        pk=row.pk,
        about=" · ".join(filter(None, about)),
        default=_minutes(default),
        learned=_minutes(planned_minutes(row)),
        range=_("%(first)d to %(last)d min") % {"first": first, "last": last},
        learned_from=row.learned_from,
        is_used=row.is_used,
    )


def _drive_line(row: DriveCorrection) -> LearnedLine:
    hours = _("all hours") if row.hour is None else f"{row.hour:02}:00–{(row.hour + 1) % 24:02}:00"
    return LearnedLine(
        kind="drive",
        pk=row.pk,
        about=f"{row.get_source_display()} · {hours}",
        default="100 %",
        learned=f"{round(100 * row.factor)} %",
        range="",
        learned_from=row.learned_from,
        is_used=row.is_used,
    )


def _minutes(minutes: int) -> str:
    return _("%(minutes)d min") % {"minutes": minutes}
