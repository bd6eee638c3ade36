"""Personal data of engineers and what their phones sent: when it ends, and what stays.

A purged row keeps its id, hash, times and outcome: a phone that repeats a message is still answered as before.
"""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

from django.contrib.admin.models import LogEntry
from django.db import models, transaction
from django.db.models import Q
from django.utils import timezone

from engineers import staff
from engineers.models import Absence, AuditEntry, CalendarFeed, CheckIn, Engineer, PhoneMessage, User
from engineers.rota import write_pattern

# so many rows in one transaction: SQLite has one writer, and the seller's messages wait for it
BATCH_SIZE = 500
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
        with transaction.atomic():
            locked = list(left.select_for_update(of=("self",)).filter(pk__in=keys))
            work(rows.filter(pk__in=locked))
        done += len(locked)
        keys = list(left.filter(pk__gt=keys[-1])[:BATCH_SIZE])
    return done


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


def forget_name_in_answers(engineer: Engineer, jobs: models.QuerySet[Any]) -> None:
    """Colleagues' notices name who has the job now. `jobs` are numbers of jobs (provider_job_id)."""
    names = names_of(engineer)
    for message in PhoneMessage.objects.filter(provider_job_id__in=jobs).iterator():
        if any(name in str(message.answer) for name in names):
            _empty_answer(message)


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
        staff.record_audit(actor=by, action="anonymised", subject=engineer.staff_number)


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
    engineer.user.sign_in_links.all().delete()
    # whoever comes back has a new account, which the company's account is linked to
    engineer.user.company_identities.all().delete()
    CalendarFeed.objects.filter(engineer=engineer).delete()


def _anonymise_account(user: User, staff_number: str) -> None:
    former = f"former-{staff_number}"
    _forget_in_records(user, former)
    user.username, user.email = former, ""
    user.first_name, user.last_name, user.anonymised_at = "", staff_number, timezone.now()
    user.is_active = user.is_staff = user.is_superuser = False
    user.set_unusable_password()
    user.save()
    staff.end_access(user)


def _forget_in_records(user: User, former: str) -> None:
    """In the audit and in the record of Django's admin, also under the names that this account had before."""
    about = AuditEntry.objects.filter(_is_about(user))
    about.filter(action="person_changed").update(before=None, after=None)
    about.update(subject=former)
    rows: dict[type[models.Model], object] = {User: user.pk, Engineer: user.engineer.pk}
    for model, pk in rows.items():
        entries = LogEntry.objects.filter(content_type__model=model._meta.model_name, object_id=str(pk))
        entries.filter(content_type__app_label=model._meta.app_label).update(
            object_repr=former, change_message=""
        )


def _is_about(user: User) -> Q:
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


def names_of(engineer: Engineer) -> set[str]:
    """The present name and those before."""
    before = (change.before for change in _identity_changes(engineer) if change.before)
    return {engineer.name, *(facts["name"] for facts in before if facts.get("name"))}


def numbers_over_time(engineer: Engineer) -> Iterator[tuple[str, datetime, datetime]]:
    """(staff number, from, until), the present one first: before and after, somebody else may have it."""
    number, until = engineer.staff_number, LAST_MOMENT
    for change in _identity_changes(engineer):
        before, after = change.before or {}, change.after or {}
        if "staff_number" in before and after.get("staff_number") == number:
            yield number, change.recorded_at, until
            number, until = before["staff_number"], change.recorded_at
    yield number, FIRST_MOMENT, until


def _identity_changes(engineer: Engineer) -> models.QuerySet[AuditEntry]:
    """The newest first (engineers.engineer_records)."""
    changes = AuditEntry.objects.filter(_is_about(engineer.user), action="person_changed")
    return changes.order_by("-pk")
