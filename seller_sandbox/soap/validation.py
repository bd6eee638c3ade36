"""Checks a message against the schemas and says all that is wrong, each with a path and a remedy."""

import re
from collections.abc import Iterator
from itertools import takewhile
from threading import Lock
from typing import Any

from lxml import etree

from seller_sandbox.soap import schema_model, schemas
from seller_sandbox.soap.interfaces import Interface
from seller_sandbox.soap.problems import InvalidMessage, MessageProblem

EXPECTED = re.compile(r"Expected is (one of )?\( (.+) \)")
FACET = re.compile(r"\[facet '\w+'\] ")
STEP = re.compile(r"(?:(?P<prefix>[^:\[\]]+):)?(?P<name>[^:\[\]]+)(?:\[(?P<number>\d+)\])?")
MAX_WORDING = 500
BOOLEAN = "Send true or false."
# a schema object holds the errors of its last use
_LOCK = Lock()


def validate(message: etree._Element, interface: Interface) -> None:
    """Check one message of an interface. Raises InvalidMessage with all problems."""
    schema = schemas.compiled(interface)
    with _LOCK:
        if schema.validate(message):
            return
        errors = [(_path_of(entry), entry.message) for entry in schema.error_log]
    raise InvalidMessage(*_problems(message, interface, errors))


def _path_of(entry: Any) -> str:
    """Empty where the validator has cut a long name inside a character: then the whole message is meant."""
    try:
        return entry.path or ""
    except UnicodeDecodeError:
        return ""


def _problems(
    message: etree._Element, interface: Interface, errors: list[tuple[str, str]]
) -> Iterator[MessageProblem]:
    """One for each place: what is said first of it is the cause of what follows."""
    first: dict[str, str] = {}
    for path, text in errors:
        first.setdefault(path, text)
    for path, text in first.items():
        element, attribute = _find(message, path)
        steps = [*reversed([element, *element.iterancestors()])]
        steps = steps[steps.index(message) :]
        names = "/".join([etree.QName(step).localname for step in steps] + ([attribute] if attribute else []))
        yield MessageProblem(names, _wording(text, interface), _remedy(text, steps, interface))


def _wording(text: str, interface: Interface) -> str:
    return interface.plain(FACET.sub("", text)).strip().rstrip(".")[:MAX_WORDING]


def _remedy(text: str, steps: list[etree._Element], interface: Interface) -> str:
    element = steps[-1]
    if etree.QName(element).namespace not in interface.namespaces:
        names = " or ".join(filter(None, (interface.namespace, interface.extension)))
        return f"Elements of this interface are in the namespace {names}."
    if remedy := _order_remedy(text, element, interface):
        return remedy
    if "attribute" in text:
        return "Leave the attribute out."
    if "'xs:boolean'" in text:
        return BOOLEAN
    wanted = schema_model.simple_type_text(interface, [step.tag for step in steps[1:]], steps[0].tag)
    return wanted or f"Send its child elements and no text; {interface.page} shows them."


def _order_remedy(text: str, element: etree._Element, interface: Interface) -> str:
    """For an element that came too often, stands in the wrong place or is missing; "" for anything else."""
    if "not expected" in text and (times := _same_before(element)):
        often = "once" if times == 1 else f"{times} times"
        return f"Send {etree.QName(element).localname} {often} at most."
    if expected := EXPECTED.search(_wording(text, interface)):
        verb = "Add" if "Missing child" in text else "Before it, or in its place, send"
        return f"{verb} {expected[1] or ''}{expected[2]}; {interface.page} shows the order of elements."
    if "not expected" in text:
        return f"Leave the element out; {interface.page} shows what stands here."
    return ""


def _same_before(element: etree._Element) -> int:
    """How many elements of the same name stand right before this one."""
    return sum(
        1 for _ in takewhile(lambda found: found.tag == element.tag, element.itersiblings(preceding=True))
    )


def _find(message: etree._Element, path: str) -> tuple[etree._Element, str]:
    """The element of the validator's path (prefixes, stars, numbers) and the attribute at its end, if any.

    It cuts a name with its prefix after 98 bytes; what cannot be found by such a name is in the element before it.
    """
    element = message
    for step in path.split("/")[2:]:
        if step.startswith("@"):
            return element, step
        found = _child(element, step)
        if found is None:
            break
        element = found
    return element, ""


def _child(element: etree._Element, step: str) -> etree._Element | None:
    if not (found := STEP.fullmatch(step)):
        return None
    counted, number = _counted(element, found), int(found["number"] or 1)
    return counted[number - 1] if number <= len(counted) else None


def _counted(element: etree._Element, step: re.Match[str]) -> list[etree._Element]:
    """The children that the number of a step counts."""
    children = list(element.iterchildren(etree.Element))
    if step["name"] == "*":
        return children
    wanted = (step["prefix"], step["name"])
    return [child for child in children if (child.prefix, etree.QName(child).localname) == wanted]
