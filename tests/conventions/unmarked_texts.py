"""Texts that people read without being marked for translation, in the syntax tree and in templates.

Each function returns one line per finding, none when everything is marked.
"""

import ast
import re
from collections.abc import Iterator

from tests.conventions.sources import Source, functions

# call → position of the text that a person reads
TEXT_POSITION = {
    "Problem": 2,
    "ValidationError": 0,
    "add_error": 1,
    "BadPicture": 1,
    "PhotoRefused": 1,
    "ApiRefusal": 2,
    "bad_body": 0,
    "_bad_batch": 0,
    "UnreadableExport": 0,
}
# messages.success(request, text) and its like
LEVELS = frozenset({"debug", "info", "success", "warning", "error"})
TEXT_KEYWORDS = frozenset({"message", "label", "help_text", "verbose_name"})
TEXT_MAPPINGS = frozenset({"error_messages"})
JSON_CALLS = frozenset({"JsonResponse", "json_response"})
JSON_TEXT = "message"
TEXT = re.compile(r"[A-Za-zÄÖÜäöüß]{2,}")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def unmarked_in_python(source: Source) -> list[str]:
    """Refusals, form errors, flash messages and JSON messages written as plain strings."""
    inside = {id(node): function for function in functions(source.tree) for node in ast.walk(function)}
    # what an OpenAPI document says of a field is for programmers
    is_interface = "from rest_framework import serializers" in source.text
    keywords = TEXT_KEYWORDS - {"help_text"} if is_interface else TEXT_KEYWORDS
    found = []
    for call in (node for node in ast.walk(source.tree) if isinstance(node, ast.Call)):
        scope = inside.get(id(call), source.tree)
        for text in _texts_of(call, keywords):
            found += [
                f"{source.path}:{node.lineno} {_excerpt(node)}" for node in _unmarked(text, scope, source)
            ]
    return sorted(set(found))


def _texts_of(call: ast.Call, keywords: frozenset[str]) -> Iterator[ast.expr]:
    name = _name(call.func)
    if name in TEXT_POSITION and len(call.args) > TEXT_POSITION[name]:
        yield call.args[TEXT_POSITION[name]]
    if name in LEVELS and _is_messages(call.func) and len(call.args) > 1:
        yield call.args[1]
    for keyword in call.keywords:
        if keyword.arg in keywords and name not in {"add_argument", "get_or_create"}:
            yield keyword.value
        if keyword.arg in TEXT_MAPPINGS and isinstance(keyword.value, ast.Dict):
            yield from keyword.value.values
    if name in JSON_CALLS and call.args and isinstance(call.args[0], ast.Dict):
        yield from _members(call.args[0])


def _members(json: ast.Dict) -> Iterator[ast.expr]:
    for key, value in zip(json.keys, json.values, strict=True):
        if isinstance(key, ast.Constant) and key.value == JSON_TEXT:
            yield value


def _name(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def _is_messages(function: ast.expr) -> bool:
    return isinstance(function, ast.Attribute) and _name(function.value) == "messages"


def _unmarked(text: ast.expr, scope: ast.AST, source: Source) -> list[ast.expr]:
    """The plain strings that this expression shows; a call marks what is inside it, or is somebody else's text."""
    if isinstance(text, ast.Constant):
        return [text] if isinstance(text.value, str) and TEXT.search(text.value) else []
    if isinstance(text, ast.JoinedStr):
        plain = [part for part in text.values if isinstance(part, ast.Constant)]
        return [text] if any(TEXT.search(str(part.value)) for part in plain) else []
    if isinstance(text, ast.BinOp):
        # `sentence % {"job": job}`: what is put in is no text of its own
        parts = [text.left] if isinstance(text.op, ast.Mod) else [text.left, text.right]
        return [found for part in parts for found in _unmarked(part, scope, source)]
    if isinstance(text, ast.IfExp):
        return [*_unmarked(text.body, scope, source), *_unmarked(text.orelse, scope, source)]
    if isinstance(text, ast.Name):
        return [
            found for value in _values(text.id, scope, source) for found in _unmarked(value, scope, source)
        ]
    return []


def _values(name: str, scope: ast.AST, source: Source) -> list[ast.expr]:
    """What the name is set to, in the function or else in the module."""
    for within in (scope, source.tree):
        found = [
            node.value
            for node in ast.walk(within)
            if isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
            and not (isinstance(node.value, ast.Name) and node.value.id == name)
        ]
        if found:
            return found
    return []


def _excerpt(text: ast.expr) -> str:
    return ast.unparse(text)[:60]


# --- templates ---

COMMENTS = re.compile(r"\{#.*?#\}|\{% comment %\}.*?\{% endcomment %\}|<!--.*?-->", re.S)
MARKED = re.compile(r"\{%\s*blocktranslate\b.*?\{%\s*endblocktranslate\s*%\}", re.S)
TAGS = re.compile(r"\{%.*?%\}|\{\{.*?\}\}", re.S)
CODE = re.compile(r"<(script|style|code|pre)\b[^>]*>.*?</\1>", re.S | re.I)
ELEMENT = re.compile(r"<[^>]*>", re.S)
SHOWN_ATTRIBUTE = re.compile(r"\s(?:alt|title|placeholder|aria-label)\s*=\s*(\"[^\"]*\"|'[^']*')", re.I)
ENTITY = re.compile(r"&#?\w+;")
# abbreviations that are the same in every language, and attributes that a block adds to an element
UNITS = re.compile(r"\bms\b|\b[\w-]+=\"[^\"]*\"")


def unmarked_in_template(source: Source) -> list[str]:
    """Words outside translate and blocktranslate; punctuation, numbers and code may stand alone."""
    text = source.text
    for skipped in (COMMENTS, MARKED, TAGS, CODE):
        text = skipped.sub(_blank, text)
    texts = [(found.start(1), found.group(1)) for found in SHOWN_ATTRIBUTE.finditer(text)]
    texts += _text_nodes(text)
    lines = []
    for start, excerpt in sorted(texts):
        plain = UNITS.sub("", ENTITY.sub("", excerpt))
        if TEXT.search(plain):
            line = (
                text.count("\n", 0, start) + 1 + excerpt[: len(excerpt) - len(excerpt.lstrip())].count("\n")
            )
            lines.append(f"{source.path}:{line} {' '.join(excerpt.split())[:60]}")
    return lines


def _text_nodes(text: str) -> list[tuple[int, str]]:
    nodes, end = [], 0
    for element in ELEMENT.finditer(text):
        nodes.append((end, text[end : element.start()]))
        end = element.end()
    return [*nodes, (end, text[end:])]


def _blank(found: re.Match[str]) -> str:
    """As many lines as there were, so that a finding keeps its line number."""
    return "\n" * found.group(0).count("\n") or " "
