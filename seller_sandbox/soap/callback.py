"""The buyer's answer to a notification: an acknowledgement, a fault, or nothing that we can read."""

from dataclasses import dataclass

from lxml import etree

from seller_sandbox.soap import envelope, validation
from seller_sandbox.soap.interfaces import Interface
from seller_sandbox.soap.layout import text_of
from seller_sandbox.soap.namespaces import SOAP, soap
from seller_sandbox.soap.problems import InvalidMessage, NotXml

MESSAGE_ID = "acknowledgedMessageId"
MAX_TEXT = 500


@dataclass(frozen=True)
class CallbackAnswer:
    """`message_id` is what an acknowledgement names, "" where it names nothing; `problem` says what is wrong."""

    is_acknowledgement: bool = False
    message_id: str = ""
    fault_code: str = ""
    fault_message: str = ""
    problem: str = ""

    def acknowledges(self, message_id: str) -> bool:
        """The answer belongs to its request anyway, so that naming the message is left to the buyer."""
        return self.is_acknowledgement and self.message_id in {"", message_id}


def read(content: bytes, *, interface: Interface, name: str) -> CallbackAnswer:
    """`name` is the acknowledgement's element. Never raises for what a buyer sends."""
    try:
        element = envelope.open_envelope(content)
        if element.tag == soap("Fault"):
            return _fault(element)
        if element.tag != interface.tag(name):
            return CallbackAnswer(problem=f"the answer is {element.tag[:MAX_TEXT]} and no {name}")
        validation.validate(element, interface)
    except (NotXml, InvalidMessage) as problem:
        return CallbackAnswer(problem=str(problem)[:MAX_TEXT])
    named = element.find(interface.tag(MESSAGE_ID))
    return CallbackAnswer(is_acknowledgement=True, message_id="" if named is None else text_of(named))


def _fault(fault: etree._Element) -> CallbackAnswer:
    """Its children have no namespace in SOAP 1.1; some send one all the same."""
    texts = {etree.QName(child).localname: text_of(child)[:MAX_TEXT] for child in fault}
    code = texts.get("faultcode", "").rpartition(":")[2]
    message = texts.get("faultstring") or texts.get("faultmessage", "")
    return CallbackAnswer(
        fault_code=code, fault_message=message, problem=f"fault {code}: {message}"[:MAX_TEXT]
    )


def acknowledge(message_id: str, *, namespace: str, name: str) -> bytes:
    """What a buyer answers to the notification with this message id."""
    body = envelope.new_body({None: namespace, "soapenv": SOAP})
    element = etree.SubElement(body, f"{{{namespace}}}{name}")
    etree.SubElement(element, f"{{{namespace}}}{MESSAGE_ID}").text = message_id
    return envelope.write(body)
