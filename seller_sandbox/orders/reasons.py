"""Why an order or an amendment is rejected, delayed or cancelled: code, text and the document's row.

511, 203, 210, 220 and 9190 are the document's; every other code is ours (docs/order-messages.md).
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """`row` is the row of order-provisioning.md (Errors, Other codes) that it comes from, or a decision (D…)."""

    code: str
    message: str
    row: str

    def as_members(self) -> dict[str, str]:
        return {"code": self.code, "message": self.message}


@dataclass(frozen=True)
class FixedVisit:
    """Why the partner does not cancel a visit, as an answer to an amendment and to a cancellation."""

    amend: Reason
    cancel: Reason


_ERRORS = "Errors"
PROJECT = Reason("511", "The project reference is invalid or outside the project's dates", _ERRORS)
REFERENCE_MISSING = Reason("501", "The buyer order reference is missing", _ERRORS)
REFERENCE_DUPLICATE = Reason("502", "The buyer order reference was used before", _ERRORS)
REFERENCE_TOO_LONG = Reason("503", "The buyer order reference is longer than 36 characters", _ERRORS)
UPRN_INVALID = Reason("504", "The UPRN is missing or not numeric", _ERRORS)
UPRN_UNKNOWN = Reason("505", "There are no premises with this UPRN", _ERRORS)
PRODUCT_NOT_FTTH = Reason("506", "The product is not an FTTH product", _ERRORS)
PRODUCT_NOT_FOR_ACCOUNT = Reason("507", "The product is not permitted for this account", _ERRORS)
PRODUCT_NOT_FOR_LOCATION = Reason("508", "The product is not permitted for this location", _ERRORS)
PRODUCT_SAME = Reason("509", "The product is the same as that of the active service", _ERRORS)
REGRADE_PAIR = Reason(
    "510", "This change of product is not a regrade that is offered", "Regrade product pairs"
)
AUXILIARY_UNKNOWN = Reason("512", "An auxiliary service is not recognised", _ERRORS)
AUXILIARY_NOT_FOR_PRODUCT = Reason("513", "An auxiliary service is not permitted with this product", _ERRORS)
AUXILIARY_NOT_FOR_ACCOUNT = Reason("514", "An auxiliary service is not permitted for this account", _ERRORS)
CONFIGURATION_VLAN = Reason("515", "A VLAN must be a number from 1 to 4094", "Errors, D2")
CONFIGURATION_NNI = Reason("516", "The ENNI is not one of those offered", "Errors, D2")
CONFIGURATION_PROFILE = Reason("517", "The line profile is not known for this product", "Errors, D2")
CONFIGURATION_LENGTH = Reason(
    "538",
    "The PPPoE Agent-Remote-Id has more than 64, or the authentication protocol more than 40 characters",
    "Errors, D2",
)
PROPERTY_TYPE = Reason("518", "The property type is not FTTH", _ERRORS)
RFS_STATUS = Reason("519", "The RFS status does not allow an order", "Errors, D1")
KEY_WRONG_UPRN = Reason("520", "The appointment key is for another UPRN", _ERRORS)
KEY_WRONG_PRODUCT = Reason("521", "The appointment key is for another product", _ERRORS)
KEY_EXPIRED = Reason("522", "The appointment key has expired", "Errors, D6")
KEY_UNKNOWN = Reason("523", "There is no appointment with this key", _ERRORS)
KEY_IN_USE = Reason("535", "The appointment key is on an order already, this one or another", _ERRORS)
KEY_WRONG_TYPE = Reason("536", "The appointment key is for another type of appointment", "complexOrder")
ONT_NOT_SUPPORTED = Reason(
    "524", "The installed ONT does not support the product: an appointment is required", "Endpoints 5"
)
LEAD_TIME = Reason("525", "The date is inside the lead time", "Limits, D11")
DATE_IN_PAST = Reason("526", "The requested date is in the past", "D7")
ORDER_TYPE = Reason("527", "This newOrderType is not possible at this location", "D10")
NOT_OWNER = Reason("528", "The existing service belongs to another provider: say Switch or WLTO", "D10")
OWN_SERVICE = Reason("529", "The existing service is your own: a Switch is from another provider", "D10")
SERVICE_UNKNOWN = Reason("530", "You have no live service with this identifier", "Modify, Cease")
CEASE_IN_FLIGHT = Reason("531", "A cease of this service is in flight", "Modify, Cease")
NOTHING_TO_MODIFY = Reason("532", "The order names nothing to change", "Modify")
APPOINTMENT_NOT_NEEDED = Reason("534", "This order is not appointed and takes no appointment", "Endpoints 4")
LINE_TAKEN = Reason(
    "537", "Another Switch, WLTO or regrade of this line is in flight", "Switch and WLTO rules 1"
)

AMEND_PRODUCT_OR_UPRN = Reason("540", "Product and UPRN cannot be amended", "Amendment rules 2")
AMEND_AFTER_PONR = Reason("541", "The point of no return has passed", "Switch and WLTO rules 4, 5")
AMEND_CASE_CLOSED = Reason("542", "The case is closed", "Amendment rules 8")
AMEND_CASE_UNKNOWN = Reason("543", "The order has no such case", "Amendment rules 8")
AMEND_NOT_FOR_COURSE = Reason("544", "This order has nothing of that kind to amend", "Regrade rules 6")
AMEND_BEFORE_CEASE = Reason(
    "545",
    "The date must be after the losing provider's cease date, or on that date when it ordered the cease itself",
    "Switch and WLTO rules 3",
)
ORDER_UNKNOWN = Reason("546", "There is no order of yours with these references", "D5")
ORDER_ENDED = Reason("547", "The order has ended", "D5")
AMEND_EMPTY = Reason("551", "The amendment changes nothing", "D5")
AMEND_NOT_ASKED = Reason("548", "Nothing of that kind is awaited from the buyer", "Complex-order rules")
AMEND_TOO_EARLY = Reason("549", "The appointment is before the earliest date", "complexOrder")
AMEND_ENGINEER_STARTED = Reason("550", "The engineer has started", "D14")
AMEND_COST_FIRST = Reason(
    "552", "The finalised cost must be accepted before the build to wall is booked", "Limits"
)
AMEND_NOT_CANCELLED = Reason(
    "554", "The installation partner has not cancelled the visit that would change", "D14"
)
AMEND_SURVEY_DAY = Reason("553", "No survey appointment of that day is free or was named", "complexOrder")

CANCEL_TOO_LATE = Reason("560", "The engineer is on site: the order cannot be cancelled", "D14")
CANCEL_UNSOLICITED = Reason("561", "An unsolicited cease is cancelled with its gaining order", "D15")
CANCEL_NOT_CANCELLED = Reason("562", "The installation partner has not cancelled the visit", "D14")
CANCEL_NOT_MOVING = Reason("563", "9190 is for the unsolicited cease of a WLTO", "D15")
NOT_MOVING = Reason("9190", "SP requested cancel other - end user not moving", "Other codes")

VISIT_BEGUN = FixedVisit(amend=AMEND_ENGINEER_STARTED, cancel=CANCEL_TOO_LATE)
VISIT_NOT_CANCELLED = FixedVisit(amend=AMEND_NOT_CANCELLED, cancel=CANCEL_NOT_CANCELLED)

DELAY_SURVEY = Reason("203", "Survey underway", "Other codes")
DELAY_CABINET = Reason("210", "Pre-order awaiting cabinet release", "Other codes")
DELAY_PET = Reason("220", "Pet behaviour", "Other codes")
DELAY_APPOINTMENT = Reason("230", "The order waits for an appointment", "States, D20")
DELAY_DATE = Reason("231", "The order waits for a requested date", "Regrade rules 5, D20")
DELAY_REAPPOINT = Reason("232", "A new appointment is needed", "Switch and WLTO rules 6, D20")
DELAY_NETWORK = Reason("233", "The network has to be repaired first", "D20")
DELAY_ACTIVATION = Reason("234", "The ONT was not provisioned", "D20")
DELAY_REVIEW = Reason("235", "The seller looks into the order", "D20")
DELAY_PARTNER = Reason("236", "The installation partner has not accepted the visit", "D20")
DELAY_ACCESS = Reason("237", "There was no access to the premises", "D20")
DELAY_SAFETY = Reason("238", "The premises were not safe to work in", "D20")
DELAY_SELLER = Reason("239", "The engineer could not attend", "D20")

NO_APPOINTMENT = Reason("570", "No appointment was added within 30 days", "Limits")
NO_DATE = Reason("571", "No requested date was added within 30 days", "Limits, Regrade rules 5")
NO_NEW_APPOINTMENT = Reason("572", "No new appointment was made within 30 days", "Limits")
NOT_SERVICEABLE = Reason("573", "The premises can no longer be served", "States")
NO_ANSWER = Reason(
    "574", "The buyer did not answer, or added no appointment, within 45 days", "Complex-order rules 1"
)
ESTIMATE_REJECTED = Reason("575", "The buyer rejected the estimate", "Complex-order rules 1")
COST_REJECTED = Reason("576", "The buyer rejected the finalised cost", "Limits")
SURVEY_FAILED = Reason(
    "577", "The survey found that the installation is not possible", "Complex-order rules 2"
)
LINKED_CANCELLED = Reason("578", "The gaining provider cancelled its order", "Switch and WLTO rules 2")
CUSTOMER_DECLINED = Reason("579", "The end customer no longer wants the service", "Closure codes")
PERMISSION_REFUSED = Reason("580", "Permission was refused", "Closure codes")

WARNING_NO_CPE = Reason("590", "No CPE was found at activation", "States")
WARNING_SPEED = Reason("591", "The speed check failed", "States")
WARNING_PARTIAL = Reason("592", "The CPE install failed", "Closure codes, PSP")


def by_code() -> dict[str, Reason]:
    return {found.code: found for found in globals().values() if isinstance(found, Reason)}
