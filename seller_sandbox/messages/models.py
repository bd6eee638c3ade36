"""Messages over the wire in both directions, in threads: one thread for each job, order or ticket.

Instants are sandbox time unless they say otherwise.
"""

import uuid

from django.db import models
from django.db.models import Exists, OuterRef, Q

from seller_sandbox import sandbox_time
from seller_sandbox.compiled_saves import CompiledSave

# the role of the installation partner at our endpoints, and the recipient of threads about jobs
PARTNER = "partner"


class ThreadKind(models.TextChoices):
    JOB = "job", "Job"
    ORDER = "order", "Order"
    TICKET = "ticket", "Ticket"


class MessageThread(CompiledSave):
    """What messages are about, and whom we speak to: messages of one thread go out in their order."""

    kind = models.CharField(max_length=10, choices=ThreadKind)
    # what we call it
    reference = models.CharField(max_length=60)
    # PARTNER, or a buyer's identifier
    recipient = models.CharField(max_length=60)
    # what the recipient calls it, as soon as we know
    recipient_reference = models.CharField(max_length=100, blank=True, db_index=True)
    # of its newest message from us
    last_seq = models.PositiveIntegerField(default=0)
    # nothing goes out until a person has decided what to do with a message that was refused
    is_held = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["kind", "reference"], name="message_thread_of_a_reference")
        ]


class OutboundState(models.TextChoices):
    WAITING = "waiting", "Waiting to be sent"
    DELIVERED = "delivered", "Delivered"
    REFUSED = "refused", "Refused by the recipient"


class OutboundQuerySet(models.QuerySet["OutboundMessage"]):
    def waiting(self) -> "OutboundQuerySet":
        return self.filter(state=OutboundState.WAITING)

    def refused_unexpectedly(self) -> "OutboundQuerySet":
        """Refused although the recipient should have taken them."""
        return self.filter(state=OutboundState.REFUSED).exclude(expected_status__gte=400)

    def heads(self) -> "OutboundQuerySet":
        """Waiting messages with no unanswered one before them, in threads that are not held."""
        earlier = OutboundMessage.objects.waiting().filter(thread=OuterRef("thread"), seq__lt=OuterRef("seq"))
        return self.waiting().filter(thread__is_held=False).exclude(Exists(earlier))


class OutboundMessage(CompiledSave):
    """A message of ours; its body is frozen when it is first sent, so that each repeat is the same."""

    thread = models.ForeignKey(MessageThread, on_delete=models.CASCADE, related_name="outbound")
    seq = models.PositiveIntegerField()
    operation = models.CharField(max_length=40)
    message_id = models.UUIDField(default=uuid.uuid4, db_index=True)
    members = models.JSONField()
    # an object for JSON, a text for XML
    body = models.JSONField(null=True)
    # the answer that is due; null when more than one is right
    expected_status = models.PositiveSmallIntegerField(null=True)
    expected_fault = models.CharField(max_length=40, blank=True)
    expected_field = models.CharField(max_length=100, blank=True)
    state = models.CharField(max_length=10, choices=OutboundState, default=OutboundState.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    next_attempt_at = models.DateTimeField()
    # while it is in flight, when it may be taken for lost: by the real clock, which nobody moves
    leased_until = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=sandbox_time.now)
    settled_at = models.DateTimeField(null=True)

    objects = OutboundQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["thread", "seq"], name="outbound_order_of_thread")]
        indexes = [models.Index(fields=["state", "next_attempt_at"], name="outbound_by_next_attempt")]


class InboundMessage(CompiledSave):
    """A message from a partner or a buyer, accepted or not."""

    endpoint = models.CharField(max_length=40)
    operation = models.CharField(max_length=40)
    event = models.CharField(max_length=40, blank=True)
    # the common name of the caller's certificate
    caller = models.CharField(max_length=100)
    # the role in which it was served
    role = models.CharField(max_length=20)
    # empty when there was none to read
    message_id = models.CharField(max_length=100, blank=True, db_index=True)
    thread = models.ForeignKey(MessageThread, on_delete=models.CASCADE, null=True, related_name="inbound")
    raw_body = models.TextField(blank=True)
    body = models.JSONField(null=True)
    # the canonical body's hash: "the same body" may come with its members in another order
    digest = models.CharField(max_length=64, blank=True)
    holds_id = models.BooleanField(default=False)
    duplicate_of = models.ForeignKey("self", on_delete=models.SET_NULL, null=True)
    received_at = models.DateTimeField(default=sandbox_time.now)
    # null when the fault switch closed the line
    answer_status = models.PositiveSmallIntegerField(null=True)
    # an object for JSON, a text for everything else
    answer_body = models.JSONField(null=True)
    answer_content_type = models.CharField(max_length=60, blank=True)
    switch = models.CharField(max_length=20, blank=True)
    breaches = models.JSONField(default=list)
    remarks = models.JSONField(default=list)

    class Meta:
        ordering = ["id"]
        constraints = [
            # a refused message does not hold its id
            models.UniqueConstraint(
                fields=["caller", "message_id"],
                condition=Q(holds_id=True),
                name="accepted_message_id_once_a_caller",
            )
        ]


class MessageLogQuerySet(models.QuerySet["MessageLogEntry"]):
    def with_partner(self) -> "MessageLogQuerySet":
        """What the partner may see: its own messages and those to it."""
        return self.filter(Q(inbound__role=PARTNER) | Q(outbound__thread__recipient=PARTNER))

    def with_buyers(self) -> "MessageLogQuerySet":
        sent = Q(outbound__isnull=False) & ~Q(outbound__thread__recipient=PARTNER)
        return self.filter(sent | (Q(inbound__isnull=False) & ~Q(inbound__role=PARTNER)))


class MessageLogEntry(CompiledSave):
    """One message over the wire: each of our delivery attempts and each message received, in one order."""

    outbound = models.ForeignKey(OutboundMessage, on_delete=models.CASCADE, null=True, related_name="entries")
    inbound = models.OneToOneField(InboundMessage, on_delete=models.CASCADE, null=True, related_name="entry")
    # the message's own thread again, because every page asks for the entries of a thread
    thread = models.ForeignKey(MessageThread, on_delete=models.CASCADE, null=True, related_name="entries")
    is_breach = models.BooleanField(default=False, db_index=True)
    at = models.DateTimeField(default=sandbox_time.now)
    # of an outbound attempt; an arrival has its own on its message
    attempt = models.PositiveIntegerField(null=True)
    status = models.PositiveSmallIntegerField(null=True)
    answer = models.JSONField(null=True)
    error = models.CharField(max_length=200, blank=True)
    # which of the recipient's addresses the attempt went to
    address = models.CharField(max_length=200, blank=True)
    breaches = models.JSONField(default=list)

    objects = MessageLogQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(outbound=None) ^ Q(inbound=None), name="message_log_entry_has_one_direction"
            )
        ]
