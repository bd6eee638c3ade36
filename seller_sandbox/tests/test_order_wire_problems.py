"""All problems of a message at once, each with its path and a remedy (docs/order-messages.md, Faults)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from seller_sandbox.orders.wire import parsing
from seller_sandbox.orders.wire.namespaces import BASE, INTERFACE
from seller_sandbox.soap import schema_model
from seller_sandbox.soap.problems import FaultCode, InvalidMessage, MessageProblem
from seller_sandbox.tests.order_messages import HEADER, cease, envelope, new_install


def problems_of(content: bytes) -> tuple[MessageProblem, ...]:
    with pytest.raises(InvalidMessage) as refused:
        parsing.parse(content)
    return refused.value.problems


def test_all_problems_are_named_at_once() -> None:
    inside = (
        "<newOrderType>Move</newOrderType><requestedDate>31/12/2026</requestedDate>"
        "<siteInformation><powerSockets>maybe</powerSockets></siteInformation><colour>red</colour>"
    )
    header = HEADER.replace("2026-11-23T09:30:00Z", "now").replace(
        "<buyerIdentifier>BUYERA</buyerIdentifier>", ""
    )
    content = envelope(f"<orderRequest>{header}<alaNewInstall a='1'>{inside}</alaNewInstall></orderRequest>")

    assert [(problem.path, problem.remedy) for problem in problems_of(content)] == [
        (
            "orderRequest/message/sentAt",
            "Send date, time and offset, as in 2026-11-23T08:00:00+00:00; the year lies between 1900 and 2199.",
        ),
        ("orderRequest/buyer", "Add buyerIdentifier; docs/order-messages.md shows the order of elements."),
        ("orderRequest/alaNewInstall", "Leave the attribute out."),
        ("orderRequest/alaNewInstall/newOrderType", "Send Regrade, Switch or WLTO."),
        (
            "orderRequest/alaNewInstall/requestedDate",
            "Send a date as YYYY-MM-DD. A time after it is aligned to midnight of the same day.",
        ),
        ("orderRequest/alaNewInstall/siteInformation/powerSockets", "Send true or false."),
        (
            "orderRequest/alaNewInstall/colour",
            "Before it, or in its place, send one of serviceConfiguration, auxiliaryServices, "
            "ext:projectReference; docs/order-messages.md shows the order of elements.",
        ),
    ]


def test_element_without_its_namespace_is_named() -> None:
    [problem] = problems_of(cease('<serviceIdentifier xmlns="">F</serviceIdentifier>'))

    assert problem.path == "orderRequest/alaCease/serviceIdentifier"
    assert problem.remedy.startswith(f"Elements of this interface are in the namespace {BASE} or ")


def test_request_without_a_namespace_is_named() -> None:
    [problem] = problems_of(envelope(f'<orderRequest xmlns="">{HEADER}</orderRequest>'))

    assert problem.message == "orderRequest is not a request of this interface"
    assert "amendOrderRequest, cancelOrderRequest, orderRequest" in problem.remedy


@pytest.mark.parametrize(
    "name", ["orderResponse", "notifyOfOrderStatus", "unsolicitedCeaseRequest", "faultDetail"]
)
def test_message_that_is_no_request_is_refused(name: str) -> None:
    [problem] = problems_of(envelope(f"<{name}/>"))

    assert problem.message.endswith("is not a request of this interface")


@pytest.mark.parametrize(
    "kinds",
    [
        "",
        "<alaCease><serviceIdentifier>F</serviceIdentifier></alaCease><alaNewInstall/>",
        "<alaNewInstall/><alaNewInstall/>",
    ],
)
def test_order_has_exactly_one_kind(kinds: str) -> None:
    [problem] = problems_of(envelope(f"<orderRequest>{HEADER}{kinds}</orderRequest>"))

    assert problem.path.startswith("orderRequest")


@pytest.mark.parametrize(
    "text",
    [
        "2026-13-01",
        "2026-02-30",
        "0001-01-01",
        "9999-12-31",
        "2026-11-23Z",
        "2026-11-23T24:00:00",
        "2026-11-23T10:00:60",
        "2026-11-23T10:00:00+15:00",
        "",
    ],
)
def test_date_that_is_none_is_refused(text: str) -> None:
    content = cease(f"<serviceIdentifier>F</serviceIdentifier><requestedDate>{text}</requestedDate>")

    assert [problem.path for problem in problems_of(content)] == ["orderRequest/alaCease/requestedDate"]


@pytest.mark.parametrize(
    "text", ["2026-11-23T09:30:00", "2026-11-23", "1026-11-23T09:30:00Z", "0000-01-01T00:00:00Z"]
)
def test_instant_needs_an_offset_and_a_sensible_year(text: str) -> None:
    content = new_install().replace(b"2026-11-23T09:30:00Z", text.encode())

    assert [problem.path for problem in problems_of(content)] == ["orderRequest/message/sentAt"]


def test_repeated_element_is_counted() -> None:
    both = "<acceptEstimate/><rejectCost/>"
    amendment = f"<amendment><complexOrderAnswer>{both}</complexOrderAnswer></amendment>"
    target = "<targetSellerOrderReference>S</targetSellerOrderReference>"

    [problem] = problems_of(envelope(f"<amendOrderRequest>{HEADER}{target}{amendment}</amendOrderRequest>"))

    assert problem.path == "amendOrderRequest/amendment/complexOrderAnswer/rejectCost"


def test_problem_of_a_nested_prefix_is_found() -> None:
    content = cease("<serviceIdentifier>F</serviceIdentifier>").replace(
        b"<alaCease>", f'<alaCease xmlns:a="{BASE}"><a:requestedDate>x</a:requestedDate>'.encode()
    )

    assert problems_of(content)[0].path == "orderRequest/alaCease/requestedDate"


@pytest.mark.parametrize(
    ("soap", "code"),
    [
        ("http://www.w3.org/2003/05/soap-envelope", FaultCode.VERSION_MISMATCH),
        ("urn:none", FaultCode.VERSION_MISMATCH),
    ],
)
def test_other_version_of_soap_is_named(soap: str, code: FaultCode) -> None:
    with pytest.raises(InvalidMessage, match="The envelope's namespace is") as refused:
        parsing.parse(envelope("<orderResponse/>", soap=soap))

    assert refused.value.code == code


@pytest.mark.parametrize(
    ("attributes", "is_refused"),
    [
        ('s:mustUnderstand="1"', True),
        ('s:mustUnderstand="1" s:actor="http://schemas.xmlsoap.org/soap/actor/next"', True),
        ('s:mustUnderstand="1" s:actor="urn:somebody-else"', False),
        ('s:mustUnderstand="0"', False),
        ("", False),
    ],
)
def test_header_entry_that_must_be_understood_is_refused(attributes: str, *, is_refused: bool) -> None:
    entry = f'<s:Header><t:Security xmlns:t="urn:t" {attributes}/></s:Header>'
    content = envelope(f"<orderRequest>{HEADER}<alaNewInstall/></orderRequest>", header=entry)
    if not is_refused:
        assert parsing.parse(content).kind == "alaNewInstall"
        return

    with pytest.raises(InvalidMessage) as refused:
        parsing.parse(content)

    assert refused.value.code == FaultCode.MUST_UNDERSTAND
    assert refused.value.problems[0].path == "Envelope/Header/Security"


def test_threads_do_not_mix_their_problems() -> None:
    """The compiled schema is shared, and holds the errors of its last use."""

    def are_own(number: int) -> list[bool]:
        name = ("hazards", "contactName", "contactEmail")[number % 3]
        inside = f"<siteInformation><{name}>{'x' * 2001}</{name}></siteInformation>"
        return [problem.path.rpartition("/")[2] == name for problem in problems_of(new_install(inside))]

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(are_own, range(600))) == [[True]] * 600


def test_every_simple_type_says_what_to_send() -> None:
    simple = {name: row.text for name, row in schema_model.types(INTERFACE).items() if not row.children}

    assert [name for name, text in simple.items() if not text.endswith(".")] == []
