"""The Attention list: alarms as text, what each kind means and what to do about it (more in docs/operating.md), and the
engineers who have not checked in (check_in_presenter.py)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, F, When
from django.utils import timezone
from django.utils.translation import gettext as _

from board import formatting
from board.alarms.alarm_links import alarm_links, job_id_of, named_links
from board.alarms.visible_alarms import visible_alarms
from board.links import Link
from dispatch.models import Job
from engineers.current_scope import current_scope
from monitoring import alarms
from monitoring.alarm_facts import AlarmKindFacts, AlarmSubject
from monitoring.alarm_kinds import (
    ALARM_KINDS,
    JOB_KINDS,
    alarm_kind_facts,
)
from monitoring.models import Alarm, AlarmKind

READABLE_SUBJECTS = frozenset({AlarmSubject.JOB, AlarmSubject.ENGINEER, AlarmSubject.NAME})


@dataclass(frozen=True)
class AttentionText:
    """What nobody takes care of yet, in a row head and in a card's tooltip; `short` on the card."""

    title: str
    short: str


@dataclass(frozen=True)
class AlarmLine:
    """`names` are what `text` names, `links` what to open beside it. `handled` says who takes care of it or until when
    it is snoozed; `is_unhandled` makes it loud."""

    pk: int
    title: str
    subject: str
    job_id: str
    links: list[Link]
    text: str
    names: tuple[Link, ...]
    what_to_do: str
    since: str
    since_time: str
    until: str
    handled: str
    is_unhandled: bool
    can_dismiss: bool
    is_held_message: bool = False
    is_check_in: bool = False

    @property
    def entry(self) -> str:
        """Its name on every page."""
        return f"{'check-in' if self.is_check_in else 'alarm'}-{self.pk}"


def read_open_alarms(most: int | None = None) -> list[Alarm]:
    """What nobody handles yet first, single late jobs and coming days last, the newest first; one query. Those that
    another one stands for are at the end, for the cards of their jobs. Engineers who have not checked in are entries
    of their own (check_in_presenter.py)."""
    ranked = [When(kind=kind, then=facts.rank) for kind, facts in ALARM_KINDS.items() if facts.rank]
    rank = Case(*ranked, default=0)
    handled = F("acknowledged_at").asc(nulls_first=True)
    found = alarms.open_alarms().exclude(kind=AlarmKind.CHECK_IN_OVERDUE).select_related("owner")
    found = found.annotate(is_grouped=alarms.is_grouped()).order_by("is_grouped", handled, rank, "-raised_at")
    return visible_alarms(found)[:most] if current_scope().is_limited else list(found[:most])


def build_attention_list(found: Iterable[Alarm]) -> list[AlarmLine]:
    """Of alarms as `read_open_alarms` gives them; what is snoozed comes after what is not."""
    listed = (alarm for alarm in found if not getattr(alarm, "is_grouped", False))
    return sorted(map(alarm_line, listed), key=lambda line: not line.is_unhandled)


def list_job_alarms(job: Job) -> list[AlarmLine]:
    """What is open about one job, the newest first; one query."""
    found = alarms.open_alarms().filter(kind__in=JOB_KINDS, subject=job.provider_job_id)
    return [alarm_line(alarm) for alarm in found.select_related("owner").order_by("-raised_at")]


def unhandled_subjects(found: Iterable[Alarm], *, now: datetime, is_today: bool) -> dict[str, AttentionText]:
    """By the number of a job, and today of an engineer: the oldest that nobody takes care of yet."""
    subjects = {AlarmSubject.JOB, AlarmSubject.ENGINEER} if is_today else {AlarmSubject.JOB}
    return {
        alarm.subject: _attention_text(alarm_kind_facts(alarm.kind))
        for alarm in sorted(found, key=lambda alarm: alarm.raised_at, reverse=True)
        if alarm_kind_facts(alarm.kind).subject in subjects and alarms.is_unhandled(alarm, now=now)
    }


def _attention_text(kind: AlarmKindFacts) -> AttentionText:
    return AttentionText(str(kind.title), kind.card_title)


def _handled(alarm: Alarm, *, is_unhandled: bool) -> str:
    who = alarm.owner.display_name if alarm.owner else ""
    if alarm.acknowledged_at:
        return _("%(who)s is handling this since %(at)s") % {
            "who": who,
            "at": formatting.format_recent_moment(alarm.acknowledged_at),
        }
    if alarm.snoozed_until and not is_unhandled:
        return _("%(who)s snoozed this until %(at)s") % {
            "who": who,
            "at": formatting.format_recent_moment(alarm.snoozed_until),
        }
    return ""


def alarm_line(alarm: Alarm) -> AlarmLine:
    is_unhandled = alarms.is_unhandled(alarm, now=timezone.now())
    kind = alarm_kind_facts(alarm.kind)
    return AlarmLine(
        pk=alarm.pk,
        title=str(kind.title),
        job_id=job_id_of(alarm),
        links=alarm_links(alarm),
        subject=alarm.subject if kind.subject in READABLE_SUBJECTS else "",
        text=str(alarms.text_of(alarm)),
        names=named_links(alarm),
        what_to_do=str(kind.remedy),
        since=formatting.format_exact_moment(alarm.raised_at),
        since_time=formatting.format_recent_moment(alarm.raised_at),
        until=formatting.format_exact_moment(alarm.cleared_at) if alarm.cleared_at else "",
        handled=_handled(alarm, is_unhandled=is_unhandled),
        is_unhandled=is_unhandled,
        can_dismiss=kind.is_dismissible,
        is_held_message=alarm.kind == AlarmKind.MESSAGE_HELD,
    )
