"""XML that means harm, or that nobody meant: two declared exceptions, and never anything else."""

import time
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from seller_sandbox.orders.wire import callback, examples, parsing
from seller_sandbox.orders.wire.namespaces import BASE, EXTENSION, INTERFACE
from seller_sandbox.soap import schema_model
from seller_sandbox.soap.envelope import MAX_BYTES
from seller_sandbox.soap.namespaces import SOAP
from seller_sandbox.soap.problems import InvalidMessage, NotXml
from seller_sandbox.tests.order_messages import HEADER, NEW_INSTALL, cease, envelope, new_install

LAUGHS = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
BILLION_LAUGHS = f'<!DOCTYPE s [<!ENTITY l0 "lol">{LAUGHS}]>'
EXAMPLES = [parsing.build(request) for _, _, request in examples.REQUESTS]


def test_billion_laughs_end_at_once() -> None:
    content = new_install("<addressKey>&l11;</addressKey>").decode()
    in_attribute = content.replace("<addressKey>", '<addressKey a="&l11;">')
    started = time.process_time()

    with pytest.raises(NotXml):
        parsing.parse(f"{BILLION_LAUGHS}{content}".encode())
    with pytest.raises(NotXml):
        parsing.parse(f"{BILLION_LAUGHS}{in_attribute}".encode())

    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "doctype",
    [
        "<!DOCTYPE s>",
        '<!DOCTYPE s [<!ENTITY a "x">]>',
        '<!DOCTYPE s SYSTEM "file:///etc/passwd">',
        '<!DOCTYPE s PUBLIC "-//W3C//DTD XHTML 1.0//EN" "http://127.0.0.1:9/x.dtd">',
        '<!DOCTYPE s [<!ENTITY % p SYSTEM "http://127.0.0.1:9/p.dtd">%p;]>',
    ],
)
def test_document_type_is_refused(doctype: str) -> None:
    with pytest.raises(NotXml, match=r"document type|well-formed"):
        parsing.parse(doctype.encode() + new_install())


def test_external_entity_is_not_read(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("4711")
    entity = f'<!DOCTYPE s [<!ENTITY x SYSTEM "{secret.as_uri()}">]>'

    with pytest.raises(NotXml) as refused:
        parsing.parse(entity.encode() + new_install("<addressKey>&x;</addressKey>"))

    assert "4711" not in str(refused.value)


class Counter(BaseHTTPRequestHandler):
    """Counts who asks."""

    asked: list[str] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_error(404)


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE s SYSTEM "{url}a.dtd">{message}',
        '<!DOCTYPE s [<!ENTITY % p SYSTEM "{url}b.dtd">%p;]>{message}',
        '<?xml-stylesheet href="{url}c.xsl"?>{message}',
    ],
)
def test_nothing_is_fetched(text: str) -> None:
    with HTTPServer(("127.0.0.1", 0), Counter) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_port}/"
        message = new_install().decode()
        with pytest.raises(NotXml):
            parsing.parse(text.replace("{url}", url).replace("{message}", message).encode())
        hint = f'<orderRequest xmlns:i="http://www.w3.org/2001/XMLSchema-instance" i:schemaLocation="urn:x {url}d.xsd">'
        parsing.parse(message.replace("<orderRequest>", hint).encode())
        server.shutdown()

    assert Counter.asked == []


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "well-formed"),
        (b"{}", "well-formed"),
        (b"<a>", "well-formed"),
        (b"\x00", "well-formed"),
        (NEW_INSTALL.replace(b"Jo Marsh", b"Jo\x00Marsh"), "well-formed"),
        (NEW_INSTALL.replace(b"Jo Marsh", b"Jo&#0;Marsh"), "well-formed"),
        (NEW_INSTALL.replace(b"Jo Marsh", b"Jo\x01Marsh"), "well-formed"),
        (NEW_INSTALL.replace(b"Jo Marsh", b"Jo\xffMarsh"), "well-formed"),
        (NEW_INSTALL + b"<again/>", "well-formed"),
        (b"<a " + b'b="' + b"x" * MAX_BYTES + b'"/>', "more than 1,048,576 bytes"),
        (b"<a>" * 33 + b"</a>" * 33, "nested deeper than 32"),
        (b"<a>" * 32 + b"<a/>" + b"</a>" * 32, "nested deeper than 32"),
        (b"<a>" * 300 + b"</a>" * 300, "well-formed"),
        (b"<a>" + b"<b/>" * 2000 + b"</a>", "more than 2,000 elements"),
        (b"<a>" + b"<b/>" * 250_000 + b"</a>", "more than 2,000 elements"),
        (b"<a " + b" ".join(b"a%d=''" % n for n in range(90_000)) + b"/>", "elements and attributes"),
        (NEW_INSTALL.replace(b"UTF-8", b"ISO-8859-1"), "encoding ISO-8859-1 is not read"),
        (NEW_INSTALL.replace(b"UTF-8", b"no-such"), "encoding no-such is not read"),
        (b"\xff\xfe<\x00a", "not valid UTF-16"),
        (new_install().replace(b"<alaNewInstall>", b"<?php x?><alaNewInstall>"), "processing instruction"),
        (b"<?go?>" + new_install(), "processing instruction"),
        (new_install() + b"<?go?>", "processing instruction"),
    ],
)
def test_what_is_not_a_document_is_refused(content: bytes, text: str) -> None:
    with pytest.raises(NotXml, match=text):
        parsing.parse(content)


