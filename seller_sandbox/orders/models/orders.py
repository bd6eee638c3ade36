"""Orders of buyers, what happened to them, and what is asked about them."""

from django.db import models
from django.db.models import Q

from seller_sandbox import clock
from seller_sandbox.compiled_saves import CompiledSave
from seller_sandbox.jobs.models import Job, JobState
from seller_sandbox.messages.models import MessageThread
from seller_sandbox.network.models import Appointment, Buyer, Location, Product, Service
from seller_sandbox.orders.states import IN_FLIGHT, OrderEventKind, OrderState
from seller_sandbox.stored_values import StoredValues


class OrderKind(models.TextChoices):
    """What the orderRequest carries; the values are the wire's own element names."""

    NEW_INSTALL = "alaNewInstall", "New install"
    MODIFY = "alaModify", "Modify"
    CEASE = "alaCease", "Cease"


class Course(models.TextChoices):
    """How an order is fulfilled; chosen when it is validated (orders/courses.py)."""

    INSTALL = "install", "Install with an engineer"
    ACTIVATION = "activation", "Remote activation"
    REGRADE = "regrade", "Regrade"
    SWITCH = "switch", "Switch"
    WLTO = "wlto", "Working Line Takeover"
    COMPLEX = "complex", "Complex install"
    MODIFY = "modify", "Modify"
    CEASE = "cease", "Cease"


def is_at(uprn: str) -> Q:
    """Of the premises with this UPRN, which an own cease or modify does not name; it may begin with zeros."""
    return Q(uprn=uprn) | Q(location__uprn=uprn.lstrip("0"))


class OrderQuerySet(models.QuerySet["Order"]):
    def in_flight(self) -> "OrderQuerySet":
        return self.filter(state__in=IN_FLIGHT)


class Order(StoredValues):
    """One order; `state` is written by orders/lifecycle.py only."""

    thread = models.OneToOneField(MessageThread, on_delete=models.CASCADE, related_name="order")
    seller_order_reference = models.CharField(max_length=36, unique=True)
    buyer = models.ForeignKey(Buyer, on_delete=models.PROTECT, related_name="orders")
    # as it came: missing, too long and repeated ones are rejected by validation and not by the schema (D2). It has no
    # index of its own, and the UPRN has none: PostgreSQL cannot index the longest text
    buyer_order_reference = models.TextField(blank=True)
    holds_reference = models.BooleanField(default=False)
    correlation_id = models.TextField(blank=True)
    kind = models.CharField(max_length=20, choices=OrderKind)
    course = models.CharField(max_length=20, choices=Course, blank=True)
    is_appointed = models.BooleanField(default=False)
    state = models.CharField(max_length=20, choices=OrderState, default=OrderState.PENDING, db_index=True)
    conditions = models.JSONField(default=list)
    # the request in domain words, as wire/requests.py reads it
    request = models.JSONField(default=dict)
    uprn = models.TextField(blank=True)
    location = models.ForeignKey(Location, on_delete=models.PROTECT, null=True, related_name="orders")
    product = models.ForeignKey(Product, on_delete=models.PROTECT, null=True, related_name="orders")
    new_order_type = models.CharField(max_length=20, blank=True)
    requested_date = models.DateField(null=True)
    # the service that the order makes, changes or ends
    service_identifier = models.CharField(max_length=36, blank=True, db_index=True)
    service = models.ForeignKey(Service, on_delete=models.SET_NULL, null=True, related_name="orders")
    site = models.JSONField(default=dict)
    configuration = models.JSONField(default=dict)
    auxiliary_services = models.JSONField(default=list)
    project_reference = models.TextField(blank=True)
    appointment = models.ForeignKey(Appointment, on_delete=models.SET_NULL, null=True, related_name="orders")
    # whether the buyer was sent the appointment: before that it is soft (D17)
    is_appointment_confirmed = models.BooleanField(default=False)
    delay_code = models.CharField(max_length=10, blank=True)
    end_code = models.CharField(max_length=10, blank=True)
    end_reason = models.TextField(blank=True)
    # of an unsolicited cease: the gaining provider's order
    linked_order = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, related_name="linked_ceases"
    )
    is_unsolicited = models.BooleanField(default=False)
    # the losing provider has amended the date of its cease and controls it now (Switch and WLTO 3)
    is_date_controlled = models.BooleanField(default=False)
    # no wire field (D20): shown in console and control interface
    notice_charge_days = models.PositiveIntegerField(default=0)
    placed_at = models.DateTimeField()
    acknowledged_at = models.DateTimeField(null=True)
    committed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    objects = OrderQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["buyer", "buyer_order_reference"],
                condition=Q(holds_reference=True),
                name="order_reference_of_buyer_once",
            )
        ]

    @property
    def is_in_flight(self) -> bool:
        return self.state in IN_FLIGHT

    @property
    def is_takeover(self) -> bool:
        """Whether another provider loses the line to this order."""
        return self.course in {Course.SWITCH, Course.WLTO}


