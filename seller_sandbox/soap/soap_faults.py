"""SOAP 1.1 faults (section 4.4): what is wrong with a message, all of it, with remedies in the detail."""

from collections.abc import Sequence
from dataclasses import dataclass

from lxml import etree

from seller_sandbox.soap import envelope
from seller_sandbox.soap.interfaces import Interface
from seller_sandbox.soap.layout import writable
from seller_sandbox.soap.namespaces import SOAP, soap
from seller_sandbox.soap.problems import FaultCode, InvalidMessage, MessageProblem, NotXml


@dataclass(frozen=True)
class SoapFault:
    """A fault with the HTTP status that it goes out with."""

    status: int
    content: bytes


def of_message(problem: NotXml | InvalidMessage, interface: Interface, *, status: int = 400) -> SoapFault:
    """The message cannot be read or breaks the schema."""
    count = len(problem.problems)
    first = problem.problems[0]
    text = f"{first.message}. {first.remedy}" if count == 1 else f"The message has {count} problems"
    # a header entry has no detail (SOAP 1.1, section 4.4)
    detail = () if problem.code == FaultCode.MUST_UNDERSTAND else problem.problems
    content = build(code=problem.code, message=text, problems=detail, interface=interface)
    return SoapFault(status, content)


def of_status(
    status: int, message: str, *, fault_code: str = "", interface: Interface | None = None
) -> SoapFault:
    """Any other refusal of the transport: a missing certificate, an unknown path, the sandbox's own error.

    `interface`: the one whose schema has a `fault` for the detail, with `fault_code` (field-names.md, 6.3).
    """
    code = FaultCode.SERVER if status >= 500 else FaultCode.CLIENT
    body, fault = _new_fault(code, message, interface)
    if interface:
        element = etree.SubElement(etree.SubElement(fault, "detail"), interface.tag("fault"))
        for name, text in (("faultcode", fault_code), ("faultmessage", message)):
            etree.SubElement(element, interface.tag(name)).text = writable(text)
    return SoapFault(status, envelope.write(body))


def build(
    *,
    code: FaultCode,
    message: str,
    problems: Sequence[MessageProblem] = (),
    interface: Interface | None = None,
) -> bytes:
    """The envelope of a fault; problems need the interface, whose faultDetail they become."""
    body, fault = _new_fault(code, message, interface)
    if problems and interface:
        detail = etree.SubElement(etree.SubElement(fault, "detail"), interface.tag("faultDetail"))
        for problem in problems:
            _add(detail, problem, interface)
    return envelope.write(body)


def _new_fault(
    code: FaultCode, message: str, interface: Interface | None
) -> tuple[etree._Element, etree._Element]:
    """The body of an envelope, and the fault in it."""
    # the children of a Fault have no namespace, so that the envelope may have no default one
    prefixes = {"soapenv": SOAP, **({"o": interface.namespace} if interface else {})}
    body = envelope.new_body(prefixes)
    fault = etree.SubElement(body, soap("Fault"))
    etree.SubElement(fault, "faultcode").text = f"soapenv:{code}"
    etree.SubElement(fault, "faultstring").text = writable(message)
    return body, fault


def _add(detail: etree._Element, problem: MessageProblem, interface: Interface) -> None:
    row = etree.SubElement(detail, interface.tag("problem"))
    for name in ("path", "message", "remedy"):
        etree.SubElement(row, interface.tag(name)).text = writable(getattr(problem, name))
