"""Who may speak to us: certificate, its subject and its address (job-messages.md, Transport)."""

from ipaddress import IPv6Address, ip_address

import structlog
from django.conf import settings

from seller_sandbox.endpoints.exchange import Answer, Request, refuse

log = structlog.get_logger("sandbox.peers")


def refusal(request: Request) -> Answer | None:
    """The answer to a caller whom we do not serve, or None; each refusal is logged."""
    if request.subject is None:
        answer = refuse(401, "missingCredentials", "Present a client certificate")
    elif request.subject not in settings.ALLOWED_SUBJECTS:
        answer = refuse(403, "accessDenied", "This certificate is not on the list of partners")
    elif plain_address(request.address) not in settings.ALLOWED_ADDRESSES:
        answer = refuse(403, "accessDenied", "This address is not on the list of partners")
    else:
        return None
    log.warning("refused", subject=request.subject, address=request.address, status=answer.status)
    return answer


def plain_address(text: str) -> str:
    """The address as the allow-list writes it; a dual-stack socket shows IPv4 callers as ::ffff:127.0.0.1."""
    address = ip_address(text)
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)
