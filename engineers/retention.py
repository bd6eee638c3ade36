"""Personal data of engineers and what their phones sent: when it ends, and what stays.

A purged row keeps its id, hash, times and outcome: a phone that repeats a message is still answered as before.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from django.contrib.admin.models import LogEntry
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from engineers import staff
from engineers.audit import record_audit
from engineers.former_accounts import former_office_code
from engineers.models import Absence, AuditEntry, CalendarFeed, CheckIn, Engineer, PhoneMessage, User
from engineers.rota import write_pattern

# so many rows in one transaction: SQLite has one writer, and the seller's messages wait for it
BATCH_SIZE = 500
ALPHANUMERIC = re.compile(r"[^\W_]")
PHONE_NUMBER = re.compile(r"(?:[\s()+./-]*\d){6,}[\s()+./-]*")
FIRST_MOMENT, LAST_MOMENT = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)


def in_batches(rows: models.QuerySet[Any], work: Callable[[models.QuerySet[Any]], object]) -> int:
    """Call `work` with BATCH_SIZE of these rows at a time, each batch in a transaction of its own; how many rows.

    What became another row's kind since it was chosen (a message that is sent again) is left out: the conditions of
    `rows` are asked again under the rows' locks.
    """
    done = 0
    left = rows.order_by("pk").values_list("pk", flat=True)
    keys = list(left[:BATCH_SIZE])
    while keys:
        done += _work_locked(rows, keys, work)
        keys = list(left.filter(pk__gt=keys[-1])[:BATCH_SIZE])
    return done


def in_batches_of_their_index(
    rows: models.QuerySet[Any], work: Callable[[models.QuerySet[Any]], object], *, size: int
) -> None:
    """The same for few rows of many, found by an index of their own and not by key: `work` leaves none of them such a
    row."""
    while keys := list(rows.values_list("pk", flat=True)[:size]):
        _work_locked(rows, keys, work)


def _work_locked(
    rows: models.QuerySet[Any], keys: Collection[Any], work: Callable[[models.QuerySet[Any]], object]
) -> int:
    """In the order of keys, as everybody who locks several rows does (PostgreSQL)."""
    with transaction.atomic():
        ordered = rows.order_by("pk").values_list("pk", flat=True)
        locked = list(ordered.select_for_update(of=("self",)).filter(pk__in=keys))
        work(rows.filter(pk__in=locked))
    return len(locked)


def expired_phone_messages(before: datetime) -> models.QuerySet[PhoneMessage]:
    return PhoneMessage.objects.filter(purged_at=None, received_at__lt=before)


def purge_phone_messages(messages: models.QuerySet[PhoneMessage]) -> int:
    """Empty what the phones sent and the sentences that they were answered with; how many messages."""
    return in_batches(messages.filter(purged_at=None), _purge_phone_messages)


def _purge_phone_messages(messages: models.QuerySet[PhoneMessage]) -> None:
    for message in messages.only("answer"):
        _empty_answer(message)
    messages.update(body={}, purged_at=timezone.now())


def _empty_answer(message: PhoneMessage) -> None:
    """Outcome and rules stay: a repetition is answered as before, without names and reasons."""
    problems = message.answer.get("problems", [])
    if any(problem.get("message") for problem in problems):
        emptied = [{**problem, "message": ""} for problem in problems]
        PhoneMessage.objects.filter(pk=message.pk).update(answer={**message.answer, "problems": emptied})


def names_somebody(text: str, names: Iterable[str]) -> bool:
    """Whether a text that somebody typed has one of these as words of their own, in capitals or not; what has no letter
    and no digit is no name."""
    return any(
        re.search(rf"(?<!\w){re.escape(name.casefold())}(?!\w)", text.casefold())
        for name in map(str.strip, names)
        if ALPHANUMERIC.search(name)
    )


def replace_names(value: Any, names: Iterable[str], *, by: str, keep: Collection[str] = ()) -> Any:
    """A text, or a JSON value with all its texts, with what `names_somebody` finds replaced; `keep`: members of objects
    that stay as they are."""
    if isinstance(value, dict):
        return {
            name: part if name in keep else replace_names(part, names, by=by, keep=keep)
            for name, part in value.items()
        }
    if isinstance(value, list):
        return [replace_names(part, names, by=by, keep=keep) for part in value]
    if not isinstance(value, str):
        return value
    for name in sorted(filter(ALPHANUMERIC.search, map(str.strip, names)), key=len, reverse=True):
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        value = pattern.sub(lambda _found: by, value)
    return value


def contact_points(names: Iterable[str]) -> set[str]:
    """Telephone numbers and addresses of mail: one person's, wherever they stand."""
    return {name for name in names if "@" in name or PHONE_NUMBER.fullmatch(name.strip())}


