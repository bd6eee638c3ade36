"""docs/dependencies.md and pyproject.toml name the same packages."""

import ast
import re
import tomllib
from importlib.metadata import packages_distributions

from tests.conventions.sources import OURS, ROOT, Source, python

NAME = re.compile(r"[a-z0-9-]+")
ROW = re.compile(r"^\| `([a-z0-9-]+)` \|", re.M)
# makes the environment and is not in it
NOT_IMPORTED = {"uv"}


def names(requirements: list[str]) -> set[str]:
    return {found.group() for found in map(NAME.match, requirements) if found}


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    used = names(project["project"]["dependencies"]) | names(project["dependency-groups"]["dev"])

    assert set(ROW.findall((ROOT / "docs" / "dependencies.md").read_text())) - NOT_IMPORTED == used


def imported(source: Source) -> set[str]:
    """The first part of each module that a file imports."""
    nodes = list(ast.walk(source.tree))
    whole = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    parts = {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    return {name.partition(".")[0] for name in whole | parts}


def test_what_is_imported_is_declared() -> None:
    """Not only brought by something else, which may cease to bring it."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    declared = names(project["project"]["dependencies"])
    modules = {module for source in python(*OURS) for module in imported(source)}
    packages = packages_distributions()

    foreign = {module: packages[module] for module in modules & packages.keys()}
    assert foreign
    assert [
        module
        for module, brought_by in foreign.items()
        if not {re.sub(r"[_.]", "-", name.lower()) for name in brought_by} & declared
    ] == []
