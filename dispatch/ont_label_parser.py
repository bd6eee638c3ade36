"""Which of the codes on an ONT's label is the FSAN and which the serial number: pure.

A label carries three to five codes. They are distinguished by keyword and pattern, never by which was read first;
`static/js/phone/scan/label_parser.js` does the same, by the vectors of tests/data/label_vectors.json.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from dispatch.ont_scans import FSAN, SERIAL_NUMBER, VENDOR_FILE, normalize_code, turn_hex_fsan

MAC = re.compile(r"([0-9A-F]{2}[:-]){5}[0-9A-F]{2}|(?=.*[A-F])[0-9A-F]{12}")
URL = re.compile(r"[a-z][a-z0-9+.-]*://", re.I)
GS1_SPELT = re.compile(r"\((\d{2,4})\)([^(]*)")
GS1_SERIAL_NUMBER = re.compile(
    r"(?:\](?:C1|d2|Q3))?\x1d?01\d{14}(?:1[1357]\d{6}|(?:10|24[01])[^\x1d]+\x1d)*21([^\x1d]+)"
)
# ISO/IEC 15434, format 06: fields with the data identifiers of ANSI MH10
ENVELOPE = "[)>"
CONTROL_PICTURES = {0x241D: "\x1d", 0x241E: "\x1e", 0x2404: "\x04"}
PLAIN = ""
# an FSAN as hex digits in pairs has eight
MAX_GROUPS = 8


@dataclass(frozen=True)
class Label:
    """What was picked; empty where nothing or several fit. `unsure` says why somebody must look."""

    fsan: str
    serial_number: str
    fsans: tuple[str, ...]
    serial_numbers: tuple[str, ...]
    unsure: tuple[str, ...]


@dataclass(frozen=True)
class Part:
    """A value with what its label calls it: "fsan", "serial_number", "other", or nothing (PLAIN)."""

    kind: str
    value: str


def _word_pattern(synonyms: dict[str, list[str]]) -> re.Pattern[str]:
    """`S/N`, `s.n.`, `Serial No.:` are SN and SERIAL NO; the longest keyword wins."""
    every = sorted((synonym for group in synonyms.values() for synonym in group), key=len, reverse=True)
    spelt = "|".join("[ ._/-]*".join(synonym.replace(" ", "")) for synonym in every)
    return re.compile(rf"(?<![A-Z0-9])({spelt})(?![A-Z0-9])[ .#)]*[:=]?[ ]*", re.I)


_FILE = json.loads(VENDOR_FILE.read_text(encoding="utf-8"))
VENDORS: dict[str, dict[str, str]] = _FILE["vendors"]
KINDS: dict[str, str] = {
    synonym.replace(" ", ""): kind for kind, synonyms in _FILE["words"].items() for synonym in synonyms
}
KEYWORD = _word_pattern(_FILE["words"])


def parse_label(codes: list[str], *, expected: tuple[str, ...] = ()) -> Label:
    """The two values of all codes in one picture. `expected` (the job's own) decides between several, no more."""
    parts = [part for code in dict.fromkeys(codes) for part in parts_of(code.translate(CONTROL_PICTURES))]
    fsans = _best(_fsan_scores(parts))
    fsan = _one_of(fsans, expected)
    numbers = _best(_serial_number_scores(parts, fsans, VENDORS.get(fsan[:4], {})))
    number = _one_of(numbers, expected)
    unsure = [*_doubts("fsan", fsans, fsan), *_doubts("serial_number", numbers, number)]
    if fsan and fsan[:4] not in VENDORS:
        unsure.append("unknown_vendor")
    return Label(fsan, number, tuple(fsans), tuple(numbers), tuple(unsure))


def _doubts(name: str, found: list[str], chosen: str) -> list[str]:
    if chosen:
        return []
    return [f"several_{name}s" if found else f"no_{name}"]


def _best(scores: dict[str, int]) -> list[str]:
    most = max(scores.values(), default=0)
    return [value for value, score in scores.items() if score == most]


def _one_of(found: list[str], expected: tuple[str, ...]) -> str:
    if len(found) == 1:
        return found[0]
    return next((value for value in found if value in expected), "")


def _fsan_scores(parts: list[Part]) -> dict[str, int]:
    scores: dict[str, int] = {}
    for part in parts:
        value = turn_hex_fsan(normalize_code(part.value))
        if part.kind != "other" and FSAN.fullmatch(value):
            scores[value] = max(scores.get(value, 0), _fsan_score(part.kind, value))
    return {value: score for value, score in scores.items() if score}


def _fsan_score(kind: str, value: str) -> int:
    if kind == "fsan":
        return 3
    if value[:4] in VENDORS:
        return 2
    # a MAC address may look like an FSAN of nobody's
    return 0 if MAC.fullmatch(value) else 1


def _serial_number_scores(parts: list[Part], fsans: list[str], vendor: dict[str, str]) -> dict[str, int]:
    scores: dict[str, int] = {}
    for part in parts:
        value = part.value.strip().upper()
        is_fsan = turn_hex_fsan(normalize_code(value)) in fsans
        if part.kind in {"serial_number", PLAIN} and SERIAL_NUMBER.fullmatch(value) and not is_fsan:
            score = _serial_number_score(part, value, vendor.get("serial_number", ""))
            scores[value] = max(scores.get(value, 0), score)
    return {value: score for value, score in scores.items() if score}


def _serial_number_score(part: Part, value: str, pattern: str) -> int:
    if pattern and re.fullmatch(pattern, value):
        return 4
    if part.kind == "serial_number":
        return 3
    digits = sum(character.isdigit() for character in value)
    # without a keyword next to it: passwords, MAC addresses, article and model numbers are none
    if digits < 4 or len(value) < 6 or part.value != value or MAC.fullmatch(value) or _is_gtin(value):
        return 0
    return 2 if digits >= 6 and not _is_article(value) else 1


def _is_gtin(value: str) -> bool:
    return len(value) in {13, 14} and _is_article(value)


def _is_article(value: str) -> bool:
    """Twelve to fourteen digits with the right check digit; one serial number in ten has it by chance."""
    if not re.fullmatch(r"[0-9]{12,14}", value):
        return False
    return sum(int(digit) * (3 if index % 2 else 1) for index, digit in enumerate(reversed(value))) % 10 == 0


def parts_of(code: str) -> Iterator[Part]:
    """One code taken apart, by whichever of the usual shapes it has."""
    code = code.strip(" \r\n\t\x04")
    if re.match(r"WIFI:", code, re.I):
        return
    if code.startswith("{"):
        yield from _json_parts(code)
    elif URL.match(code):
        yield from _url_parts(code)
    elif code.startswith(ENVELOPE):
        yield from _envelope_parts(code)
    elif GS1_SPELT.match(code):
        yield from (_gs1_part(key, value) for key, value in GS1_SPELT.findall(code))
    elif found := GS1_SERIAL_NUMBER.match(code):
        yield Part("serial_number", found[1])
    else:
        yield from _written_parts(code)


def _gs1_part(key: str, value: str) -> Part:
    return Part("serial_number" if key == "21" else "other", value.strip("\x1d "))


def _kind_of(keyword: str) -> str:
    return KINDS.get(re.sub(r"[^A-Z0-9]", "", keyword.upper()), "other")


def _json_parts(code: str) -> Iterator[Part]:
    try:
        whole = json.loads(code)
    except (ValueError, RecursionError):
        yield from _written_parts(re.sub(r'[{}"]', " ", code))
        return
    yield from _pairs(whole)


def _pairs(whole: dict[str, Any]) -> Iterator[Part]:
    for keyword, value in whole.items():
        if isinstance(value, dict):
            yield from _pairs(value)
        elif isinstance(value, str | int) and not isinstance(value, bool):
            yield Part(_kind_of(keyword), str(value))


def _url_parts(code: str) -> Iterator[Part]:
    """Its questions by their names; of its path an FSAN only."""
    try:
        address = urlsplit(code)
    except ValueError:
        return
    yield from (Part(_kind_of(keyword), value) for keyword, value in parse_qsl(address.query))
    for piece in address.path.split("/"):
        if FSAN.fullmatch(turn_hex_fsan(normalize_code(piece))):
            yield Part(PLAIN, piece)


def _envelope_parts(code: str) -> Iterator[Part]:
    for field in re.split(r"[\x1d\x1e\x04]", code)[2:]:
        if found := re.match(r"S(?=.)", field):
            yield Part("serial_number", field[found.end() :])
        elif not re.match(r"\d*[A-Z]", field) or FSAN.fullmatch(field):
            yield Part(PLAIN, field)


def _written_parts(code: str) -> Iterator[Part]:
    """`S/N: 2612…, FSAN CXNK…`: each keyword with the text after it; the text before it is unlabelled."""
    keywords = list(KEYWORD.finditer(code))
    starts = [keyword.start() for keyword in keywords] + [len(code)]
    yield from (Part(PLAIN, value) for value in _values(code[: starts[0]]))
    for keyword, end in zip(keywords, starts[1:], strict=True):
        first, *more = _values(code[keyword.end() : end]) or [""]
        yield Part(_kind_of(keyword[1]), first)
        yield from (Part(PLAIN, value) for value in more if FSAN.fullmatch(value))


def _values(text: str) -> list[str]:
    """The tokens of a text; an FSAN in groups (`CXNK 00AB CDEF`) is one."""
    tokens = [token for token in re.split(r"[\s,;|&=\x1d\x1e]+", text) if token]
    for number in range(min(len(tokens), MAX_GROUPS), 1, -1):
        joined = turn_hex_fsan(normalize_code("".join(tokens[:number])))
        if FSAN.fullmatch(joined):
            return [joined, *tokens[number:]]
    return tokens
