"""Erase one person on request: a customer or an engineer who has left (docs/operating.md, Personal data)."""

from axes.models import AccessAttempt, AccessFailureLog, AccessLog
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

import closures.retention
import customer_messages.retention
import dispatch.retention
import engineers.retention
import seller_link.retention
from board.models import SavedFilter
from closures import evidence_packs
from closures.models import EvidencePack
from dispatch.models import Job, JobQuerySet, Visit, national_number
from dispatch.problems import ActionRefused, Problem
from engineers import staff
from engineers.models import Engineer, PhoneMessage, User
from engineers.sign_in import second_factor
from seller_link.models import OutboundMessage


class PersonNotFound(ActionRefused):
    """Nobody and nothing matches; nothing has changed."""


class JobStillOpen(ActionRefused):
    """A job of this person is still to be done; nothing has changed."""


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
        sentence = _("No job has this telephone number, e-mail address or job number.")
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
    phone_messages = PhoneMessage.objects.filter(provider_job_id__in=numbers)
    texts = _identifying_texts(remaining, contact.strip())
    names = {contact, *remaining.values_list("contact_name", flat=True)}
    counts = {
        # copies of all the rest; one that is just being made goes with its row
        "evidence packs": evidence_packs.delete_packs(EvidencePack.objects.filter(job__in=remaining)),
        "signatures": closures.retention.purge_photos(closures.retention.list_signatures(remaining)),
        "messages from the seller": seller_link.retention.mask_inbound(
            seller_link.retention.inbound_of(remaining, mentioning=texts)
        ),
        "messages to the seller": seller_link.retention.mask_outbound(
            seller_link.retention.outbound_of(remaining)
        ),
        "phone messages": engineers.retention.purge_phone_messages(phone_messages),
        "alarms": seller_link.retention.empty_alarms(remaining),
        "customer messages": customer_messages.retention.purge_messages(
            customer_messages.retention.messages_of(remaining)
        ),
        "saved filters": SavedFilter.objects.about(names).delete()[0],
        "answers and remarks": closures.retention.anonymise_answers(remaining),
        "drives": dispatch.retention.delete_drives(remaining),
        "job packs": dispatch.retention.anonymise_jobs(remaining),
    }
    staff.record_audit(
        actor=by, action="erased_customer", subject=f"{len(numbers)} jobs", after={"jobs": numbers}
    )
    return counts


def _identifying_texts(jobs: QuerySet[Job], contact: str) -> set[str]:
    """Texts that a refused message about these jobs or this contact would contain."""
    columns = jobs.values_list("contact_phone", "contact_email", "seller_job_id", "provider_job_id")
    return {contact, *(text for row in columns for text in row)}


def _refuse_undelivered(messages: QuerySet[OutboundMessage], *, where: str) -> None:
    jobs = seller_link.retention.undelivered(messages)
    if jobs:
        sentence = _(
            "The seller has not received all messages for these jobs: %(jobs)s. Wait until they "
            "are delivered, and correct any that the seller rejected."
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

    Raises PersonNotFound, JobStillOpen while the engineer has a job to do, and MessagesUndelivered; after
    PacksNotDeleted it is to be done again.
    """
    engineer = engineer_of(staff_number)
    current = Visit.objects.current().attended_by([engineer]).values_list("job__provider_job_id", flat=True)
    if current:
        sentence = _("Reassign these jobs first: %(jobs)s.") % {"jobs": ", ".join(current)}
        raise JobStillOpen([Problem("job_still_open", "engineer", sentence)])
    _refuse_undelivered(seller_link.retention.of_engineer(engineer), where="engineer")
    jobs = dispatch.retention.jobs_of_engineer(engineer)
    evidence_packs.delete_packs(EvidencePack.objects.filter(job__in=jobs))
    SavedFilter.objects.filter(user=engineer.user).delete()
    SavedFilter.objects.about(engineers.retention.names_of(engineer)).delete()
    dispatch.retention.forget_engineer(engineer)
    closures.retention.forget_engineer_name(engineer)
    seller_link.retention.forget_engineer(engineer)
    engineers.retention.forget_name_in_answers(engineer, jobs.values("provider_job_id"))
    _forget_sign_ins(engineer.user)
    second_factor.reset(user=engineer.user, by=by)
    engineers.retention.anonymise_engineer(engineer, by=by)


def _forget_sign_ins(user: User) -> None:
    """Under every name that the account had, in capitals or not; of a name that somebody else has now, only those of
    the time before."""
    for name, since, until in engineers.retention.names_over_time(user):
        named = Q(username__iexact=name)
        if User.objects.exclude(pk=user.pk).filter(named).exists():
            named &= Q(attempt_time__range=(since, until))
        for log in (AccessAttempt, AccessFailureLog, AccessLog):
            log.objects.filter(named).delete()
