"""Holds JSON against the types by which the scripts read it (frontend/types), with TypeScript's compiler."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

FRONTEND = Path(__file__).parent.parent / "frontend"
TSC = FRONTEND / "node_modules" / "typescript" / "bin" / "tsc"

# the map's types name those of the library
LEAFLET = FRONTEND.parent / "static" / "vendor" / "leaflet" / "leaflet.d.ts"

needs_tsc = pytest.mark.skipif(
    not (TSC.exists() and shutil.which("node")),
    reason="typescript is not there (cd frontend && npm ci --ignore-scripts)",
)


def type_errors(values: dict[str, Any], *, folder: Path) -> str:
    """What the compiler says of JSON values by the name of their type; a member that the type lacks is an error."""
    lines = [
        f"export const v{at}: {name} = {json.dumps(value)};"
        for at, (name, value) in enumerate(values.items())
    ]
    (folder / "values.ts").write_text("\n".join(lines))
    project = {
        "extends": str(FRONTEND / "tsconfig.json"),
        "include": [str(FRONTEND / "types" / "*.d.ts"), str(LEAFLET), "values.ts"],
    }
    (folder / "tsconfig.json").write_text(json.dumps(project))
    command = ["node", str(TSC), "--project", str(folder)]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout
