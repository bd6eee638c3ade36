"""The rows of the messages to a contact; the worker sends them (deliveries.py).

Of alarms that are over, a webhook that got one is notified once, so that its system can close what it opened: at any
hour, also for a contact that is not on call any more. A person gets no message: the board says it.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from alerting.alarm_messages import NotifiedAlarm, compose
from alerting.models import AlarmContact, AlarmDelivery, AlarmDeliveryState, AlarmEvent, Channel
from dispatch.models import national_number
from engineers.models import AuditEntry
from engineers.retention import contact_points, identifying_names, names_somebody
from monitoring.coded_texts import CodedText
from monitoring.models import Alarm

# longer than any delivery is retried; older alarms need not be looked through each minute
CLEARED_WITHIN = timedelta(days=1)


def create_delivery(
    contact: AlarmContact, notified: Sequence[NotifiedAlarm], *, event: AlarmEvent, now: datetime
) -> AlarmDelivery:
    """The text is frozen here; the address follows its contact until it is delivered. A test has no alarms."""
    message = compose(notified, event=event, language=contact.language, now=now)
    delivery = AlarmDelivery.objects.create(
        contact=contact,
        contact_name=contact.name,
        channel=contact.channel,
        address=contact.address,
        event=event,
        title=message.title,
        text=message.text,
        payload=message.payload,
        created_at=now,
        due_at=now,
    )
    delivery.alarms.set([each.alarm for each in notified])
    return delivery


def readdress_deliveries(contact: AlarmContact, *, now: datetime) -> None:
    """After a correction of its channel or address: what waits is due at the new one, as if nothing had been tried, and
    so is what failed at the old one of an alarm that is still open."""
    own = AlarmDelivery.objects.filter(contact=contact)
    failed = own.filter(
        state=AlarmDeliveryState.FAILED,
        event=AlarmEvent.RAISED,
        alarms__in=Alarm.objects.filter(cleared_at=None),
    )
    own.filter(Q(state=AlarmDeliveryState.WAITING) | Q(pk__in=failed.values("pk"))).update(
        contact_name=contact.name,
        channel=contact.channel,
        address=contact.address,
        state=AlarmDeliveryState.WAITING,
        due_at=now,
        attempts=0,
        may_have_arrived=False,
        last_error={},
        settled_at=None,
    )


def give_up_deliveries(contact: AlarmContact, *, reason: CodedText, now: datetime) -> None:
    """What waits for it fails."""
    waiting = AlarmDelivery.objects.filter(contact=contact, state=AlarmDeliveryState.WAITING)
    waiting.update(state=AlarmDeliveryState.FAILED, last_error=reason.as_json(), settled_at=now)


def create_cleared_deliveries(contacts: Iterable[AlarmContact], now: datetime) -> int:
    """How many. The caller holds the lock that keeps a second run away (escalation.py)."""
    count = 0
    for contact in contacts:
        if contact.channel != Channel.WEBHOOK:
            continue
        found = [NotifiedAlarm(alarm, contact.level) for alarm in _cleared_alarms(contact, now)]
        if found:
            create_delivery(contact, found, event=AlarmEvent.CLEARED, now=now)
            count += 1
    return count


def _cleared_alarms(contact: AlarmContact, now: datetime) -> QuerySet[Alarm]:
    """Those whose beginning has arrived at this contact, or may have, and whose end was not sent yet. Not while the
    beginning may still be on its way: it would open again what the end has closed."""
    about_it = AlarmDelivery.objects.filter(alarms=OuterRef("pk"), contact=contact)
    has_arrived = Q(state=AlarmDeliveryState.DELIVERED)
    may_have_arrived = ~Q(state=AlarmDeliveryState.WAITING) & Q(may_have_arrived=True)
    known = about_it.filter(has_arrived | may_have_arrived, event=AlarmEvent.RAISED)
    found = Alarm.objects.filter(cleared_at__gt=now - CLEARED_WITHIN)
    return found.filter(Exists(known), ~Exists(about_it.filter(event=AlarmEvent.CLEARED))).order_by("pk")


def contacts_of(texts: Collection[str]) -> QuerySet[AlarmContact]:
    """Contacts of the person with these names, telephone numbers and addresses of mail."""
    rows = AlarmContact.objects.values_list("pk", "name", "address")
    return AlarmContact.objects.filter(pk__in=[pk for pk, *row in rows if _is_person(*row, texts=texts)])


def forget_contact(texts: Collection[str], *, former: str) -> None:
    """In what was sent to such a contact that is deleted since, and in the audit; when and about what stays."""
    for name, address in set(AlarmDelivery.objects.order_by().values_list("contact_name", "address")):
        if _is_person(name, address, texts=texts):
            sent = AlarmDelivery.objects.filter(contact_name=name, address=address)
            sent.update(contact_name=former, address="")
    about = AuditEntry.objects.filter(action__startswith="alarm_contact_")
    for subject in set(about.order_by().values_list("subject", flat=True)):
        if _is_person(subject, "", texts=texts):
            about.filter(subject=subject).update(subject=former, before=None, after=None)


def _is_person(name: str, address: str, *, texts: Collection[str]) -> bool:
    """In capitals or not, a telephone number however it is written. A name of two words may have more beside it."""
    known = {text.strip().casefold() for text in texts}
    numbers = {national_number(point) for point in contact_points(texts) if "@" not in point}
    has_number = bool(contact_points([address])) and national_number(address) in numbers
    is_named = name.strip().casefold() in known or names_somebody(name, identifying_names(texts))
    return is_named or address.casefold() in known - {""} or has_number


def expired_deliveries(before: datetime) -> QuerySet[AlarmDelivery]:
    """Created before that moment, RETENTION_LOG_DAYS ago, without those by which the end of an alarm is still sent to
    a webhook: it may be open for longer."""
    now = before + timedelta(days=settings.RETENTION_LOG_DAYS)
    may_be_sent = Q(cleared_at=None) | Q(cleared_at__gt=now - CLEARED_WITHIN)
    alarms = Alarm.objects.filter(may_be_sent, deliveries=OuterRef("pk"))
    is_needed = Q(Exists(alarms), channel=Channel.WEBHOOK, event=AlarmEvent.RAISED)
    return AlarmDelivery.objects.filter(created_at__lt=before).exclude(is_needed)
