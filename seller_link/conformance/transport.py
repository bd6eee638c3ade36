"""What holds for every request on either side: TLS, HTTP and JSON itself."""

import json
import ssl
from http.client import HTTPSConnection

from seller_link.conformance.cases import Broken, case, cases, event, provisioned, refused
from seller_link.conformance.conformance_client import (
    JSON_HEADERS,
    TIMEOUT_SECONDS,
    ConformanceClient,
    Reply,
    ask,
)

CONNECTION_CLOSED = (ssl.SSLEOFError, ConnectionResetError, ConnectionAbortedError, BrokenPipeError)
# whoever says nothing for so long after a handshake has accepted it
ACCEPTED_AFTER_SECONDS = 2
TOO_MANY_BYTES = 1024 * 1024 + 1
NOT_JSON: tuple[tuple[str, bytes], ...] = (
    ("nothing", b""),
    ("half an object", b'{"messageId": '),
    ("a list", b"[]"),
    ("a text", b'"createJob"'),
    ("null", b"null"),
    ("another encoding", '{"sentAt": "é"}'.encode("latin-1")),
    ("a NUL in a text", b'{"sentAt": "\\u0000"}'),
    ("half a surrogate pair", b'{"sentAt": "\\ud800"}'),
    ("33 levels of nesting", b'{"a": ' + b"[" * 33 + b"]" * 33 + b"}"),
    ("100,000 levels of nesting", b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}"),
)


@cases("body: {0}", "Refusals", over=NOT_JSON)
def no_message(line: ConformanceClient, body: tuple[str, bytes]) -> None:
    refused(line.send_raw("notifyJob", body[1]), 400, "invalidBody")


@case("body: an empty object", "Refusals")
def empty_object(line: ConformanceClient) -> None:
    refused(line.send("notifyJob", {}), 422, "invalidMessage", field="/messageId")


@case("body: over 1 MiB", "Transport")
def too_large(line: ConformanceClient) -> None:
    refused(line.send_raw("notifyJob", b'{"a": "' + b"x" * TOO_MANY_BYTES + b'"}'), 413, "tooLarge")


@cases("method: {0}", "Refusals", over=("GET", "PUT", "DELETE", "PATCH"))
def method(line: ConformanceClient, name: str) -> None:
    body = None if name == "GET" else b"{}"
    reply = refused(line.send_raw("notifyJob", body, method=name), 405, "methodNotAllowed")
    if "POST" not in reply.headers.get("allow", ""):
        raise Broken("The answer lacks Allow: POST.")


@cases("media type: {0}", "Refusals", over=("text/plain", "application/xml", "multipart/form-data"))
def media_type(line: ConformanceClient, name: str) -> None:
    reply = line.send_raw("notifyJob", b"{}", headers={"Content-Type": name})
    refused(reply, 415, "unsupportedMediaType")


@case("media type: application/json with a charset", "Transport")
def media_type_with_charset(line: ConformanceClient) -> None:
    reply = line.send_raw("notifyJob", b"{}", headers={"Content-Type": "application/json; charset=utf-8"})
    refused(reply, 422, "invalidMessage")


@case("path: no such operation", "Transport")
def wrong_path(line: ConformanceClient) -> None:
    refused(line.send("makeTea", {}), 404)


@case("messageId: not a UUID", "Members of every request")
def message_id(line: ConformanceClient) -> None:
    reply = line.send("notifyJob", {**provisioned("CONF-NO-SUCH-JOB"), "messageId": "one"})
    refused(reply, 422, "invalidMessage", field="/messageId")


@case("sentAt: without an offset", "Transport")
def sent_at(line: ConformanceClient) -> None:
    reply = line.send("notifyJob", {**event("onSite", "CONF-NO-SUCH-JOB"), "sentAt": "2026-11-23T08:00:00"})
    refused(reply, 422, "invalidMessage", field="/sentAt")


@case("certificate: none", "Transport")
def no_certificate(line: ConformanceClient) -> None:
    """A server may refuse the handshake or answer 401; one that is away, or deaf, does neither."""
    _is_alive(line)
    reply = _reply_to_nobody(line.nobody())
    if reply is not None:
        refused(reply, 401, "missingCredentials")
    _is_alive(line)


def _is_alive(line: ConformanceClient) -> None:
    refused(line.send("notifyJob", {}), 422, "invalidMessage")


def _reply_to_nobody(nobody: ConformanceClient) -> Reply | None:
    """None when the handshake was refused: by an alert, or by hanging up before there was a request."""
    connection = nobody.connect()
    try:
        if _closes_connection(connection):
            return None
        return ask(connection, nobody.path("notifyJob"), b"{}", headers=JSON_HEADERS)
    except ssl.SSLError as problem:
        # not of this kind: a certificate of theirs that does not verify, or no TLS at all
        if "_ALERT_" in str(problem):
            return None
        raise
    finally:
        connection.close()


def _closes_connection(connection: HTTPSConnection) -> bool:
    """In TLS 1.3 a client's handshake is done before the server has looked at its certificate."""
    try:
        connection.connect()
        connection.sock.settimeout(ACCEPTED_AFTER_SECONDS)
        return not _answered_in_time(connection.sock)
    except CONNECTION_CLOSED:
        return True


def _answered_in_time(line: ssl.SSLSocket) -> bool:
    """False only for the end of the line; silence is a line that is well."""
    try:
        return bool(line.recv(1))
    except TimeoutError:
        line.settimeout(TIMEOUT_SECONDS)
        return True


@case("connection: two requests on one", "Transport")
def keep_alive(line: ConformanceClient) -> None:
    connection = line.connect()
    try:
        for _turn in range(2):
            reply = ask(connection, line.path("notifyJob"), b"{}", headers=JSON_HEADERS)
            refused(reply, 422, "invalidMessage")
    finally:
        connection.close()


@case("connection: a body in chunks", "Transport")
def chunked(line: ConformanceClient) -> None:
    raw = json.dumps(provisioned("CONF-NO-SUCH-JOB") | {"messageId": "one"}).encode()
    reply = line.send_raw("notifyJob", (raw[at : at + 40] for at in range(0, len(raw), 40)))
    refused(reply, 422, "invalidMessage", field="/messageId")
