"""SOAP 1.1 envelopes: made for a request, and opened with a hardened parser for an answer, which may be hostile."""

from lxml import etree

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
MAX_BYTES = 256 * 1024
MAX_ELEMENTS = 2000
MAX_TEXT = 300


class NotReadable(Exception):
    """This is no SOAP envelope with one element in its Body; the text says why."""


def wrap(element: etree._Element) -> bytes:
    """The whole envelope around one element, in UTF-8."""
    envelope = etree.Element(f"{{{SOAP}}}Envelope", nsmap={"soap": SOAP})
    etree.SubElement(envelope, f"{{{SOAP}}}Body").append(element)
    whole: bytes = etree.tostring(envelope, xml_declaration=True, encoding="UTF-8")
    return whole


def unwrap(content: bytes) -> etree._Element:
    """The only element of the Body. Raises NotReadable.

    Refused: more than 256 KiB, a document type (and with it every entity), more than 2,000 elements; libxml2 itself
    refuses a depth of more than 256.
    """
    root = _parse(content)
    bodies = root.findall(f"{{{SOAP}}}Body") if root.tag == f"{{{SOAP}}}Envelope" else []
    if len(bodies) != 1 or len(bodies[0]) != 1:
        raise NotReadable("the answer is no SOAP envelope with one element in its Body")
    return bodies[0][0]


def _parse(content: bytes) -> etree._Element:
    if len(content) > MAX_BYTES:
        raise NotReadable("the answer is too large")
    # a parser of its own: threads that share one wait for each other
    parser = etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    try:
        root = etree.fromstring(content, parser)
    except (etree.XMLSyntaxError, ValueError) as problem:
        raise NotReadable("the answer is not XML") from problem
    if root.getroottree().docinfo.doctype:
        raise NotReadable("the answer has a document type")
    if sum(1 for _element in root.iter()) > MAX_ELEMENTS:
        raise NotReadable("the answer has too many elements")
    return root


def text_of(element: etree._Element | None) -> str:
    """Its text without blanks around it, cut where it is longer than anybody reads; empty for none."""
    return plain(element.text or "") if element is not None else ""


def plain(text: str) -> str:
    """As `text_of` reads it."""
    return " ".join(text.split())[:MAX_TEXT]


def fault_text(element: etree._Element) -> str | None:
    """Text of a SOAP fault, or its code where it has none; None for another element. Its children have no namespace in
    SOAP 1.1; some send one all the same."""
    if element.tag != f"{{{SOAP}}}Fault":
        return None
    texts = {etree.QName(child).localname: text_of(child) for child in element.iterchildren(etree.Element)}
    text = texts.get("faultstring") or texts.get("faultmessage", "")
    # the code is a name of the protocol and says nothing to an engineer
    return text or texts.get("faultcode", "")
