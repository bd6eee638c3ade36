"""What all operations of an endpoint have in common: path, role, methods, media type, refusals in their format."""

from dataclasses import replace
from pathlib import Path

import pytest

from seller_sandbox.endpoints import callers, operations, switches
from seller_sandbox.endpoints.asgi import serve
from seller_sandbox.endpoints.exchange import Answer, Request, json_answer
from seller_sandbox.endpoints.models import Mode
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.network.loading import load_network
from seller_sandbox.orders.models import Order, OrderKind
from seller_sandbox.orders.wire import parsing
from seller_sandbox.tests import make
from seller_sandbox.tests.environment import free_port
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.processes import Caller, fault_of, start, wait_for_port

pytestmark = pytest.mark.django_db
XML = "text/xml"


def write_as_xml(status: int, code: str, message: str) -> Answer:
    return Answer(status, f"<fault code='{code}'>{message}</fault>".encode(), XML)


def greet(request: Request) -> Answer:
    return Answer(200, f"<greeting role='{request.role}'/>".encode(), f"{XML}; charset=utf-8")


def fail(_: Request) -> Answer:
    raise RuntimeError("the disk is full")


operations.register(
    path="tests/greet", role="visitor", receive=greet, media_types=(XML,), refuse=write_as_xml
)
operations.register(path="tests/fail", role="visitor", receive=fail, media_types=(XML,), refuse=write_as_xml)
operations.register(path="tests/download.xsd", role="", receive=greet, methods=("GET",))
callers.register("visitor", lambda subject: subject in {"visitor", "both"})
callers.register("guide", lambda subject: subject == "both")

CALL = Request(
    endpoint="A",
    operation="tests/greet",
    method="POST",
    content_type=XML,
    body=b"<hello/>",
    subject="visitor",
    address="127.0.0.1",
)


def answer_to(**changes: object) -> Answer:
    return serve(replace(CALL, **changes))[1]


def test_operation_is_served_with_its_own_content_type_and_role() -> None:
    assert answer_to() == Answer(200, b"<greeting role='visitor'/>", "text/xml; charset=utf-8")


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"subject": None}, 401, "missingCredentials"),
        ({"subject": "partner"}, 403, "accessDenied"),
        ({"subject": "nobody"}, 403, "accessDenied"),
        ({"address": "192.0.2.7"}, 403, "accessDenied"),
        ({"method": "GET"}, 405, "methodNotAllowed"),
        ({"method": "PUT"}, 405, "methodNotAllowed"),
        ({"content_type": "application/json"}, 415, "unsupportedMediaType"),
        ({"content_type": "text/xml; charset=latin-1"}, 415, "unsupportedMediaType"),
        ({"body": None}, 413, "tooLarge"),
        ({"operation": "tests/fail"}, 503, "tryAgain"),
    ],
)
def test_refusal_is_in_the_format_of_the_operation(changes: dict, status: int, code: str) -> None:
    answer = answer_to(**changes)

    assert (answer.status, answer.content_type) == (status, XML)
    assert f"code='{code}'" in answer.body


def test_headers_that_a_refusal_needs() -> None:
    assert answer_to(method="GET").headers == {"Allow": "POST"}
    assert answer_to(operation="tests/download.xsd", method="POST").headers == {"Allow": "GET"}
    assert answer_to(body=None).headers == {"Connection": "close"}
    assert answer_to(operation="tests/fail").headers == {"Retry-After": "2"}


def test_fault_switch_answers_in_the_format_of_the_operation() -> None:
    switches.set_switch(endpoint="A", mode=Mode.FAIL, status=500, retry_after=7)

    answer = answer_to()

    assert (answer.status, answer.content_type, answer.headers) == (500, XML, {"Retry-After": "7"})


def test_partner_may_not_call_what_is_not_for_partners() -> None:
    assert answer_to(subject="partner").status == 403
    for operation in ("notifyJob", "closeJob"):
        refused = answer_to(operation=operation, subject="visitor", content_type="application/json")
        assert (refused.status, refused.body["fault"]["faultcode"]) == (403, "accessDenied")


def test_caller_may_have_two_roles() -> None:
    assert callers.roles_of("both") == {"visitor", "guide"}
    assert answer_to(subject="both").status == 200


@pytest.mark.parametrize("subject", ["visitor", "partner"])
def test_download_is_open_to_every_known_caller_by_get(subject: str) -> None:
    download = {"operation": "tests/download.xsd", "subject": subject, "content_type": "", "body": b""}

    assert answer_to(**download, method="GET").status == 200
    assert answer_to(**download, method="POST").status == 405


def test_unknown_path_is_not_found() -> None:
    assert answer_to(operation="tests/nothing").status == 404
    assert answer_to(operation="tests/nothing", subject="nobody").status == 403


def test_path_and_role_belong_to_one_registration() -> None:
    with pytest.raises(ValueError, match="two operations have the path notifyJob"):
        operations.register(path="notifyJob", role="visitor", receive=greet)
    with pytest.raises(ValueError, match="the role partner has a lookup already"):
        callers.register("partner", lambda _: True)


def test_answer_says_what_it_holds() -> None:
    assert json_answer(200, {"a": 1}).body == {"a": 1}
    assert greet(CALL).body == "<greeting role=''/>"


def test_message_that_was_not_read_is_in_the_log(caller: Caller) -> None:
    refused = caller.send("PUT", "notifyJob", b"{}")

    assert fault_of(refused) == (405, "methodNotAllowed")
    assert refused.headers["allow"] == "POST"
    message = InboundMessage.objects.get()
    assert (message.caller, message.answer_status) == ("partner", 405)
    assert [breach["code"] for breach in message.breaches] == ["methodNotAllowed:methodNotAllowed"]


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("action", ['"urn:something:else"', '""', "ceaseOrder"])
def test_soap_action_of_an_order_is_ignored(caller: Caller, action: str) -> None:
    """order-provisioning.md, Transport and message rules 2: path and body decide."""
    load_network(copies=1)
    content = parsing.build(samples.request())

    answer = replace(caller, certificate="buyer-a").send(
        "POST", "order", content, XML, **{"SOAPAction": action, "SOAP-Action": action}
    )

    assert answer.status == 200
    assert Order.objects.get().kind == OrderKind.NEW_INSTALL


@pytest.mark.django_db(transaction=True)
def test_base_path_stands_before_every_path(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SANDBOX_BASE_PATH", "api2/sit/")
    port = free_port()
    process = start("serve_endpoint", "--name", "A", "--port", str(port), log=folder / "base_path.log")
    wait_for_port(port, process)
    try:
        caller, job = Caller(folder, port), make.job()
        assert caller.post("api2/sit/notifyJob", make.assigned(job)).status == 200
        for path in ("notifyJob", "api2/notifyJob", "api2/sitnotifyJob"):
            assert fault_of(caller.post(path, make.assigned(job))) == (404, "notFound")
    finally:
        process.stop()
