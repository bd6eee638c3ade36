"""Personal data in messages from and to the seller: when it ends, and what stays.

Bodies are masked as on the board. Id, hash, times, answer and attempts stay: a message that comes again is still the
same one, and a masked one of ours can never be sent again.
"""

import json
from collections.abc import Collection, Iterable
from datetime import UTC, datetime
from functools import partial
from typing import Any

from django.db import models
from django.db.models import Exists, F, Max, OuterRef, Q, Sum
from django.utils import timezone

from dispatch.models import Job
from dispatch.retention import jobs_of_engineer
from dispatch.states import ENDED_STATES
from engineers.input_values import write_json
from engineers.models import AuditEntry, Engineer
from engineers.retention import (
    forget_in_reasons,
    identifying_names,
    in_batches,
    names_of,
    names_somebody,
    numbers_over_time,
    replace_names,
)
from monitoring.alarms import replace_parameters
from monitoring.models import Alarm
from seller_link.message_log import mask_personal_data
from seller_link.models import (
    SETTLED_STATES,
    DeliveryAttempt,
    InboundMessage,
    OutboundMessage,
    RejectedCaller,
    Replay,
)

Inbound = models.QuerySet[InboundMessage]
Outbound = models.QuerySet[OutboundMessage]


def expired_inbound(before: datetime) -> Inbound:
    """What arrived before that moment about ended jobs, or about no job at all."""
    ended = Q(job=None) | Q(job__state__in=ENDED_STATES)
    return InboundMessage.objects.filter(ended, purged_at=None, received_at__lt=before)


def expired_outbound(before: datetime) -> Outbound:
    """What is settled and was written before that moment, about ended jobs."""
    return OutboundMessage.objects.filter(
        purged_at=None, state__in=SETTLED_STATES, created_at__lt=before, job__state__in=ENDED_STATES
    )


def inbound_of(jobs: models.QuerySet[Job], mentioning: Iterable[str] = ()) -> Inbound:
    """Messages about these jobs, and refused ones that belong to no job and contain one of these texts."""
    found = Q(job__in=jobs)
    for text in filter(None, mentioning):
        found |= Q(job=None, body__icontains=text)
    return InboundMessage.objects.filter(found, purged_at=None)


def mask_inbound(messages: Inbound) -> int:
    """How many messages."""
    return in_batches(messages.filter(purged_at=None), _mask_inbound)


def _mask_inbound(messages: Inbound) -> None:
    for message in messages:
        body = write_json(mask_personal_data(message.body))
        messages.filter(pk=message.pk).update(body=body, purged_at=timezone.now())


def mask_outbound(messages: Outbound) -> int:
    """How many messages. What was not delivered yet must not be among them."""
    return in_batches(messages.filter(state__in=SETTLED_STATES, purged_at=None), _mask_outbound)


def _mask_outbound(messages: Outbound) -> None:
    chosen = list(messages)
    DeliveryAttempt.objects.filter(message__in=chosen).exclude(response="").update(response="")
    for message in chosen:
        before = mask_personal_data(message.body_before) if message.body_before else None
        messages.filter(pk=message.pk).update(
            body=mask_personal_data(message.body),
            body_before=before,
            held_reason="",
            purged_at=timezone.now(),
        )


def outbound_of(jobs: models.QuerySet[Job]) -> Outbound:
    return OutboundMessage.objects.filter(purged_at=None, job__in=jobs)


def of_engineer(engineer: Engineer) -> Outbound:
    """Messages of this engineer's jobs that name the engineer, also before a correction."""
    named = Q()
    for number, since, until in numbers_over_time(engineer):
        has_number = Q(body__engineer__id=number) | Q(body_before__engineer__id=number)
        named |= has_number & Q(created_at__range=(since, until))
    return outbound_of(jobs_of_engineer(engineer)).filter(named)


def undelivered(messages: Outbound) -> list[str]:
    """Numbers of the jobs of those that are still to be sent."""
    unsent = messages.exclude(state__in=SETTLED_STATES).order_by("job__provider_job_id")
    return list(dict.fromkeys(unsent.values_list("job__provider_job_id", flat=True)))


def has_undelivered(*, job: str) -> Exists:
    """For a filter of rows whose column `job` is a job."""
    return Exists(OutboundMessage.objects.unsent().filter(job=OuterRef(job)))


def expired_callers(before: datetime) -> models.QuerySet[RejectedCaller]:
    """Of days before the one of that moment (UTC), with the name of a certificate or an address."""
    days = RejectedCaller.objects.filter(day__lt=before.astimezone(UTC).date())
    return days.exclude(subject="", address="")


def merge_callers(callers: models.QuerySet[RejectedCaller]) -> int:
    """Into one row without a name for each cause and day; how many. Not deleted: link_rejected_callers_total, which
    must never fall, is their sum."""
    return in_batches(callers, _merge_callers)


def _merge_callers(callers: models.QuerySet[RejectedCaller]) -> None:
    same = callers.order_by().values("cause", "day")
    for total in same.annotate(number=Sum("count"), newest=Max("last_at")):
        unnamed, _is_new = RejectedCaller.objects.get_or_create(
            **{"cause": total["cause"], "day": total["day"], "subject": "", "address": ""},
            defaults={"last_at": total["newest"]},
        )
        RejectedCaller.objects.filter(pk=unnamed.pk).update(count=F("count") + total["number"])
    callers.delete()


