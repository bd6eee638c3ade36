"""Both sides of the wire hold the same question matrix, each in files of its own (docs/adr/0013).

What only the phone needs (hints, advice, translations, sizes of photos) may differ.
"""

import json
from pathlib import Path
from typing import Any

from tests.servers.system import ROOT

OURS = ROOT / "closures" / "data"
THE_SELLERS = ROOT / "seller_sandbox" / "jobs" / "data" / "matrices"
AGREED = (
    "code", "text", "kind", "stage", "job_types", "closures", "mandatory", "when", "unit",
    "minimum", "maximum", "decimals",
)  # fmt: skip


def editions(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The questions of each edition, as far as both sides agree on them."""
    files = (json.loads(path.read_text()) for path in sorted(folder.glob("matrix_*.json")))
    return {whole["edition"]: [agreed(row) for row in whole["questions"]] for whole in files}


def agreed(row: dict[str, Any]) -> dict[str, Any]:
    choices = [(choice["code"], choice["text"]) for choice in row.get("choices", [])]
    return {**{name: row[name] for name in AGREED if name in row}, "choices": choices}


def test_the_sandbox_seller_holds_our_editions() -> None:
    assert editions(OURS) == editions(THE_SELLERS)
