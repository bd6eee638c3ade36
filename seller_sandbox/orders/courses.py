"""How an order is fulfilled, by what it asks for and what the premises have (order-provisioning.md, Endpoints)."""

from dataclasses import dataclass

from seller_sandbox import clock
from seller_sandbox.network import locations, products
from seller_sandbox.network.models import Buyer, Location, Ont, Product, Service
from seller_sandbox.orders import reasons
from seller_sandbox.orders.models import Course
from seller_sandbox.orders.reasons import Reason

SWITCH, WLTO, REGRADE = "Switch", "WLTO", "Regrade"
APPOINTED_RFS = {"RFS_1", "RFS_2"}


@dataclass(frozen=True)
class OrderSituation:
    """Who orders what where; `has_key`: the request names an appointment that has not expired."""

    buyer: Buyer
    location: Location
    product: Product
    service: Service | None
    ont: Ont | None
    new_order_type: str = ""
    wants_engineer: bool = False
    has_key: bool = False

    @property
    def is_own(self) -> bool:
        return self.service is not None and self.service.buyer_id == self.buyer.id

    @property
    def needs_new_ont(self) -> bool:
        return self.ont is not None and not products.supports(self.ont, self.product)


@dataclass(frozen=True)
class Plan:
    """The course of a new install; `is_appointed`: an engineer attends."""

    course: Course
    is_appointed: bool


def plan_install(situation: OrderSituation) -> Plan | Reason:
    """How a new install is fulfilled, or why it is rejected."""
    plan = _plan_at(situation)
    needs_engineer = plan.is_appointed if isinstance(plan, Plan) else plan == reasons.ONT_NOT_SUPPORTED
    if needs_engineer and situation.product.is_remote_only:
        # no engineer is ever booked for it: network/products.py does not offer it here
        return reasons.PRODUCT_NOT_FOR_LOCATION
    return plan


def _plan_at(situation: OrderSituation) -> Plan | Reason:
    status = locations.rfs_status_on(situation.location, clock.today())
    if situation.new_order_type and status != "RFS_4":
        return reasons.ORDER_TYPE
    if status in APPOINTED_RFS or locations.is_pre_order(situation.location, clock.today()):
        is_complex = products.is_complex_at(product=situation.product, location=situation.location)
        return Plan(Course.COMPLEX if is_complex else Course.INSTALL, is_appointed=True)
    if status == "RFS_3":
        return _plan_activation(situation)
    return _plan_at_live_service(situation) if status == "RFS_4" else reasons.RFS_STATUS


def _plan_activation(situation: OrderSituation) -> Plan | Reason:
    """RFS_3: remote activation, or an engineer for an ONT swap or a CPE install (Endpoints 3, 5)."""
    if situation.needs_new_ont and not situation.has_key:
        return reasons.ONT_NOT_SUPPORTED
    if situation.needs_new_ont or situation.wants_engineer:
        return Plan(Course.INSTALL, is_appointed=True)
    return (
        reasons.APPOINTMENT_NOT_NEEDED if situation.has_key else Plan(Course.ACTIVATION, is_appointed=False)
    )


def _plan_at_live_service(situation: OrderSituation) -> Plan | Reason:
    """RFS_4: Switch, WLTO, or a regrade of one's own service (Endpoints 4, D10)."""
    match situation.new_order_type:
        case "" if not situation.is_own:
            return reasons.NOT_OWNER
        case "" | "Regrade":
            return _plan_regrade(situation)
        case "Switch" if situation.is_own:
            return reasons.OWN_SERVICE
        case "Switch" | "WLTO":
            return _plan_takeover(situation)
    return reasons.ORDER_TYPE


def _plan_regrade(situation: OrderSituation) -> Plan | Reason:
    if not situation.is_own:
        return reasons.NOT_OWNER
    if situation.needs_new_ont and not situation.has_key:
        return reasons.ONT_NOT_SUPPORTED
    if (situation.has_key or situation.wants_engineer) and not situation.needs_new_ont:
        # it sends a requested date in place of an appointment (Order), and nobody comes
        return reasons.APPOINTMENT_NOT_NEEDED
    return Plan(Course.REGRADE, is_appointed=situation.needs_new_ont)


def _plan_takeover(situation: OrderSituation) -> Plan | Reason:
    if situation.service is None:
        return reasons.ORDER_TYPE
    if situation.needs_new_ont and not situation.has_key:
        return reasons.ONT_NOT_SUPPORTED
    course = Course.SWITCH if situation.new_order_type == SWITCH else Course.WLTO
    is_appointed = situation.needs_new_ont or situation.wants_engineer
    if situation.has_key and not is_appointed:
        return reasons.APPOINTMENT_NOT_NEEDED
    return Plan(course, is_appointed=is_appointed)
