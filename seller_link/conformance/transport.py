"""What holds for every request on either side: TLS, HTTP and JSON itself."""

import json

from seller_link.conformance.cases import Broken, case, cases, refused
from seller_link.conformance.line import JSON_HEADERS, TROUBLE, Line, ask
from seller_link.conformance.messages import event, provisioned

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
def no_message(line: Line, body: tuple[str, bytes]) -> None:
    refused(line.send_raw("notifyJob", body[1]), 400, "invalidBody")


@case("body: an empty object", "Refusals")
def empty_object(line: Line) -> None:
    refused(line.send("notifyJob", {}), 422, "invalidMessage", field="/messageId")


@case("body: over 1 MiB", "Transport")
def too_large(line: Line) -> None:
    refused(line.send_raw("notifyJob", b'{"a": "' + b"x" * TOO_MANY_BYTES + b'"}'), 413, "tooLarge")


@cases("method: {0}", "Refusals", over=("GET", "PUT", "DELETE", "PATCH"))
def method(line: Line, name: str) -> None:
    body = None if name == "GET" else b"{}"
    reply = refused(line.send_raw("notifyJob", body, method=name), 405, "methodNotAllowed")
    if "POST" not in reply.headers.get("allow", ""):
        raise Broken("The answer lacks Allow: POST.")


@cases("media type: {0}", "Refusals", over=("text/plain", "application/xml", "multipart/form-data"))
def media_type(line: Line, name: str) -> None:
    reply = line.send_raw("notifyJob", b"{}", headers={"Content-Type": name})
    refused(reply, 415, "unsupportedMediaType")


@case("media type: application/json with a charset", "Transport")
def media_type_with_charset(line: Line) -> None:
    reply = line.send_raw("notifyJob", b"{}", headers={"Content-Type": "application/json; charset=utf-8"})
    refused(reply, 422, "invalidMessage")


@case("path: no such operation", "Transport")
def wrong_path(line: Line) -> None:
    refused(line.send("makeTea", {}), 404)


@case("messageId: not a UUID", "Members of every request")
def message_id(line: Line) -> None:
    reply = line.send("notifyJob", {**provisioned("CONF-NO-SUCH-JOB"), "messageId": "one"})
    refused(reply, 422, "invalidMessage", field="/messageId")


@case("sentAt: without an offset", "Transport")
def sent_at(line: Line) -> None:
    reply = line.send("notifyJob", {**event("onSite", "CONF-NO-SUCH-JOB"), "sentAt": "2026-11-23T08:00:00"})
    refused(reply, 422, "invalidMessage", field="/sentAt")


@case("certificate: none", "Transport")
def no_certificate(line: Line) -> None:
    """A server may end the handshake or answer 401."""
    try:
        reply = line.nobody().send("notifyJob", {})
    except TROUBLE:
        return
    refused(reply, 401, "missingCredentials")


@case("connection: two requests on one", "Transport")
def keep_alive(line: Line) -> None:
    connection = line.connect()
    try:
        for _turn in range(2):
            reply = ask(connection, line.path("notifyJob"), b"{}", headers=JSON_HEADERS)
            refused(reply, 422, "invalidMessage")
    finally:
        connection.close()


@case("connection: a body in chunks", "Transport")
def chunked(line: Line) -> None:
    raw = json.dumps(provisioned("CONF-NO-SUCH-JOB") | {"messageId": "one"}).encode()
    reply = line.send_raw("notifyJob", (raw[at : at + 40] for at in range(0, len(raw), 40)))
    refused(reply, 422, "invalidMessage", field="/messageId")
