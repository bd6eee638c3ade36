"""Checks a message against the schemas and says all that is wrong, each with a path and a remedy."""

import re
from collections.abc import Iterator
from threading import Lock

from lxml import etree

from seller_sandbox.orders.wire import schema_model, schemas
from seller_sandbox.orders.wire.namespaces import BASE, EXTENSION
from seller_sandbox.orders.wire.problems import InvalidMessage, MessageProblem

EXPECTED = re.compile(r"Expected is (one of )?\( (.+) \)")
FACET = re.compile(r"\[facet '\w+'\] ")
STEP = re.compile(r"(?:(?P<prefix>[^:\[\]]+):)?(?P<name>[^:\[\]]+)(?:\[(?P<number>\d+)\])?")
MAX_WORDING = 500
BOOLEAN = "Send true or false."
# a schema object holds the errors of its last use
_LOCK = Lock()


def validate(message: etree._Element) -> None:
    """Check one message of the interface. Raises InvalidMessage with all problems."""
    schema = schemas.compiled()
    with _LOCK:
        if schema.validate(message):
            return
        errors = [(entry.path or "", entry.message) for entry in schema.error_log]
    raise InvalidMessage(*_problems(message, errors))


def _problems(message: etree._Element, errors: list[tuple[str, str]]) -> Iterator[MessageProblem]:
    """One for each place: what is said first of it is the cause of what follows."""
    first: dict[str, str] = {}
    for path, text in errors:
        first.setdefault(path, text)
    for path, text in first.items():
        element, attribute = _find(message, path)
        steps = [*reversed([element, *element.iterancestors()])]
        steps = steps[steps.index(message) :]
        names = "/".join([etree.QName(step).localname for step in steps] + ([attribute] if attribute else []))
        yield MessageProblem(names, _wording(text), _remedy(text, steps))


def _wording(text: str) -> str:
    plain = FACET.sub("", text).replace(f"{{{BASE}}}", "").replace(f"{{{EXTENSION}}}", "ext:")
    return plain.strip().rstrip(".")[:MAX_WORDING]


def _remedy(text: str, steps: list[etree._Element]) -> str:
    element = steps[-1]
    if etree.QName(element).namespace not in {BASE, EXTENSION}:
        return f"Elements of this interface are in the namespace {BASE} or {EXTENSION}."
    if expected := EXPECTED.search(_wording(text)):
        verb = "Add" if "Missing child" in text else "Before it, or in its place, send"
        return f"{verb} {expected[1] or ''}{expected[2]}; docs/order-messages.md shows the order of elements."
    if "not expected" in text:
        return "Leave the element out; docs/order-messages.md shows what stands here."
    if "attribute" in text:
        return "Leave the attribute out."
    if "'xs:boolean'" in text:
        return BOOLEAN
    wanted = schema_model.simple_type_text([step.tag for step in steps[1:]], steps[0].tag)
    return wanted or "Send its child elements and no text; docs/order-messages.md shows them."


def _find(message: etree._Element, path: str) -> tuple[etree._Element, str]:
    """The element of the validator's path (prefixes, stars, numbers) and the attribute at its end, if any."""
    element = message
    for step in path.split("/")[2:]:
        if step.startswith("@"):
            return element, step
        number = int(STEP.fullmatch(step)["number"] or 1)
        element = _counted(element, step)[number - 1]
    return element, ""


def _counted(element: etree._Element, step: str) -> list[etree._Element]:
    """The children that the number of a step counts."""
    found = STEP.fullmatch(step)
    children = list(element.iterchildren(etree.Element))
    if found["name"] == "*":
        return children
    wanted = (found["prefix"], found["name"])
    return [child for child in children if (child.prefix, etree.QName(child).localname) == wanted]