@pytest.mark.parametrize(
    "content",
    [
        b"<a>" + b"<?x?>" * 200_000 + b"</a>",
        b"<?x?>" * 200_000 + b"<a/>",
        b"<a/>" + b"<?x?>" * 200_000,
        b"<!-- x -->" * 100_000 + b"<a/>",
        b"<a>" + b"<![CDATA[<?]]>" * 70_000 + b"</a>",
        b"<a " + b" ".join(b"xmlns:a%d='u%d'" % (n, n) for n in range(40_000)) + b"/>",
        b"<!DOCTYPE s [" + b"".join(b"<!ENTITY e%d 'x'>" % n for n in range(45_000)) + b"]><a/>",
        NEW_INSTALL.replace(b"2026-11-23T", b"2" * 1_000_000),
        NEW_INSTALL.replace(b"Jo Marsh", b"&#120;" * 170_000),
    ],
    ids=lambda content: content[:16].decode(),
)
def test_megabyte_of_anything_is_refused_within_a_second(content: bytes) -> None:
    started = time.process_time()

    with pytest.raises((InvalidMessage, NotXml)):
        parsing.parse(content)

    assert time.process_time() - started < 1


def test_thirty_two_levels_are_read() -> None:
    with pytest.raises(InvalidMessage, match="The root element is not a SOAP envelope"):
        parsing.parse(b"<a>" * 32 + b"</a>" * 32)


def test_attribute_of_a_megabyte_is_refused() -> None:
    huge = b'<orderRequest b="' + b"x" * (MAX_BYTES - 2000) + b'">'

    with pytest.raises(InvalidMessage, match="not allowed") as refused:
        parsing.parse(new_install().replace(b"<orderRequest>", huge))

    assert len(str(refused.value)) < 2000


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_both_encodings_of_soap_are_read(encoding: str) -> None:
    text = NEW_INSTALL.decode().replace("UTF-8", encoding.removesuffix("-sig")).replace("Jo", "Zoë 🏠")
    content = text.replace("utf-16-le", "utf-16").replace("utf-16-be", "utf-16").encode(encoding)

    assert parsing.parse(content).site.contact_name == "Zoë 🏠 Marsh"


@pytest.mark.parametrize(
    "body",
    [
        "",
        "text",
        "<orderRequest/>text",
        f"<orderRequest>{HEADER}</orderRequest><orderRequest>{HEADER}</orderRequest>",
    ],
)
def test_body_has_exactly_one_element(body: str) -> None:
    with pytest.raises(InvalidMessage) as refused:
        parsing.parse(envelope(body))

    assert refused.value.problems[0].path == "Envelope/Body"


@pytest.mark.parametrize(
    "content",
    [
        f'<s:Envelope xmlns:s="{SOAP}"/>'.encode(),
        f'<s:Envelope xmlns:s="{SOAP}"><s:Header/></s:Envelope>'.encode(),
        f'<s:Envelope xmlns:s="{SOAP}"><s:Body/><s:Body/></s:Envelope>'.encode(),
        f'<s:Envelope xmlns:s="{SOAP}"><s:Body/><s:Header/></s:Envelope>'.encode(),
        f'<orderRequest xmlns="{BASE}">{HEADER}<alaNewInstall/></orderRequest>'.encode(),
    ],
)
def test_envelope_has_one_body_after_a_header(content: bytes) -> None:
    with pytest.raises(InvalidMessage):
        parsing.parse(content)


