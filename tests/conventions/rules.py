"""The project's rules as functions over a source: each returns sentences, none when the rule is kept."""

import ast
import re
from collections.abc import Iterator

from tests.conventions.sources import OURS, Source, functions

MOST_LINES_OF_A_FUNCTION = 50
MOST_LINES_OF_A_FILE = 300
MOST_LINES_OF_A_TEST = 400
# names of job-messages.md and fault-decisions.md that nothing else uses
WIRE_NAMES = frozenset(
    {
        "providerJobId",
        "sellerJobId",
        "previousProviderJobId",
        "closureCode",
        "secondaryClosureCode",
        "secondaryClosureCodeDescription",
        "questions_answers",
        "correlationId",
        "orderReferences",
        "buyerOrderReference",
        "sellerOrderReference",
        "siteContact",
        "reservationKey",
        "expectedDurationMinutes",
        "preferredOntLocation",
        "accessRestrictions",
        "engineerAssigned",
        "ontScanned",
        "ontProvisioned",
        "faultcode",
        "faultmessage",
        # requestServiceDiagnostics
        "buyerIdentifier",
        "serviceId",
        "supplierDiagnostics",
        "nextBestAction",
        "servicePathUsage",
        "cfmStatus",
        "uniPortStatus",
        "ragStatus",
    }
)
# `closure_code` is the domain's own term, and scripts write it so
OURS_IN_CAMEL_CASE = frozenset({"closureCode"})
WIRE_WORD = re.compile(rf"\b(?:{'|'.join(sorted(WIRE_NAMES))})\b")
INLINE = (
    (
        "an inline script",
        re.compile(r"<script(?![^>]*\bsrc=)(?![^>]*type=\"(?:application/json|importmap)\")", re.I),
    ),
    ("an inline style sheet", re.compile(r"<style\b", re.I)),
    ("a style attribute", re.compile(r"<[^>]*\sstyle\s*=", re.I)),
    ("a script attribute", re.compile(r"<[^>]*\son[a-z]+\s*=\s*[\"']", re.I)),
)


def long_functions(source: Source) -> list[str]:
    return [
        f"{source.path}:{function.lineno} {function.name} has {_length(function)} lines"
        for function in functions(source.tree)
        if _length(function) > MOST_LINES_OF_A_FUNCTION
    ]


def _length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


def long_files(source: Source) -> list[str]:
    is_test = "tests" in source.path.split("/")
    if source.lines <= (MOST_LINES_OF_A_TEST if is_test else MOST_LINES_OF_A_FILE):
        return []
    return [f"{source.path} has {source.lines} lines: which second thing has it become?"]


def positional_booleans(source: Source) -> list[str]:
    return [
        f"{source.path}:{function.lineno} {function.name} takes the boolean {name} by place"
        for function in functions(source.tree)
        # pytest calls a test with keywords
        if not function.name.startswith("test_")
        for name in _positional_booleans(function.args)
    ]


def _positional_booleans(arguments: ast.arguments) -> Iterator[str]:
    placed = [*arguments.posonlyargs, *arguments.args]
    defaults = [None] * (len(placed) - len(arguments.defaults)) + list(arguments.defaults)
    for argument, default in zip(placed, defaults, strict=True):
        says_bool = argument.annotation is not None and _is_bool(argument.annotation)
        is_bool = isinstance(default, ast.Constant) and isinstance(default.value, bool)
        if says_bool or is_bool:
            yield argument.arg


def _is_bool(annotation: ast.expr) -> bool:
    if isinstance(annotation, ast.BinOp):
        return _is_bool(annotation.left) or _is_bool(annotation.right)
    return isinstance(annotation, ast.Name) and annotation.id == "bool"


def prints(source: Source) -> list[str]:
    if "/management/commands/" in source.path:
        return []
    return [f"{source.path}:{line} prints" for line in _calls(source, {"print"})]


def unmanaged_clocks(source: Source) -> list[str]:
    """`django.utils.timezone` is the one clock, so that tests can move it and every instant is aware."""
    wrong = {"datetime.now", "datetime.utcnow", "datetime.today", "date.today"}
    full = wrong | {f"datetime.{name}" for name in wrong}
    return [f"{source.path}:{line} asks the clock without Django" for line in _calls(source, full)]


