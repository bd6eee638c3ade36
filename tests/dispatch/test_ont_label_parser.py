"""What a label says, by the vectors that the phone's label_parser.js answers too."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from dispatch import ont_label_parser
from dispatch.ont_label_parser import Label

ROOT = Path(__file__).parents[2]
FILE = json.loads((ROOT / "tests" / "data" / "label_vectors.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("vector", FILE["vectors"], ids=lambda vector: vector["name"])
def test_label_is_understood(vector: dict[str, Any]) -> None:
    found = ont_label_parser.parse_label(vector["codes"], expected=tuple(vector["expected"]))

    assert (found.fsan, found.serial_number, list(found.unsure)) == (
        vector["fsan"],
        vector["serial_number"],
        vector["unsure"],
    )


def test_several_are_all_listed() -> None:
    found = ont_label_parser.parse_label(["CXNK00ABCDEF", "261200123456", "998877665544"])

    assert found == Label(
        fsan="CXNK00ABCDEF",
        serial_number="",
        fsans=("CXNK00ABCDEF",),
        serial_numbers=("261200123456", "998877665544"),
        unsure=("several_serial_numbers",),
    )


@pytest.mark.parametrize(
    "code", ["{", "[)>", "https://[", "S/N", "S/N:", "(21)", "\x1d", "=" * 3000, "{}", "]C1"]
)
def test_odd_code_is_no_value(code: str) -> None:
    assert ont_label_parser.parse_label([code]).unsure == ("no_fsan", "no_serial_number")


def test_phone_understands_the_same() -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed")
    done = subprocess.run(
        [node, "--test", "tests/js/label_parser.test.mjs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
