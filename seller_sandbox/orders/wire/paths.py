"""Which request a path takes: one address takes them all, and each operation has one of its own (D4)."""

from seller_sandbox.orders.wire.requests import (
    AddressSearchQuery,
    AmendOrderRequest,
    AppointmentsQuery,
    CancelOrderRequest,
    InstallationDetailsQuery,
    OrderRequest,
    ParsedRequest,
    ProductsQuery,
    ReserveAppointmentRequest,
)
from seller_sandbox.soap.problems import InvalidMessage, MessageProblem

# the base address itself
ALL_MESSAGES = ""
ORDER_KINDS = {"order": "alaNewInstall", "orderModify": "alaModify", "ceaseOrder": "alaCease"}
_CLASSES: dict[str, type] = {
    "amendOrder": AmendOrderRequest,
    "cancelOrder": CancelOrderRequest,
    "queryAddressSearch": AddressSearchQuery,
    "queryProductsForLocation": ProductsQuery,
    "queryAppointmentAvailability": AppointmentsQuery,
    "reserveAppointment": ReserveAppointmentRequest,
    "queryInstallationDetails": InstallationDetailsQuery,
}
PATHS = (ALL_MESSAGES, *ORDER_KINDS, *_CLASSES)


def operation_of(request: ParsedRequest) -> str:
    """The path of a request's own operation."""
    if isinstance(request, OrderRequest):
        return next(path for path, kind in ORDER_KINDS.items() if kind == request.kind)
    return next(path for path, request_class in _CLASSES.items() if isinstance(request, request_class))


def check(path: str, request: ParsedRequest) -> None:
    """Raises InvalidMessage where a path of one operation got the message of another."""
    own = operation_of(request)
    if path not in {ALL_MESSAGES, own}:
        problem = MessageProblem(
            "Envelope/Body",
            f"This message does not belong to the path {path}",
            f"Send it to the path {own}, or to the base address, which takes every message.",
        )
        raise InvalidMessage(problem)