def _calls(source: Source, names: set[str]) -> list[int]:
    last = {name.rpartition(".")[2] for name in names}
    calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Call)]
    # most calls go by another last name, and writing a call out costs more than all else here
    return sorted(
        call.lineno for call in calls if _last_name(call) in last and ast.unparse(call.func) in names
    )


def _last_name(call: ast.Call) -> str:
    """`setattr` of `monkeypatch.setattr()`; empty where something without a name is called."""
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def doubles_of_ours(source: Source) -> list[str]:
    """Tests use the real thing: no mock library, no function of ours replaced.

    A constant may be set, and a fault may be planted: a function that does nothing but raise.
    """
    found = []
    imported, faults = _imported_from_us(source), _faults(source)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ImportFrom | ast.Import) and _names_mock(node):
            found.append(f"{source.path}:{node.lineno} imports a mock library")
        if isinstance(node, ast.Call) and _replaces_ours(node, imported, faults):
            found.append(f"{source.path}:{node.lineno} replaces something of ours")
    return sorted(found)


def _names_mock(node: ast.Import | ast.ImportFrom) -> bool:
    names = [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        names = [f"{node.module}.{name}" for name in names]
    return any(name.split(".")[0] in {"mock", "pytest_mock"} or "unittest.mock" in name for name in names)


def _imported_from_us(source: Source) -> set[str]:
    return {
        alias.asname or alias.name
        for node in ast.walk(source.tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in OURS
        for alias in node.names
    }


def _faults(source: Source) -> set[str]:
    return {
        function.name
        for function in functions(source.tree)
        if len(function.body) == 1 and isinstance(function.body[0], ast.Raise)
    }


def _replaces_ours(call: ast.Call, imported: set[str], faults: set[str]) -> bool:
    if not _replaces(call):
        return False
    target, *rest = call.args
    if ast.unparse(call.args[-1]) in faults:
        return False
    if isinstance(target, ast.Constant):
        path = str(target.value).split(".")
        return path[0] in OURS and not path[-1].isupper()
    name = rest[0].value if rest and isinstance(rest[0], ast.Constant) else ""
    return ast.unparse(target).split(".")[0] in imported and not str(name).isupper()


def _replaces(call: ast.Call) -> bool:
    by = ("monkeypatch.setattr", "mocker.patch", "mock.patch")
    return _last_name(call) in {"setattr", "patch"} and ast.unparse(call.func).endswith(by)


def wire_names_in_python(source: Source) -> list[str]:
    """Identifiers and strings; words of a docstring or a comment may name the contract."""
    docstrings = {id(node) for node in _docstrings(source.tree)}
    return [
        f"{source.path}:{line} uses the wire name {wire_name}"
        for line, written in _text(source.tree, docstrings)
        for wire_name in WIRE_WORD.findall(written)
    ]


def _docstrings(tree: ast.Module) -> Iterator[ast.Constant]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value


def _text(tree: ast.Module, docstrings: set[int]) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value
        elif isinstance(node, ast.Name):
            yield node.lineno, node.id
        elif isinstance(node, ast.Attribute):
            yield node.lineno, node.attr
        elif isinstance(node, ast.arg | ast.keyword) and node.arg:
            yield node.lineno, node.arg


def wire_names_in_text(source: Source) -> list[str]:
    """For templates and scripts: anywhere but in a comment of its own line."""
    own_words = OURS_IN_CAMEL_CASE if source.path.endswith((".js", ".mjs")) else frozenset()
    return [
        f"{source.path}:{number} uses the wire name {wire_name}"
        for number, line in enumerate(source.text.splitlines(), start=1)
        if not line.lstrip().startswith(("//", "*", "/*", "{#"))
        for wire_name in WIRE_WORD.findall(line)
        if wire_name not in own_words
    ]


def inline_in_template(source: Source) -> list[str]:
    """The content security policy blocks them, so they would silently do nothing."""
    return [
        f"{source.path}:{source.text.count(chr(10), 0, hit.start()) + 1} has {what}"
        for what, pattern in INLINE
        for hit in pattern.finditer(source.text)
    ]