def expired_replays(before: datetime) -> models.QuerySet[Replay]:
    """With a reason, which somebody typed."""
    return Replay.objects.filter(started_at__lt=before).exclude(reason="")


def purge_reasons(replays: models.QuerySet[Replay]) -> int:
    """Who had what sent again, and when, stays; how many."""
    return in_batches(replays, lambda some: some.update(reason=""))


def forget_in_replays(
    names: Collection[str], *, jobs: models.QuerySet[Job], elsewhere: Collection[str]
) -> int:
    """Empty the reasons that name somebody, also in the audit; how many. `jobs` are these people's: a single word is a
    name only in a reason for messages of theirs, and where no message is of theirs, only what is in `elsewhere` is
    one."""
    own, foreign = _replays_of(jobs)
    numbers = set(jobs.values_list("provider_job_id", flat=True))
    identifying = identifying_names(names)

    def names_in(replay: int) -> Collection[str]:
        if replay in own:
            return names
        return elsewhere if replay in foreign else identifying

    def names_in_entry(entry: AuditEntry) -> Collection[str]:
        # a message that was sent again alone stands in the subject, with its job
        if entry.subject.split(" ")[-1] in numbers:
            return names
        replay = (entry.after or {}).get("replay")
        return elsewhere if replay is None else names_in(replay)

    found = [
        replay.pk for replay in Replay.objects.all() if names_somebody(replay.reason, names_in(replay.pk))
    ]
    emptied = purge_reasons(Replay.objects.filter(pk__in=found))
    return emptied + forget_in_reasons(names_in_entry)


def _replays_of(jobs: models.QuerySet[Job]) -> tuple[set[int], set[int]]:
    """Those with messages about these jobs only, and those with messages about others only. One whose messages were all
    sent again since is neither: what it was about nobody knows."""
    messages = OutboundMessage.objects.filter(replay=OuterRef("pk"))
    is_theirs, is_others = Exists(messages.filter(job__in=jobs)), Exists(messages.exclude(job__in=jobs))
    replays = Replay.objects.order_by()
    own = replays.filter(is_theirs, ~is_others).values_list("pk", flat=True)
    foreign = replays.filter(is_others, ~is_theirs).values_list("pk", flat=True)
    return set(own), set(foreign)


def expired_alarms(before: datetime) -> models.QuerySet[Alarm]:
    return Alarm.objects.filter(cleared_at__lt=before)


def empty_alarms(jobs: models.QuerySet[Job]) -> int:
    """Their texts name people, streets and telephone numbers; that there was an alarm, and when, stays."""
    about = Alarm.objects.filter(subject__in=jobs.values("provider_job_id")).exclude(parameters={})
    return in_batches(about, lambda some: replace_parameters(some, {}))


def forget_engineer(engineer: Engineer) -> None:
    """In delivered messages, in what the seller wrote and in alarms; an open alarm of a job that goes on keeps what it
    says of others."""
    mask_outbound(of_engineer(engineer))
    _forget_in_sentences(engineer)
    for number, since, until in numbers_over_time(engineer):
        replace_parameters(Alarm.objects.filter(subject=number, raised_at__range=(since, until)), {})
    jobs, names = jobs_of_engineer(engineer), names_of(engineer.user)
    empty_alarms(jobs.filter(state__in=ENDED_STATES))

    def forget(alarms: models.QuerySet[Alarm]) -> None:
        for alarm in alarms:
            remaining = {name: _without(engineer, names, value) for name, value in alarm.parameters.items()}
            replace_parameters(alarms.filter(pk=alarm.pk), remaining)

    in_batches(Alarm.objects.filter(subject__in=jobs.open().values("provider_job_id")), forget)


def _forget_in_sentences(engineer: Engineer) -> None:
    """Of the seller, about this engineer's jobs: a message that has the full name is masked as it will be at its end,
    in answers to ours the staff number is left."""
    jobs, names = jobs_of_engineer(engineer), identifying_names(names_of(engineer.user))
    # JSON may have numbers for letters with accents
    names |= {json.dumps(name)[1:-1] for name in names}
    received = InboundMessage.objects.filter(purged_at=None, job__in=jobs).values_list("pk", "body")
    found = [pk for pk, body in received.iterator() if names_somebody(body, names)]
    mask_inbound(InboundMessage.objects.filter(pk__in=found))
    answered: list[tuple[models.QuerySet[Any], str]] = [
        (OutboundMessage.objects.filter(job__in=jobs), "held_reason"),
        (DeliveryAttempt.objects.filter(message__job__in=jobs), "response"),
    ]
    for rows, column in answered:
        replace = partial(_replace_in, column=column, names=names, by=engineer.staff_number)
        in_batches(rows.exclude(**{column: ""}), replace)


def _replace_in(rows: models.QuerySet[Any], *, column: str, names: Iterable[str], by: str) -> None:
    for pk, text in rows.values_list("pk", column):
        remaining = replace_names(text, names, by=by)
        if remaining != text:
            rows.filter(pk=pk).update(**{column: remaining})


def _without(engineer: Engineer, names: Iterable[str], value: Any) -> Any:
    if not isinstance(value, str):
        return value
    for name in sorted(names, key=len, reverse=True):
        value = value.replace(name, engineer.staff_number)
    return value.replace(engineer.phone, engineer.staff_number) if engineer.phone else value
