"""The source files that the project's rules look at, read and parsed. A file that cannot be parsed is a finding."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
OURS = (
    *("monitoring", "engineers", "dispatch", "closures", "seller_link"),
    *(
        "board",
        "phone",
        "partner_api",
        "customer_messages",
        "alerting",
        "background",
        "operations",
        "demo",
        "config",
    ),
)
PACKAGES = (*OURS, "seller_sandbox")


@dataclass(frozen=True)
class Source:
    """One file: its path from the project's folder and its text."""

    path: str
    text: str

    @property
    def module(self) -> str:
        """`board.views`; a package's `__init__` has the package's name."""
        return self.path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    @property
    def lines(self) -> int:
        return len(self.text.splitlines())

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, filename=self.path)

    @property
    def cannot_be_parsed(self) -> list[str]:
        try:
            _ = self.tree
        except SyntaxError as problem:
            return [f"{self.path}:{problem.lineno} cannot be parsed"]
        return []


def read(folders: tuple[str, ...], *endings: str) -> Iterator[Source]:
    """Own files with these endings, without migrations, vendored code and installed packages."""
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*")):
            inside = path.relative_to(ROOT)
            foreign = {"migrations", "vendor", "node_modules", "__pycache__", ".venv"} & set(inside.parts)
            if path.suffix in endings and path.is_file() and not foreign:
                yield _source(path)


@cache
def _source(path: Path) -> Source:
    """Read and parsed once, until `forget`: every rule looks at nearly every file."""
    return Source(str(path.relative_to(ROOT)), path.read_text())


def forget() -> None:
    """The syntax trees of the whole project are more than 100 MB."""
    _source.cache_clear()


def python(*folders: str) -> list[Source]:
    return list(read(folders, ".py"))


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node
