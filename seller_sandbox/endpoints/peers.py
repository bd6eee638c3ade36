"""Who may speak to us: certificate, its subject, its address, and its role (job-messages.md, Transport)."""

from ipaddress import IPv6Address, ip_address

import structlog
from django.conf import settings

from seller_sandbox.endpoints import callers, operations
from seller_sandbox.endpoints.exchange import Answer, Request
from seller_sandbox.endpoints.operations import Operation

log = structlog.get_logger("sandbox.peers")


def refusal(request: Request, operation: Operation | None) -> Answer | None:
    """The answer to a caller whom we do not serve, or None; each refusal is logged.

    Where there is no such operation, any known caller may know it.
    """
    write = operations.refuse_of(request.operation)
    if request.subject is None:
        answer = write(401, "missingCredentials", "Present a client certificate")
    elif not (roles := callers.roles_of(request.subject)):
        answer = write(403, "accessDenied", "This certificate is on no list of ours")
    elif plain_address(request.address) not in settings.ALLOWED_ADDRESSES:
        answer = write(403, "accessDenied", "This address is not on the list")
    elif operation and operation.role and operation.role not in roles:
        answer = write(403, "accessDenied", f"Only a {operation.role} may call {operation.path}")
    else:
        return None
    log.warning("refused", subject=request.subject, address=request.address, status=answer.status)
    return answer


def plain_address(text: str) -> str:
    """The address as the allow-list writes it; a dual-stack socket shows IPv4 callers as ::ffff:127.0.0.1."""
    address = ip_address(text)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)
