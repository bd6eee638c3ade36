"""A label that is typed, by the vectors that the phone's label_validation.js answers too."""

import json
from pathlib import Path
from typing import Any

import pytest

from dispatch import ont_scans

FILE = json.loads((Path(__file__).parents[1] / "data" / "typed_label_vectors.json").read_text())


@pytest.mark.parametrize("vector", FILE["fsans"])
def test_fsan(vector: dict[str, Any]) -> None:
    fsan = ont_scans.turn_hex_fsan(ont_scans.normalize_code(vector["typed"]))
    message = " ".join(problem.message for problem in ont_scans.fsan_problems(fsan))

    assert (fsan, message) == (vector["fsan"], vector["problem"])


@pytest.mark.parametrize("vector", FILE["serial_numbers"])
def test_serial_number(vector: dict[str, Any]) -> None:
    serial = ont_scans.normalize_serial_number(vector["typed"])
    message = " ".join(problem.message for problem in ont_scans.serial_number_problems(serial))

    assert (serial, message) == (vector["serial_number"], vector["problem"])


@pytest.mark.parametrize("vector", FILE["compared"])
def test_comparison_with_what_is_expected(vector: dict[str, Any]) -> None:
    found = ont_scans.differences(vector["value"], vector["expected"])
    text = ont_scans.describe_differences(vector["name"], vector["value"], vector["expected"])

    assert [[difference.at, difference.read, difference.expected] for difference in found] == vector[
        "differences"
    ]
    assert text == vector["words"]
