"""The language of the code base, held over identifiers: words that no name may have, and names that stand once."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath

from tests.conventions.sources import Source

# a word that no name may have, and what the field or the framework calls it
FORBIDDEN_WORDS = {
    # metaphors
    "corridor": "module",
    "crew": "processes, engineers",
    "deed": "action, command",
    "door": "server, address",
    "house": "office, server, premises",
    "journey": "delivery",
    "ladder": "attempts",
    "letter": "message, envelope; character",
    "patience": "limit, timeout",
    "pulse": "version, heartbeat",
    "room": "space, slots",
    "rung": "attempt",
    "stranger": "unknown caller, anonymous",
    "thief": "revoked",
    "trail": "state",
    "wish": "request",
    # everyday verbs and adverbs
    "aside": "failed, excluded",
    "beside": "next to",
    "growing": "incremental",
    "heard": "received",
    "meanwhile": "conflict",
    "mend": "correct, restore",
    "mended": "corrected, restored",
    "said": "text, message, result, payload",
    "saying": "text, sentence",
    "standing": "active, status",
    "told": "notified, parameters, result",
    "whereabouts": "location, position",
    # words of the domain that have a better one
    "ill": "open, unhealthy",
    "ledger": "message log",
    "news": "update, provisioning result",
    "promise": "window",
    "rescue": "offline export",
    "resting": "open (circuit)",
    "spot": "planned start, position",
    "unplaced": "unassigned",
    "well": "closed (circuit), healthy",
    "wished": "requested",
}
# says nothing of the thing at hand when it is the whole name; fine as a part of one, as in `taken_at`
FORBIDDEN_NAMES = {
    "given": "the type's own name; parameters, data, variables",
    "kept": "stored, remaining",
    "met": "conflict; is_within_limit",
    "one": "the element's own name",
    "place": "position, cell, premises, index",
    "shown": "displayed, visible",
    "taken": "occupied, measured",
    "thing": "the type's own name",
    "word": "text, label, keyword, arguments",
}
# each form of a forbidden word, by which it is looked up: there are a hundred thousand names
_PLURALS = {f"{forbidden}{ending}": forbidden for forbidden in FORBIDDEN_WORDS for ending in ("", "s", "es")}
# what Django names for us, and what stands in one class or module of its own kind
MAY_REPEAT = frozenset({"Command", "Migration", "Meta", "Media"})
DJANGO_FILES = frozenset(
    {
        *("__init__", "admin", "apps", "checks", "context_processors", "forms", "middleware", "models"),
        *("permissions", "presenters", "serializers", "tasks", "urls", "views"),
    }
)
URL_CALLS = frozenset({"path", "re_path"})
PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


def forbidden_names(source: Source) -> list[str]:
    """Functions, classes, arguments, variables, attributes set here and the module's own path."""
    names = [(1, part) for part in PurePosixPath(source.path).with_suffix("").parts]
    return [
        f"{source.path}:{line} {name}: not “{forbidden}” but {instead}"
        for line, name in [*names, *sorted(set(_defined(source.tree)))]
        for forbidden, instead in forbidden_words(name)
    ]


def forbidden_words(name: str) -> Iterator[tuple[str, str]]:
    """The forbidden words in one name of any language, each with what to say instead."""
    pieces = [piece.lower() for piece in PIECE.findall(name)]
    for forbidden in dict.fromkeys(_PLURALS[piece] for piece in pieces if piece in _PLURALS):
        yield forbidden, FORBIDDEN_WORDS[forbidden]
    whole = "_".join(pieces)
    for forbidden in {whole, whole.removesuffix("s")} & {*FORBIDDEN_NAMES}:
        yield forbidden, FORBIDDEN_NAMES[forbidden]


def _defined(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield node.lineno, name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield node.lineno, name
            case ast.arg(arg=name):
                yield node.lineno, name
            case (
                ast.ExceptHandler(name=str(name))
                | ast.MatchAs(name=str(name))
                | ast.MatchStar(name=str(name))
            ):
                yield node.lineno, name
            case ast.alias(asname=str(name)):
                yield node.lineno, name


def repeated_classes(sources: Iterable[Source]) -> list[str]:
    """One class, one name: a search for it finds one definition."""
    found = defaultdict(list)
    for source in sources:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.ClassDef) and node.name not in MAY_REPEAT:
                found[node.name].append(source.path)
    return _repeated(found)


def repeated_modules(sources: Iterable[Source]) -> list[str]:
    """Unique in its app, but for the files that Django names; a command's file has the name of the command."""
    found = defaultdict(list)
    for source in sources:
        path = PurePosixPath(source.path)
        # the sandbox's apps are its folders
        app = "/".join(path.parts[: 2 if path.parts[0] == "seller_sandbox" else 1])
        if path.stem not in DJANGO_FILES and "commands" not in path.parts:
            found[f"{app}: {path.stem}"].append(source.path)
    return _repeated(found)


def url_names_with_underscore(source: Source) -> list[str]:
    """The name of an address is written as the address is, with hyphens."""
    return [
        f"{source.path}:{keyword.value.lineno} {keyword.value.value}"
        for call in ast.walk(source.tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in URL_CALLS
        for keyword in call.keywords
        if keyword.arg == "name" and isinstance(keyword.value, ast.Constant) and "_" in keyword.value.value
    ]


def _repeated(found: dict[str, list[str]]) -> list[str]:
    return [f"{name} stands in {', '.join(paths)}" for name, paths in sorted(found.items()) if len(paths) > 1]
