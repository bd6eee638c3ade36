"""Erase one person on request: a customer, an engineer or somebody of the office who has left (docs/operating.md,
Personal data)."""

from collections.abc import Iterator

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

import closures.retention
import customer_messages.retention
import dispatch.retention
import engineers.retention
import seller_link.retention
from alerting import delivery_records
from board.models import SavedFilter
from closures import evidence_packs
from closures.models import EvidencePack
from closures.photos import unfinished_files
from dispatch.models import Job, JobQuerySet, Visit, national_number
from dispatch.problems import ActionRefused, Problem
from dispatch.teams import lock_engineers
from engineers import staff
from engineers.audit import record_audit
from engineers.models import Engineer, PhoneMessage, User
from engineers.sign_in import second_factor
from seller_link.models import OutboundMessage


class PersonNotFound(ActionRefused):
    """Nobody and nothing matches; nothing has changed."""


class JobStillOpen(ActionRefused):
    """A job of this person is still to be done; nothing has changed."""


class AccountActive(ActionRefused):
    """Somebody may still sign in with this account; nothing has changed."""


class AlarmContactLeft(ActionRefused):
    """Alarms are still sent to this person; nothing has changed."""


class MessagesUndelivered(ActionRefused):
    """The seller does not have every message about this person's jobs yet; nothing has changed."""


def jobs_of_customer(contact: str) -> JobQuerySet:
    """Jobs whose site contact has this telephone number, however it is written, or e-mail address, or the job with this
    number.

    A name is not enough: two people may share it. Raises PersonNotFound.
    """
    found = Q(contact_email__iexact=contact.strip()) | Q(provider_job_id=contact.strip().upper())
    wanted = national_number(contact)
    if wanted:
        phones = Job.objects.exclude(contact_phone="").values_list("pk", "contact_phone")
        found |= Q(pk__in=[pk for pk, phone in phones if national_number(phone) == wanted])
    jobs = Job.objects.filter(found) if contact.strip() else Job.objects.none()
    if not jobs.exists():
        sentence = _("No job has this phone number, e-mail address or job number.")
        raise PersonNotFound([Problem("person_not_found", "customer", sentence)])
    return jobs


def erase_customer(contact: str, *, by: User | None = None) -> dict[str, int]:
    """Anonymise everything about the site contact of these jobs; class of data to number of rows.

    Work photos, choices, measurements, ids, order references and times stay: the seller must be able to prove them.
    Raises PersonNotFound, JobStillOpen while one of the jobs is still to be done, and MessagesUndelivered; after
    PacksNotDeleted or PhotosNotDeleted it is to be done again.
    """
    jobs = jobs_of_customer(contact)
    still_open = list(jobs.open().values_list("provider_job_id", flat=True))
    if still_open:
        sentence = _("Close or cancel these jobs first: %(jobs)s.") % {"jobs": ", ".join(still_open)}
        raise JobStillOpen([Problem("job_still_open", "customer", sentence)])
    numbers = list(jobs.values_list("provider_job_id", flat=True))
    remaining = Job.objects.filter(provider_job_id__in=numbers)
    _refuse_undelivered(seller_link.retention.outbound_of(remaining), where="customer")
    texts = _identifying_texts(remaining, contact.strip())
    names = {contact, *_contacts(remaining)}
    points = engineers.retention.contact_points(names)
    identifying = engineers.retention.identifying_names(names)
    counts = {
        # copies of all the rest; one that is just being made goes with its row
        "evidence packs": evidence_packs.delete_packs(EvidencePack.objects.filter(job__in=remaining)),
        "signatures": closures.retention.purge_photos(closures.retention.list_signatures(remaining)),
        **_empty_what_arrives(remaining, numbers, texts),
        "messages to the seller": seller_link.retention.mask_outbound(
            seller_link.retention.outbound_of(remaining)
        ),
        "customer messages": customer_messages.retention.purge_messages(
            customer_messages.retention.messages_of(remaining)
        ),
        "saved filters": _filters_about({*identifying, *numbers}).delete()[0],
        "typed reasons": seller_link.retention.forget_in_replays(names, jobs=remaining, elsewhere=points),
        "provisioning results": dispatch.retention.forget_in_results(remaining, names),
        "answers and remarks": closures.retention.anonymise_answers(remaining),
        "drives": dispatch.retention.delete_drives(remaining),
        "job packs": dispatch.retention.anonymise_jobs(remaining),
    }
    for job in remaining.only("provider_job_id"):
        unfinished_files.purge_of_job(job)
    # what has come while the rest was erased; what comes now, into an anonymised job, goes in its own time
    for name, number in _empty_what_arrives(remaining, numbers, texts).items():
        counts[name] += number
    record_audit(actor=by, action="erased_customer", subject=f"{len(numbers)} jobs", after={"jobs": numbers})
    return counts


