"""One signed POST to an address that somebody entered: no redirect, no proxy, one limit for the whole call, and no
address behind our firewall unless the operator allows it.

The address is checked where the connection is made, so a name that resolves to another address the second time gains
nothing. `X-Signature: t=<seconds since 1970>,v1=<hexadecimal HMAC-SHA256 of "t.body">`.
"""

import hashlib
import hmac
import ipaddress
import json
import socket
import time
from collections.abc import Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Any
from urllib.parse import urlsplit

import pycurl
from django.conf import settings

from monitoring import request_ids
from monitoring.coded_texts import CodedText, coded_text, technical_reason

MAX_ANSWER_BYTES = 4096
# of the limit of the whole call
CONNECT_SHARE = 0.5
# libcurl would ask whether it may send a body that is not small
NO_EXPECT = "Expect:"
# whose last 32 bits are an IPv4 address: compatible, mapped, translated, and of NAT64 (RFC 4291, 2765, 6052)
WITH_IPV4 = [
    ipaddress.IPv6Network(f"{start}/96") for start in ("::", "::ffff:0:0", "::ffff:0:0:0", "64:ff9b::")
]
# site-local, and NAT64 of a network of its own (RFC 3879, 8215): Python takes them for global
OF_A_SITE = [ipaddress.IPv6Network(text) for text in ("fec0::/10", "64:ff9b:1::/48")]
NEVER_ARRIVED = frozenset(
    {pycurl.E_COULDNT_RESOLVE_HOST, pycurl.E_COULDNT_CONNECT, pycurl.E_PEER_FAILED_VERIFICATION}
)


class NotPosted(OSError):
    """No whole answer came, or one with a `status` that refuses; `reason` says why, without secrets. `is_certain`:
    nothing has reached the other side."""

    is_certain = True

    def __init__(self, reason: CodedText, *, status: int = 0) -> None:
        super().__init__(reason)
        self.reason, self.status = reason, status


class AnswerLost(NotPosted):
    """The other side may have taken it all the same."""

    is_certain = False


class PrivateAddress(NotPosted):
    """The name leads behind our firewall, and that is not allowed."""


@dataclass(frozen=True)
class PostResult:
    """`body`: the beginning of the answer."""

    status: int
    body: str


def signature(secret: str, stamp: str, body: bytes) -> str:
    """HMAC-SHA256 of `stamp.body` as hexadecimal digits: nobody can send the body of one moment again at another."""
    return hmac.new(secret.encode(), f"{stamp}.".encode() + body, hashlib.sha256).hexdigest()


def signed_headers(*, secret: str, stamp: str, delivery_id: str, body: bytes) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "X-Delivery-ID": delivery_id,
        "X-Signature": f"t={stamp},v1={signature(secret, stamp, body)}",
    }


def post_signed(
    url: str,
    payload: Mapping[str, Any],
    *,
    secret: str,
    delivery_id: str,
    request_id: str,
    seconds: float,
    is_private_allowed: bool,
) -> PostResult:
    """The payload as JSON, signed with the time of this call: a repetition has the same `delivery_id` and another time
    stamp. `request_id`: of the one request that it is about, or empty. Raises NotPosted."""
    body = json.dumps(payload).encode()
    headers = signed_headers(secret=secret, stamp=str(int(time.time())), delivery_id=delivery_id, body=body)
    headers["User-Agent"] = f"fibre-dispatch/{settings.VERSION}"
    if request_id:
        headers[request_ids.HEADER] = request_id
    return post(url, body, headers, seconds=seconds, is_private_allowed=is_private_allowed)


def is_public(address: str) -> bool:
    """Whether this IP address belongs to the open internet, and so does the IPv4 address that a gateway would make of
    it."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        found = _inner_address(found) or found
    return found.is_global and not found.is_multicast and not any(found in network for network in OF_A_SITE)


def _inner_address(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    if any(address in network for network in WITH_IPV4):
        return ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
    return address.sixtofour


def names_private_host(url: str) -> bool:
    """Whether the address itself says that it leads into this network; of a name that shows when it is called."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    try:
        return not is_public(_normalise_ipv4(host))
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _normalise_ipv4(host: str) -> str:
    """An IPv4 address in any form that a connection takes (127.1, 0x7f000001) in the usual one; else as it is."""
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return host


