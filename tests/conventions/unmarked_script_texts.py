"""Texts that a script shows without marking them for translation: what it hands to an element, and its attributes.

`h(tag, attributes, ...children)` of static/js/phone/app/dom.js makes nearly every element of the phone; other scripts
set members and properties that a person reads.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tests.conventions.sources import Source
from tests.conventions.unmarked_texts import TEXT

TOKEN = re.compile(
    r"""
    (?P<comment>//[^\n]*|/\*.*?\*/)
    |(?P<text>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<template>`(?:[^`\\]|\\.)*`)
    |(?P<name>[\w$.]+)
    |(?P<comparison>[=!]==?)
    |(?P<mark>\S)
    """,
    re.X | re.S,
)
# where a slash begins an expression of characters and divides nothing
PATTERN = re.compile(
    r"(?<=[(,=:\[!&|?{};\n>])(\s*)/(?![/*])(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*"
)
PLACEHOLDER = re.compile(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}")
# the first argument of this function that is a text
FIRST_TEXT = {"h": 2, "mainButton": 0}
SHOWN_MEMBERS = frozenset({"message", "title", "hint", "label", "text", "placeholder", "alt", "aria-label"})
SHOWN_PROPERTIES = re.compile(r".*\.(textContent|innerText|title|placeholder|alt|ariaLabel)")
# a member or property may hold a code: a text begins with a capital
SENTENCE = re.compile(r"[A-ZÄÖÜ][a-zäöüß]")
CLOSING = {")": "(", "]": "[", "}": "{"}


@dataclass
class _Bracket:
    """`call`: the function whose arguments it holds, empty for one that only groups. `member`: the last one named."""

    mark: str
    call: str = ""
    argument: int = 0
    member: str = ""


@dataclass
class _Reader:
    """`before`: the last token; `target`: what it is set to, where the last token is an equals sign."""

    open: list[_Bracket] = field(default_factory=lambda: [_Bracket("")])
    before: str = ""
    target: str = ""


def unmarked_in_script(source: Source) -> list[str]:
    return [f"{source.path}:{line} {text[:60]}" for line, text in _texts_for_people(source.text)]


def _texts_for_people(script: str) -> Iterator[tuple[int, str]]:
    reader = _Reader()
    code = PATTERN.sub(lambda found: found[1] + "0", script)
    for token in TOKEN.finditer(code):
        if token.lastgroup == "comment":
            continue
        if token.lastgroup in {"text", "template"}:
            text = _plain(token[0])
            if _is_texts_for_people(reader, text, code[token.end() : token.end() + 20].lstrip()):
                yield code.count("\n", 0, token.start()) + 1, text
        else:
            _follow(reader, token[0], is_name=token.lastgroup == "name")
        reader.target = reader.before if token[0] == "=" else ""
        reader.before = token[0]


def _plain(quoted: str) -> str:
    """Without what is put in; a template is not read for calls inside it."""
    return PLACEHOLDER.sub("", quoted[1:-1])


def _follow(reader: _Reader, token: str, *, is_name: bool) -> None:
    top = reader.open[-1]
    if is_name or token == ":":
        if token == ":" and not top.member:
            top.member = reader.before.strip("\"'")
    elif token in "([{":
        is_call = token in "([" and re.fullmatch(r"[\w$.]*[\w$]|\)|\]", reader.before) is not None
        reader.open.append(_Bracket(token, (reader.before if is_call else "")))
    elif token in CLOSING and len(reader.open) > 1:
        reader.open.pop()
    elif token == ",":
        top.argument, top.member = top.argument + 1, ""
    elif token == ";":
        top.member = ""


def _is_texts_for_people(reader: _Reader, text: str, after: str) -> bool:
    """A text next to a comparison is a code."""
    if re.fullmatch(r"[=!]==?", reader.before) or re.match(r"[=!]==?", after):
        return False
    top = reader.open[-1]
    if reader.target:
        return bool(SHOWN_PROPERTIES.fullmatch(reader.target) and SENTENCE.match(text))
    if top.mark == "{":
        return top.member in SHOWN_MEMBERS and bool(SENTENCE.match(text))
    return bool(TEXT.search(text)) and _is_child(reader)


def _is_child(reader: _Reader) -> bool:
    """Of an element: directly, in a list, or as one of two."""
    for bracket in reversed(reader.open):
        if bracket.call or bracket.mark not in {"(", "["}:
            first = FIRST_TEXT.get(bracket.call)
            return first is not None and bracket.argument >= first
    return False
