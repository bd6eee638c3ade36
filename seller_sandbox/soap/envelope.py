"""SOAP 1.1 envelopes: opened with a hardened parser, and made.

Refused: a document type, entities, processing instructions, another encoding than UTF-8 and UTF-16, more than 1 MiB, 32
levels or 2,000 elements and attributes (SOAP 1.1, section 3; WS-I Basic Profile 1.0, R1008, R1009, R1011, R1012).
"""

import re
from collections.abc import Mapping

from lxml import etree

from seller_sandbox.soap.namespaces import SOAP, SOAP_NEXT, soap
from seller_sandbox.soap.problems import FaultCode, InvalidMessage, MessageProblem, NotXml

MAX_BYTES = 1024 * 1024
MAX_DEPTH = 32
MAX_ELEMENTS = 2000
ENVELOPE, HEADER, BODY = soap("Envelope"), soap("Header"), soap("Body")
DECLARED_ENCODING = re.compile(rb"""\A(?:\xef\xbb\xbf)?<\?xml[^>]*?\bencoding\s*=\s*["']([^"']*)["']""")
DECLARATION = re.compile(rb"\A(?:\xef\xbb\xbf)?<\?xml\s")
UTF_16 = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"<\x00": "utf-16-le", b"\x00<": "utf-16-be"}
ONE_ELEMENT = "Send a SOAP 1.1 envelope with exactly one element in its Body."
_too_deep = etree.XPath("boolean(" + "/*" * (MAX_DEPTH + 1) + ")")


def _parser() -> etree.XMLParser:
    return etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        huge_tree=False,
        remove_comments=True,
    )


_PARSER = _parser()


def open_envelope(content: bytes) -> etree._Element:
    """The only element of the Body. Raises NotXml or InvalidMessage."""
    envelope = parse_document(content)
    if envelope.tag != ENVELOPE:
        _refuse_root(envelope)
    children = list(envelope)
    if children and children[0].tag == HEADER:
        _check_header(children.pop(0))
    if [child.tag for child in children] != [BODY]:
        raise _invalid("Envelope", "After an optional Header there must be one Body and nothing else")
    if len(children[0]) != 1 or (children[0].text or "").strip() or (children[0][0].tail or "").strip():
        raise _invalid("Envelope/Body", f"There are {len(children[0])} elements, or a text next to them")
    return children[0][0]


def parse_document(content: bytes) -> etree._Element:
    """The root of a document within the limits. Raises NotXml."""
    if len(content) > MAX_BYTES:
        raise NotXml(f"The message has more than {MAX_BYTES:,} bytes", "Send less")
    content = _as_utf_8(content)
    try:
        root = etree.fromstring(content, _PARSER)
    except (etree.XMLSyntaxError, ValueError) as problem:
        raise NotXml(_syntax(problem), "Send a well-formed XML document") from None
    _check_document(root, content)
    return root


def _syntax(problem: Exception) -> str:
    return f"Not well-formed XML: {str(problem).removesuffix(' (<string>, line 1)')[:300]}"


def _as_utf_8(content: bytes) -> bytes:
    """UTF-16, which every receiver of SOAP must know, becomes UTF-8. Raises NotXml for other encodings."""
    if encoding := UTF_16.get(content[:2]):
        try:
            return content.decode(encoding).encode()
        except UnicodeError:
            raise NotXml("The message is not valid UTF-16", "Send UTF-8") from None
    declared = DECLARED_ENCODING.match(content)
    if declared and declared.group(1).lower() not in {b"utf-8", b"utf8", b"us-ascii", b"ascii"}:
        name = declared.group(1).decode("ascii", "replace")[:40]
        raise NotXml(f"The encoding {name} is not read", "Send UTF-8 or UTF-16 and declare it")
    return content


def _check_document(root: etree._Element, content: bytes) -> None:
    tree = root.getroottree()
    if tree.docinfo.internalDTD is not None:
        raise NotXml("The message has a document type (DOCTYPE)", "Send it without; entities are not read")
    # each of them needs four bytes at least
    if len(content) > 4 * MAX_ELEMENTS and _count(root) > MAX_ELEMENTS:
        raise NotXml(f"The message has more than {MAX_ELEMENTS:,} elements and attributes", "Send fewer")
    # each level but the last needs an end tag
    if content.count(b"</") >= MAX_DEPTH and _too_deep(tree):
        raise NotXml(f"The message is nested deeper than {MAX_DEPTH} elements", "Send a flatter one")
    # these bytes may stand in a comment, too
    if content.count(b"<?") > bool(DECLARATION.match(content)) and _has_instruction(root):
        raise NotXml("The message has a processing instruction", "Send it without, as SOAP 1.1 requires")


def _count(root: etree._Element) -> int:
    return sum(1 + len(element.attrib) for element in root.iter(etree.Element))


def _has_instruction(root: etree._Element) -> bool:
    """By walking: an XPath expression takes ten seconds for 20,000 of them, and its time grows with the square."""
    kind = etree.ProcessingInstruction
    walks = (root.itersiblings(kind, preceding=True), root.iter(kind), root.itersiblings(kind))
    return any(next(found, None) is not None for found in walks)


def _refuse_root(root: etree._Element) -> None:
    name = etree.QName(root)
    if name.localname == "Envelope":
        problem = MessageProblem(
            "Envelope",
            f"The envelope's namespace is {name.namespace or 'empty'}",
            f"Send SOAP 1.1: the namespace {SOAP}.",
        )
        raise InvalidMessage(problem, code=FaultCode.VERSION_MISMATCH)
    raise _invalid(name.localname, "The root element is not a SOAP envelope")


def _check_header(header: etree._Element) -> None:
    """No header entry is known here, so one that must be understood is refused (SOAP 1.1, section 4.2.3)."""
    problems = [
        MessageProblem(
            f"Envelope/Header/{etree.QName(entry).localname}",
            "This header entry must be understood and is not known",
            "Leave it out, or its mustUnderstand attribute.",
        )
        for entry in header
        if (entry.get(soap("mustUnderstand")) or "").strip() in {"1", "true"}
        and entry.get(soap("actor"), SOAP_NEXT) in {"", SOAP_NEXT}
    ]
    if problems:
        raise InvalidMessage(*problems, code=FaultCode.MUST_UNDERSTAND)


def _invalid(path: str, message: str) -> InvalidMessage:
    return InvalidMessage(MessageProblem(path, message, ONE_ELEMENT))


def new_body(prefixes: Mapping[str | None, str]) -> etree._Element:
    """The empty Body of a new envelope: `write` renders it when its element has been added."""
    envelope = etree.Element(ENVELOPE, nsmap=prefixes)
    return etree.SubElement(envelope, BODY)


def write(body: etree._Element) -> bytes:
    """The whole envelope in UTF-8, indented for people."""
    envelope = body.getparent()
    etree.indent(envelope)
    return etree.tostring(envelope, xml_declaration=True, encoding="UTF-8") + b"\n"