def is_callable_url(url: str, *, is_plain_allowed: bool) -> bool:
    """Whether this is an address that could be called at all; where it leads shows when it is called."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return False
    schemes = {"https", "http"} if is_plain_allowed else {"https"}
    is_clean = url.isascii() and url.isprintable() and " " not in url and port != 0
    return is_clean and parts.scheme in schemes and bool(parts.hostname) and "@" not in parts.netloc


def post(
    url: str, body: bytes, headers: Mapping[str, str], *, seconds: float, is_private_allowed: bool
) -> PostResult:
    """Raises NotPosted, also for an answer that broke off. With private addresses plain HTTP is allowed as well."""
    if not is_callable_url(url, is_plain_allowed=is_private_allowed):
        raise NotPosted(coded_text("address_unusable"))
    refused: list[str] = []
    received = BytesIO()
    curl = _handle(url, body, headers, seconds=seconds, is_plain_allowed=is_private_allowed)
    if not is_private_allowed:
        curl.setopt(pycurl.OPENSOCKETFUNCTION, lambda _purpose, address: _open_public(address, refused))
    curl.setopt(pycurl.WRITEFUNCTION, lambda piece: _take(received, piece))
    try:
        curl.perform()
        return PostResult(int(curl.getinfo(pycurl.RESPONSE_CODE)), _text(received))
    except pycurl.error as problem:
        if problem.args[0] == pycurl.E_WRITE_ERROR and received.tell() > MAX_ANSWER_BYTES:
            # of an answer that is too long the beginning is enough
            return PostResult(int(curl.getinfo(pycurl.RESPONSE_CODE)), _text(received))
        if refused:
            raise PrivateAddress(coded_text("address_not_public", address=refused[0])) from None
        # a connection, or its TLS, that did not come about in time ends with the same error as an answer
        is_begun = curl.getinfo(pycurl.REQUEST_SIZE) > 0
        kind = AnswerLost if is_begun and problem.args[0] not in NEVER_ARRIVED else NotPosted
        raise kind(_reason(problem.args[0], curl)) from None
    finally:
        curl.close()


def _handle(
    url: str, body: bytes, headers: Mapping[str, str], *, seconds: float, is_plain_allowed: bool
) -> pycurl.Curl:
    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, url)
    curl.setopt(pycurl.HTTP_VERSION, pycurl.CURL_HTTP_VERSION_1_1)
    curl.setopt(pycurl.HTTPHEADER, [*(f"{name}: {value}" for name, value in headers.items()), NO_EXPECT])
    curl.setopt(pycurl.POSTFIELDS, body)
    curl.setopt(pycurl.TIMEOUT_MS, max(1, round(seconds * 1000)))
    curl.setopt(pycurl.CONNECTTIMEOUT_MS, max(1, round(seconds * CONNECT_SHARE * 1000)))
    curl.setopt(pycurl.FOLLOWLOCATION, 0)
    curl.setopt(pycurl.PROXY, "")
    curl.setopt(pycurl.NOSIGNAL, 1)
    curl.setopt(pycurl.PROTOCOLS, pycurl.PROTO_HTTPS | (pycurl.PROTO_HTTP if is_plain_allowed else 0))
    return curl


def _open_public(
    address: "tuple[int, int, int, tuple[str, int]]", refused: list[str]
) -> "socket.socket | int":
    family, kind, protocol, endpoint = address
    host = endpoint[0] if isinstance(endpoint[0], str) else bytes(endpoint[0]).decode()
    if not is_public(host):
        refused.append(host)
        return int(pycurl.SOCKET_BAD)
    return socket.socket(family, kind, protocol)


def _take(received: BytesIO, piece: bytes) -> int:
    received.write(piece)
    return -1 if received.tell() > MAX_ANSWER_BYTES else len(piece)


def _text(received: BytesIO) -> str:
    return received.getvalue()[:MAX_ANSWER_BYTES].decode("utf-8", "replace").replace("\0", "")


def _reason(error: int, curl: pycurl.Curl) -> CodedText:
    reasons = {
        pycurl.E_OPERATION_TIMEDOUT: "no_answer_in_time",
        pycurl.E_COULDNT_RESOLVE_HOST: "name_unknown",
        pycurl.E_COULDNT_CONNECT: "no_connection",
        pycurl.E_PARTIAL_FILE: "answer_broke_off",
        pycurl.E_GOT_NOTHING: "no_answer",
        pycurl.E_RECV_ERROR: "connection_broke_off",
        pycurl.E_PEER_FAILED_VERIFICATION: "certificate_not_trusted",
    }
    return coded_text(reasons[error]) if error in reasons else technical_reason(curl.errstr())
