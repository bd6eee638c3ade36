"""docs/dependencies.md and pyproject.toml name the same packages."""

import re
import tomllib

from tests.house.sources import ROOT

NAME = re.compile(r"[a-z0-9-]+")
ROW = re.compile(r"^\| `([a-z0-9-]+)` \|", re.M)
# makes the environment and is not in it
BESIDE = {"uv"}


def names(requirements: list[str]) -> set[str]:
    return {found.group() for found in map(NAME.match, requirements) if found}


def test_every_dependency_is_explained() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    used = names(project["project"]["dependencies"]) | names(project["dependency-groups"]["dev"])

    assert set(ROW.findall((ROOT / "docs" / "dependencies.md").read_text())) - BESIDE == used