def _empty_what_arrives(jobs: JobQuerySet, numbers: list[str], texts: set[str]) -> dict[str, int]:
    """What the seller, a phone or a check may write at any time."""
    from_seller = seller_link.retention.inbound_of(jobs, mentioning=texts)
    from_phones = PhoneMessage.objects.filter(provider_job_id__in=numbers)
    return {
        "messages from the seller": seller_link.retention.mask_inbound(from_seller),
        "phone messages": engineers.retention.purge_phone_messages(from_phones),
        "alarms": seller_link.retention.empty_alarms(jobs),
    }


def _filters_about(names: set[str]) -> QuerySet[SavedFilter]:
    """Those whose name or typed text has one of these names as words of their own, in capitals or not."""
    found = [
        saved.pk
        for saved in SavedFilter.objects.all()
        if engineers.retention.names_somebody(f"{saved.name}\n{saved.text}", names)
    ]
    return SavedFilter.objects.filter(pk__in=found)


def _contacts(jobs: QuerySet[Job]) -> Iterator[str]:
    """Names, telephone numbers and addresses of mail that somebody may have typed."""
    for row in jobs.values_list("contact_name", "contact_phone", "contact_email"):
        yield from filter(None, row)


def _identifying_texts(jobs: QuerySet[Job], contact: str) -> set[str]:
    """Texts that only a refused message about these jobs or this contact would contain: a number of a job as a whole
    value, since the seller's may be as short as "12", and no phone number that is none ("-")."""
    points = {contact, *(text for row in jobs.values_list("contact_phone", "contact_email") for text in row)}
    numbers = (text for row in jobs.values_list("seller_job_id", "provider_job_id") for text in row)
    return {*engineers.retention.contact_points(points), *(f'"{number}"' for number in numbers)}


def _refuse_undelivered(messages: QuerySet[OutboundMessage], *, where: str) -> None:
    jobs = seller_link.retention.undelivered(messages)
    if jobs:
        sentence = _(
            "The seller has not received all messages for these jobs: %(jobs)s. Wait until they "
            "are delivered. Correct any that the seller rejected, or stop sending them."
        )
        raise MessagesUndelivered(
            [Problem("messages_undelivered", where, sentence % {"jobs": ", ".join(jobs)})]
        )


def engineer_of(staff_number: str) -> Engineer:
    """Raises PersonNotFound."""
    engineer = Engineer.objects.filter(staff_number=staff_number.strip()).select_related("user").first()
    if engineer is None:
        sentence = _("No engineer has the staff number %(number)s.") % {"number": staff_number}
        raise PersonNotFound([Problem("person_not_found", "engineer", sentence)])
    return engineer


def erase_engineer(staff_number: str, *, by: User | None = None) -> None:
    """Anonymise an engineer who has left; what was done and when stays under the staff number.

    Raises PersonNotFound, JobStillOpen while the engineer has a job to do, MessagesUndelivered, and AlarmContactLeft;
    after PacksNotDeleted it is to be done again. The account of an engineer who gets a job at this very moment is
    suspended by then.
    """
    engineer = engineer_of(staff_number)
    _refuse_current_visits(engineer)
    _refuse_undelivered(seller_link.retention.of_engineer(engineer), where="engineer")
    names = engineers.retention.names_of(engineer.user)
    texts = {*names, *filter(None, [engineer.user.email, engineer.phone])}
    _refuse_alarm_contacts(texts, where="engineer")
    _end_work(engineer, by=by)
    identifying = engineers.retention.identifying_names(texts)
    jobs = dispatch.retention.jobs_of_engineer(engineer)
    evidence_packs.delete_packs(EvidencePack.objects.filter(job__in=jobs))
    SavedFilter.objects.filter(user=engineer.user).delete()
    _filters_about(identifying).delete()
    seller_link.retention.forget_in_replays(texts, jobs=jobs, elsewhere=identifying)
    delivery_records.forget_contact(texts, former=engineers.retention.former_name(engineer.user))
    dispatch.retention.forget_engineer(engineer)
    dispatch.retention.forget_in_results(jobs, names)
    dispatch.retention.forget_positions(engineer)
    closures.retention.forget_engineer_name(engineer)
    # and what was done after a change to the office
    closed = dispatch.retention.jobs_of_account(engineer.user)
    closures.retention.forget_office_names(names, closed, former=engineer.staff_number)
    dispatch.retention.forget_office_names(names, former=engineer.staff_number)
    closures.retention.forget_positions(engineer)
    seller_link.retention.forget_engineer(engineer)
    engineers.retention.forget_names_in_answers(names, jobs.values("provider_job_id"))
    _forget_sign_ins(engineer.user)
    second_factor.reset(user=engineer.user, by=by)
    engineers.retention.anonymise_engineer(engineer, by=by)