class OrderEvent(CompiledSave):
    """One fact about an order; what the buyer is sent follows from its kind (orders/states.py)."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=40, choices=OrderEventKind)
    state = models.CharField(max_length=20, choices=OrderState)
    # by the sandbox clock
    at = models.DateTimeField()
    details = models.JSONField(default=dict)

    class Meta:
        ordering = ["id"]


class RequestState(models.TextChoices):
    PENDING = "pending", "Pending"
    ACCEPTED = "accepted", "Accepted"
    REJECTED = "rejected", "Rejected"


class BuyerRequest(models.Model):
    """What a buyer asks of an order, and what the seller decided."""

    state = models.CharField(max_length=10, choices=RequestState, default=RequestState.PENDING)
    reason = models.TextField(blank=True)
    received_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True)

    class Meta:
        abstract = True
        ordering = ["id"]

    def settle(self, state: RequestState, *, reason: str = "") -> None:
        self.state, self.reason, self.settled_at = state, reason, clock.now()
        self.save(update_fields=["state", "reason", "settled_at"])


class Amendment(BuyerRequest):
    """A change that a buyer asks for, accepted or rejected in full (Amendment rules 1)."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="amendments")
    changes = models.JSONField()


class Cancellation(BuyerRequest):
    """A buyer's cancelOrder; it waits for the partner's answer while a visit is planned."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="cancellations")
    code = models.TextField(blank=True)
    message = models.TextField(blank=True)


class Case(models.Model):
    """A question of the seller on an order; the buyer replies by amendment (Events, Case comments)."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="cases")
    reference = models.CharField(max_length=36, unique=True)
    text = models.TextField()
    # [{"by": "buyer", "text": …, "at": …}]
    comments = models.JSONField(default=list)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]


class VisitPurpose(models.TextChoices):
    """Which visit of an order a job is; appointment types of complex orders as the document names them."""

    INSTALL = "install", "Install"
    SURVEY = "orderSurvey", "Physical survey"
    CIVILS = "civils", "Civils"
    EXTERNAL = "orderExternal", "Build to wall"
    INTERNAL = "orderInternal", "Standard install"


class OrderVisitQuerySet(models.QuerySet["OrderVisit"]):
    def attended(self) -> "OrderVisitQuerySet":
        """An engineer closed them; the outcome of a visit that was refused or cancelled is its job's state."""
        return self.exclude(ended_at=None).exclude(outcome__in=JobState.values)


class OrderVisit(CompiledSave):
    """One visit of the partner for an order: its appointment, its job and what came of it."""

    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="visits")
    purpose = models.CharField(max_length=20, choices=VisitPurpose)
    appointment = models.ForeignKey(Appointment, on_delete=models.SET_NULL, null=True)
    job = models.OneToOneField(Job, on_delete=models.CASCADE, related_name="order_visit")
    outcome = models.CharField(max_length=40, blank=True)
    planned_at = models.DateTimeField()
    # when an engineer was on site, which may be known later
    arrived_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    objects = OrderVisitQuerySet.as_manager()

    class Meta:
        ordering = ["id"]
