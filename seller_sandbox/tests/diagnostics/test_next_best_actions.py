"""The decision table over all 27 combinations, and the nine rows word for word."""

from itertools import product

import pytest

from seller_sandbox.diagnostics import next_best_actions
from seller_sandbox.diagnostics.line_states import LineReport, ReportedStatus
from seller_sandbox.diagnostics.models import CfmStatus, OntStatus, UniPortStatus

# faults-and-diagnostics.md, Next Best Action codes
DOCUMENT = """
| AOK001 | Service Working | ONT, connectivity and port results all Up | No issue believed on the supplier network |
| CFH001 | Potential Service Issue Detected | ONT is down, indicating a potential fibre issue | Raise as Total Loss of Service with detail including which ONT lights are on |
| CFH002 | Potential Service Issue Detected | ONT Up, connectivity indicates a potential supplier issue | Raise as Total Loss of Service with detail |
| CFH003 | Potential Service Issue Detected at the End User Premises | ONT Up, connectivity and port indicate no connection to the ONT Ethernet port | Service may not be working as expected |
| DYG001 | ONT Powered Off | ONT reports a power supply issue | ONT is not connected to power or is powered off |
| ISP001 | Potential Service Issue Detected at the End Users Premises | ONT Up, no connection to the ONT Ethernet port | Service may not be working as expected |
| ISP002 | Potential Service Issue Detected at the End Users Premises | ONT Up, connectivity issue with the end user's router | Service may not be working as expected |
| ISP003 | Service Working | ONT and connectivity all Up, but check the ONT Ethernet port connection | Service is working as expected |
| STF001 | Unable to Check Network Status | The service test could not run | Continue to raise an incident |
"""  # noqa: E501  # rows as they stand there
# columns: UniPort Up, Down, blank
TABLE = {
    ("Dying Gasp", "Up"): ("DYG001", "DYG001", "DYG001"),
    ("Dying Gasp", "Down CF"): ("DYG001", "DYG001", "DYG001"),
    ("Dying Gasp", "Down ISP"): ("DYG001", "DYG001", "DYG001"),
    ("Service Down", "Up"): ("CFH001", "CFH001", "CFH001"),
    ("Service Down", "Down CF"): ("CFH001", "CFH001", "CFH001"),
    ("Service Down", "Down ISP"): ("CFH001", "CFH001", "CFH001"),
    ("Service Up", "Up"): ("AOK001", "ISP003", "ISP003"),
    ("Service Up", "Down CF"): ("CFH002", "CFH003", "CFH002"),
    ("Service Up", "Down ISP"): ("ISP002", "ISP001", "ISP002"),
}
COMBINATIONS = list(product(OntStatus.values, CfmStatus.values, ["Up", "Down", ""]))


@pytest.mark.parametrize(("ont", "cfm", "uni_port"), COMBINATIONS)
def test_each_combination_has_its_code(ont: str, cfm: str, uni_port: str) -> None:
    statuses = (ReportedStatus(status) for status in (ont, cfm, uni_port))
    report = LineReport(*statuses, ont_fsan="", can_be_tested=True)

    expected = dict(zip(["Up", "Down", ""], TABLE[ont, cfm], strict=True))[uni_port]

    assert next_best_actions.decide(report).code == expected


def test_table_covers_all_and_nothing_else() -> None:
    assert len(COMBINATIONS) == 27
    assert {*UniPortStatus.values} == {"Up", "Down", ""}
    assert next_best_actions.codes_by_statuses().keys() == {*COMBINATIONS}


def test_rows_are_the_document_s_word_for_word() -> None:
    rows = [
        tuple(cell.strip() for cell in line.strip("|").split("|")) for line in DOCUMENT.split("\n") if line
    ]

    assert [
        (row.code, row.current_status, row.result, row.action) for row in next_best_actions.by_code().values()
    ] == rows


def test_every_code_but_that_of_an_impossible_test_is_decided_by_the_table() -> None:
    decided = {*next_best_actions.codes_by_statuses().values()}

    assert {*next_best_actions.by_code()} - decided == {"STF001"}
    assert next_best_actions.for_impossible_test().code == "STF001"
