"""A successful order ends: its service begins, changes or ends, and KCI3 goes out (order-provisioning.md, States)."""

from dataclasses import dataclass

from seller_sandbox import clock, due_actions
from seller_sandbox.compiled_queries import CompiledQuery, Parameter
from seller_sandbox.diagnostics import line_states
from seller_sandbox.due_actions import due_action
from seller_sandbox.network import appointments, products, services
from seller_sandbox.network.models import AuxiliaryService, OntModel, Product, RfsStatus
from seller_sandbox.network.services import Handover
from seller_sandbox.orders import cancellations, lifecycle, reasons, steps, takeovers, waiting_requests
from seller_sandbox.orders.configurations import in_force
from seller_sandbox.orders.late_orders import delays, late_provision
from seller_sandbox.orders.models import Course, Order
from seller_sandbox.orders.reasons import Reason
from seller_sandbox.orders.states import OrderCondition, OrderEventKind, OrderState

_CARRYING = CompiledQuery(lambda: OntModel.objects.filter(products=Parameter("product")).order_by("id"))


@dataclass(frozen=True)
class ScannedOnt:
    """The device that an engineer scanned and the seller provisioned."""

    fsan: str
    serial_number: str


def can_use(order: Order, scanned: ScannedOnt | None) -> bool:
    """Whether the scanned device can be recorded at the order's premises; one that is known there already can."""
    if scanned is None:
        return True
    return services.can_install_ont(
        location=order.location, fsan=scanned.fsan, serial_number=scanned.serial_number
    )


@due_action(steps.COMPLETE)
def complete_without_visit(subject: str) -> None:
    """The day of an order without an engineer has come."""
    order = lifecycle.lock(subject)
    if order.state != OrderState.COMMITTED or order.is_appointed or delays.has_failed_activation(order):
        return
    if order.is_unsolicited and waiting_requests.is_any_waiting(order):
        # for the partner, who cancels the visit of the gaining order or not: takeovers.resume_ceases
        return
    if order.course in takeovers.CEASING and not _is_line_free(order):
        # another order's service has begun at this very midnight: a takeover ends it first (Switch and WLTO rules 1)
        takeovers.begin_cease(order)
    if any(cease.state != OrderState.COMMITTED for cease in takeovers.list_ceases(order)):
        # the cease that has just begun, or that of an order for tomorrow which came just before midnight, is a few
        # steps behind
        steps.schedule_completion(order)
    else:
        complete(order)


def complete(order: Order, *, warning: Reason | None = None, scanned: ScannedOnt | None = None) -> None:
    """Service provided: `warning` for no CPE or a failed speed check, `scanned` what the engineer installed.

    A line that another order has taken meanwhile can no longer be provided: the seller cancels (States).
    """
    if order.course in takeovers.CEASING:
        _catch_up_ceases(order)
    if not _is_line_free(order):
        cancellations.end(order, OrderEventKind.SELLER_CANCELLED, reasons.NOT_SERVICEABLE.as_members())
        return
    if order.course == Course.CEASE:
        services.end(service=order.service, at=clock.now())
    else:
        # of a takeover or a regrade: the line is free before the new service takes it
        for cease in takeovers.list_ceases(order):
            complete(lifecycle.lock(cease.reference))
        _start_service(order, scanned)
    steps.stop(order)
    if order.appointment:
        appointments.mark_used(appointment=order.appointment)
    # KCI3 has room for one: the two of the document come before that of PSP
    warning = _noted_warning(order) or warning
    lifecycle.record(order, OrderEventKind.COMPLETED, warning=warning.as_members() if warning else None)
    if warning:
        lifecycle.mark(order, OrderCondition.WARNING)
    late_provision.schedule(order)