def identifying_names(names: Iterable[str]) -> set[str]:
    """Those that name one person where they stand for one: of two words or more, and `contact_points`. A single word,
    as "Reception" for a site contact, may be about anybody, and two of a site contact may mean something else in a text
    about other jobs ("May Day")."""
    return {*contact_points(names), *filter(_is_full, names)}


def _is_full(name: str) -> bool:
    parts = [part for part in name.split() if ALPHANUMERIC.search(part)]
    return len(parts) > 1 and max(map(len, parts)) > 1


def forget_in_reasons(names_in: Callable[[AuditEntry], Collection[str]]) -> int:
    """Empty the typed reasons in the audit that name somebody; what was done and by whom stays. How many.

    `names_in`: what names these people in an entry.
    """
    typed = AuditEntry.objects.filter(after__has_key="reason")
    found = [
        entry.pk
        for entry in typed.iterator()
        if names_somebody(str((entry.after or {})["reason"]), names_in(entry))
    ]
    return in_batches(typed.filter(pk__in=found), _empty_reasons)


def _empty_reasons(entries: models.QuerySet[AuditEntry]) -> None:
    for entry in entries:
        AuditEntry.objects.filter(pk=entry.pk).update(after={**(entry.after or {}), "reason": ""})


def forget_names_in_answers(names: Collection[str], jobs: models.QuerySet[Any]) -> None:
    """Engineers' notices name who has the job now, or who closed it. `jobs` are numbers of jobs (provider_job_id)."""

    def forget(messages: models.QuerySet[PhoneMessage]) -> None:
        for message in messages.only("answer"):
            if any(name in str(message.answer) for name in names):
                _empty_answer(message)

    in_batches(PhoneMessage.objects.filter(provider_job_id__in=jobs), forget)


def expired_absences(before: datetime) -> models.QuerySet[Absence]:
    """With a reason, which may be about somebody's health."""
    return Absence.objects.filter(ends_at__lt=before).exclude(reason="")


def purge_reasons(absences: models.QuerySet[Absence]) -> int:
    """That and when somebody was absent belongs to the working record; how many."""
    return in_batches(absences, lambda some: some.update(reason=""))


def expired_check_ins(before: datetime) -> models.QuerySet[CheckIn]:
    """Who worked alone, where and when; one that is still running has no end."""
    return CheckIn.objects.filter(ended_at__lt=before)


def anonymise_engineer(engineer: Engineer, *, by: User | None) -> None:
    """Only the staff number and the working record stay; the account can never be used again.

    Raises nothing for an engineer who was anonymised before: the second time changes nothing.
    """
    purge_phone_messages(PhoneMessage.objects.filter(engineer=engineer))
    with transaction.atomic():
        _anonymise_account(engineer.user, engineer.staff_number)
        _empty_engineer(engineer)
        staff.forget_last_position(engineer)
        engineer.absences.update(reason="")
        record_audit(actor=by, action="anonymised", subject=engineer.staff_number)