def test_comments_and_cdata_are_part_of_a_text() -> None:
    uprn = "<addressKey>10<!-- 99 -->00<![CDATA[1]]>01</addressKey>"
    product = "<!-- x --><productName><![CDATA[a<b]]></productName>"

    parsed = parsing.parse(new_install(uprn + product))

    assert (parsed.uprn, parsed.product_name) == ("1000101", "a<b")


def test_question_mark_in_a_text_is_no_instruction() -> None:
    inside = "<productName><![CDATA[<?go?><!DOCTYPE x>]]></productName><!-- <?go?> -->"

    assert parsing.parse(new_install(inside)).product_name == "<?go?><!DOCTYPE x>"


LONG = ["a" * 150, "é" * 80, "a" + "é" * 80]
OTHER_PREFIX = "<{0}:x xmlns:{0}='urn:x'/>"


@pytest.mark.parametrize(
    "element",
    [
        *(f"<{name}/>" for name in LONG),
        *(f"<ext:{name}/>" for name in LONG),
        *(OTHER_PREFIX.format("p" * length) for length in range(95, 101)),
        f"<{LONG[0]} xmlns=''/>",
    ],
    ids=lambda element: f"{element[:12]} {len(element)}",
)
def test_element_with_a_long_name_is_a_problem_like_any_other(element: str) -> None:
    """The validator cuts such a name in the path that it gives, also inside a character."""
    survives(new_install(element))
    with pytest.raises(InvalidMessage, match="not expected"):
        parsing.parse(new_install(element))


@pytest.mark.parametrize("name", LONG, ids=len)
def test_acknowledgement_with_a_long_name_in_it_is_none(name: str) -> None:
    end = "</acknowledgedMessageId>"
    content = callback.acknowledge("7").decode().replace(end, f"{end}<x:{name} xmlns:x='urn:x'/>")

    assert "not expected" in callback.read(content.encode()).problem


# --- arbitrary bytes ----------------------------------------------------------------------------------------
def survives(content: bytes) -> None:
    try:
        parsing.parse(content)
    except (InvalidMessage, NotXml) as problem:
        assert problem.problems
        assert all(row.path and row.message and row.remedy for row in problem.problems)
    callback.read(content)


@settings(max_examples=400, deadline=None)
@given(st.binary(max_size=400))
def test_arbitrary_bytes(content: bytes) -> None:
    survives(content)


@settings(max_examples=400, deadline=None)
@given(
    st.sampled_from(EXAMPLES),
    st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=12)), max_size=4),
)
def test_message_with_bytes_changed(content: bytes, changes: list[tuple[float, int, bytes]]) -> None:
    for position, length, replacement in changes:
        start = int(position * len(content))
        content = content[:start] + replacement + content[start + length :]

    survives(content)


TAGS = sorted({row.tag for found in schema_model.types(INTERFACE).values() for row in found.children})
TEXTS = st.one_of(
    st.text(st.characters(codec="utf-8", exclude_characters="\x00<&"), max_size=20),
    st.sampled_from(["2026-02-30", "2026-11-23T09:30:00Z", "08:00:00+14:00", "true", "WLTO", "0000-00-00"]),
)
ELEMENTS = st.recursive(
    st.tuples(st.sampled_from(TAGS), TEXTS),
    lambda inside: st.tuples(st.sampled_from(TAGS), st.lists(inside, max_size=6)),
    max_leaves=20,
)


def as_xml(element: tuple[str, object]) -> str:
    tag, inside = element
    namespace, _, name = tag[1:].partition("}")
    prefix = "ext:" if namespace == EXTENSION else ""
    text = inside if isinstance(inside, str) else "".join(map(as_xml, inside))
    return f"<{prefix}{name}>{text}</{prefix}{name}>"


@settings(max_examples=150, deadline=None)
@given(inside=st.lists(ELEMENTS, max_size=5), before=st.lists(ELEMENTS, max_size=5), is_order=st.booleans())
def test_elements_of_the_interface_in_any_place(inside: list, before: list, *, is_order: bool) -> None:
    """Well-formed, with the interface's own names: what the schema lets pass is read without an error."""
    if is_order:
        survives(new_install("".join(map(as_xml, inside)), references="".join(map(as_xml, before))))
    else:
        survives(cease("".join(map(as_xml, [*before, *inside]))))