def _refuse_current_visits(engineer: Engineer) -> None:
    current = Visit.objects.current().attended_by([engineer]).values_list("job__provider_job_id", flat=True)
    if current:
        sentence = _("Reassign these jobs first: %(jobs)s.") % {"jobs": ", ".join(current)}
        raise JobStillOpen([Problem("job_still_open", "engineer", sentence)])


def _end_work(engineer: Engineer, *, by: User | None) -> None:
    """From now on nobody assigns a job to the engineer, and no phone adds to what is erased.

    Suspended in a transaction of its own: whoever assigns a job and waits for the engineer's lock reads the account
    as it was before the wait (PostgreSQL). So those who may have read it active are over once the lock is ours.
    """
    if engineer.user.is_active:
        staff.suspend(user=engineer.user, by=by)
    with transaction.atomic():
        lock_engineers([engineer.pk])
        _refuse_current_visits(engineer)
    _refuse_undelivered(seller_link.retention.of_engineer(engineer), where="engineer")


def account_of(username: str) -> User:
    """Of the office. Raises PersonNotFound, also for an engineer: the staff number finds more."""
    user = User.objects.filter(username=username.strip()).first()
    if user is None or engineers.retention.is_engineer(user):
        sentence = _("No office account has the user name %(name)s.") % {"name": username}
        raise PersonNotFound([Problem("person_not_found", "account", sentence)])
    return user


def erase_account(username: str, *, by: User | None = None) -> None:
    """Anonymise somebody of the office who has left; what was done and when stays under the account's number.

    Raises PersonNotFound, AccountActive, and AlarmContactLeft.
    """
    user = account_of(username)
    if user.is_active:
        sentence = _("Suspend the account %(name)s first.") % {"name": user.username}
        raise AccountActive([Problem("account_active", "account", sentence)])
    names, jobs = engineers.retention.names_of(user), dispatch.retention.jobs_of_account(user)
    contact_texts = {*names, *filter(None, [user.email])}
    _refuse_alarm_contacts(contact_texts, where="account")
    former = engineers.retention.former_name(user)
    SavedFilter.objects.filter(user=user).delete()
    identifying = engineers.retention.identifying_names(names)
    _filters_about(identifying).delete()
    seller_link.retention.forget_in_replays(names, jobs=Job.objects.none(), elsewhere=identifying)
    delivery_records.forget_contact(contact_texts, former=former)
    closures.retention.forget_office_names(names, jobs, former=former)
    dispatch.retention.forget_office_names(names, former=former)
    engineers.retention.forget_names_in_answers(names, jobs.values("provider_job_id"))
    _forget_sign_ins(user)
    second_factor.reset(user=user, by=by)
    engineers.retention.anonymise_office_account(user, by=by)


def _refuse_alarm_contacts(texts: set[str], *, where: str) -> None:
    """Not deleted here: somebody has to decide who gets the alarms."""
    left = delivery_records.contacts_of(texts).values_list("name", flat=True)
    if left:
        sentence = _("Change or delete these alarm contacts first: %(names)s.") % {"names": ", ".join(left)}
        raise AlarmContactLeft([Problem("alarm_contact_left", where, sentence)])


def _forget_sign_ins(user: User) -> None:
    """Under every name that the account had, in capitals or not; of a name that somebody else has now, only those of
    the time before."""
    for name, since, until in engineers.retention.names_over_time(user):
        named = Q(username__iexact=name)
        if User.objects.exclude(pk=user.pk).filter(named).exists():
            named &= Q(attempt_time__range=(since, until))
        for log in (AccessAttempt, AccessFailureLog, AccessLog):
            log.objects.filter(named).delete()