def _empty_engineer(engineer: Engineer) -> None:
    engineer.phone = engineer.home_address = ""
    engineer.home_latitude = engineer.home_longitude = engineer.shares_position_since = None
    emptied = ["phone", "home_address", "home_latitude", "home_longitude", "shares_position_since"]
    engineer.save(update_fields=emptied)
    for rows in (engineer.driving_positions, engineer.push_subscriptions):
        rows.all().delete()
    # the hours of past days belong to the working record
    write_pattern(engineer, ())
    engineer.shift_exceptions.filter(day__gte=timezone.localdate()).delete()
    CalendarFeed.objects.filter(engineer=engineer).delete()


@transaction.atomic
def anonymise_office_account(user: User, *, by: User | None) -> None:
    """Only the account's number stays; it can never be used again."""
    _anonymise_account(user, str(user.pk))
    record_audit(actor=by, action="anonymised", subject=user.username)


def former_name(user: User) -> str:
    """The user name of an account that was erased."""
    return f"former-{user.engineer.staff_number}" if is_engineer(user) else former_office_code(user.pk)


def is_engineer(user: User) -> bool:
    """Or was one, before a change of role."""
    return Engineer.objects.filter(user=user).exists()


def _anonymise_account(user: User, number: str) -> None:
    former = former_name(user)
    _forget_in_records(user, former)
    user.sign_in_links.all().delete()
    # whoever comes back has a new account, which the company's account is linked to
    user.company_identities.all().delete()
    user.username, user.email = former, ""
    user.first_name, user.last_name, user.anonymised_at = "", number, timezone.now()
    user.is_active = user.is_staff = user.is_superuser = False
    user.set_unusable_password()
    names = ["username", "email", "first_name", "last_name", "password"]
    user.save(update_fields=[*names, "anonymised_at", "is_active", "is_staff", "is_superuser"])
    staff.end_access(user)


def _forget_in_records(user: User, former: str) -> None:
    """In the audit and in the record of Django's admin, also under the names that this account had before."""
    about = AuditEntry.objects.filter(is_about(user))
    about.filter(action="person_changed").update(before=None, after=None)
    about.update(subject=former)
    rows: dict[type[models.Model], object] = {User: user.pk}
    if is_engineer(user):
        rows[Engineer] = user.engineer.pk
    for model, pk in rows.items():
        entries = LogEntry.objects.filter(content_type__model=model._meta.model_name, object_id=str(pk))
        entries.filter(content_type__app_label=model._meta.app_label).update(
            object_repr=former, change_message=""
        )


def is_about(user: User) -> Q:
    """Audit lines about each name of the account while it was its own."""
    found = Q()
    for name, since, until in names_over_time(user):
        found |= Q(subject=name, recorded_at__range=(since, until))
    return found


def names_over_time(user: User) -> Iterator[tuple[str, datetime, datetime]]:
    """(user name, from, until), the present one first: before and after, somebody else may have it."""
    name, until = user.username, timezone.now()
    renames = AuditEntry.objects.filter(action="person_changed", recorded_at__gte=user.date_joined)
    for renamed in renames.order_by("-pk"):
        before, after = renamed.before or {}, renamed.after or {}
        if "username" in before and after.get("username") == name:
            yield name, renamed.recorded_at, until
            name, until = before["username"], renamed.recorded_at
    yield name, user.date_joined, until


def names_of(user: User) -> set[str]:
    """The present name and those before."""
    before = (change.before for change in _identity_changes(user) if change.before)
    return {user.display_name, *(facts["name"] for facts in before if facts.get("name"))}


def numbers_over_time(engineer: Engineer) -> Iterator[tuple[str, datetime, datetime]]:
    """(staff number, from, until), the present one first: before and after, somebody else may have it."""
    number, until = engineer.staff_number, LAST_MOMENT
    for change in _identity_changes(engineer.user):
        before, after = change.before or {}, change.after or {}
        if "staff_number" in before and after.get("staff_number") == number:
            yield number, change.recorded_at, until
            number, until = before["staff_number"], change.recorded_at
    yield number, FIRST_MOMENT, until


def _identity_changes(user: User) -> models.QuerySet[AuditEntry]:
    """The newest first (engineers.engineer_records)."""
    changes = AuditEntry.objects.filter(is_about(user), action="person_changed")
    return changes.order_by("-pk")