def _catch_up_ceases(order: Order) -> None:
    """A closeJob does not wait: another order may just have taken the line, or the cease be a few steps behind."""
    if not _is_line_free(order):
        takeovers.begin_cease(order)
    for cease in takeovers.list_ceases(order):
        for step in (steps.VALIDATE, steps.COMMIT):
            if cease.state != OrderState.COMMITTED:
                due_actions.do_now(step, subject=cease.reference)


def _is_line_free(order: Order) -> bool:
    """Whether nothing is live at the premises but what ends with this order."""
    live = None if order.course == Course.CEASE else services.find_live(order.location)
    return live is None or any(cease.service == live.pk for cease in takeovers.list_ceases(order))


def _noted_warning(order: Order) -> Reason | None:
    """What a person at the seller has noted before: no CPE, or a failed speed check."""
    if OrderCondition.WARNING not in order.conditions:
        return None
    noted = order.events.filter(kind=OrderEventKind.WARNED).last()
    return reasons.by_code()[noted.details["code"]] if noted else None


def _start_service(order: Order, scanned: ScannedOnt | None) -> None:
    now, had_line = clock.now(), order.location.rfs_status == RfsStatus.RFS_3
    if scanned is None:
        ont = products.find_ont(order.location)
    else:
        ont = services.install_ont(
            location=order.location,
            ont_model=model_of(scanned, product=order.product),
            fsan=scanned.fsan,
            serial_number=scanned.serial_number,
            at=now,
        )
    order.service = services.start(
        location=order.location,
        ont=ont,
        buyer=order.buyer,
        product=order.product,
        handover=_handover(order),
        service_identifier=order.service_identifier,
        at=now,
    )
    # an activation without an engineer has no scan, and a device may be named without one
    line_states.record_provisioned(order.location, fsan=order.service.ont.fsan, live=order.service)
    if had_line:
        takeovers.cease_activated(order)


def model_of(scanned: ScannedOnt, *, product: Product) -> OntModel:
    """The scanned device's type: one of its vendor that carries the product, otherwise any that does."""
    carrying = _CARRYING.all(product=product.pk)
    own = (model for model in carrying if model.fsan_prefix == scanned.fsan[:4])
    return next(own, carrying[0] if carrying else None)


def _handover(order: Order) -> Handover:
    """As ordered; what the buyer left open is the seller's choice."""
    outer, inner = services.vlans_for(order.pk)
    wanted = order.configuration
    return Handover(
        nni_identifier=wanted.get("nni_identifier", ""),
        s_vlan=int(wanted.get("s_vlan") or outer),
        c_vlan=int(wanted.get("c_vlan") or inner),
        line_profile=wanted.get("line_profile") or next(iter(order.product.line_profiles), ""),
        agent_remote_id=wanted.get("agent_remote_id", ""),
        authentication_protocol=wanted.get("authentication_protocol", ""),
        auxiliary_services=_auxiliary_services(order),
    )


def _auxiliary_services(order: Order) -> list[AuxiliaryService]:
    codes = order.auxiliary_services
    return [*AuxiliaryService.objects.filter(code__in=codes)] if codes else []


def modify(order: Order) -> None:
    """A live service is changed at once: Pending, Completed (States, modify)."""
    service, wanted = order.service, order.configuration
    for name in ("nni_identifier", "line_profile", "agent_remote_id", "authentication_protocol"):
        if wanted.get(name):
            setattr(service, name, wanted[name])
    for name in ("s_vlan", "c_vlan"):
        if wanted.get(name):
            setattr(service, name, int(wanted[name]))
    service.save()
    _note_in_force(order)
    lifecycle.record(order, OrderEventKind.MODIFIED)


def _note_in_force(order: Order) -> None:
    """Every later notification carries what is in force now, also that of an earlier order of the service (Events)."""
    changed = in_force(order.service)
    order.configuration = {**order.configuration, **changed}
    for found in Order.objects.filter(service_identifier=order.service_identifier).exclude(pk=order.pk):
        found.configuration = {**found.configuration, **changed}
        found.save(update_fields=["configuration"])
