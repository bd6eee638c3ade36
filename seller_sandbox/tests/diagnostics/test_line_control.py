"""The control interface for lines: what testers ask of the sandbox over plain JSON."""

import json
from typing import Any

import pytest
from django.test import Client

from seller_sandbox.console.lines.line_control_requests import LINE_ACTIONS
from seller_sandbox.tests import make
from seller_sandbox.tests.diagnostics.asking import ask, diagnostics_of
from seller_sandbox.tests.processes import Response

pytestmark = pytest.mark.usefixtures("network")
SERVICE, UPRN = "FBR001002001", "1002001"


@pytest.fixture
def control() -> Client:
    return Client(headers={"X-Sandbox-Control": "1"}, enforce_csrf_checks=True)


def post(control: Client, path: str, body: Any = None) -> Response:
    response = control.post(f"/api/{path}", data=json.dumps(body or {}), content_type="application/json")
    return Response(response.status_code, response.json())


def get(control: Client, path: str) -> Response:
    response = control.get(f"/api/{path}")
    return Response(response.status_code, response.json())


@pytest.mark.parametrize("reference", [UPRN, f"0{UPRN}", SERVICE])
def test_line_is_read_by_uprn_and_by_service(control: Client, reference: str) -> None:
    ask(SERVICE, message_id="m-1")

    line = get(control, f"lines/{reference}").body

    assert (line["uprn"], line["serviceIdentifier"]) == (UPRN, SERVICE)
    assert line["simulated"] == {
        "has_power": True,
        "has_fibre": True,
        "can_be_tested": True,
        "uni_port": "Up",
    }
    assert line["ont"]["fsan"].startswith("ALCL")
    assert (line["ont"]["status"], line["cfm"]["status"], line["uni_port"]["status"]) == (
        "Service Up",
        "Up",
        "Up",
    )
    assert line["next_best_action"]["code"] == "AOK001"
    assert [run["messageId"] for run in line["runs"]] == ["m-1"]
    pon = line["nodes"][-1]
    assert (pon["name"], pon["rag_status"], pon["peak_minutes"], len(pon["samples"])) == (
        "PON",
        "Green",
        15,
        48,
    )


def test_line_of_a_job_that_nobody_ordered(control: Client) -> None:
    job = make.job()
    service = job.pack["serviceIdentifier"]

    assert post(control, f"lines/{service}/cut-fibre").body["simulated"]["has_fibre"] is False
    assert get(control, f"lines/{job.uprn}").body["simulated"]["has_fibre"] is False


@pytest.mark.parametrize(
    ("action", "body", "code"),
    [
        ("cut-power", {}, "DYG001"),
        ("cut-fibre", {}, "CFH001"),
        ("cfm", {"status": "Down CF"}, "CFH002"),
        ("cfm", {"status": "Down ISP"}, "ISP002"),
        ("uni-port", {"status": "Down"}, "ISP003"),
        ("uni-port", {"status": ""}, "ISP003"),
        ("testing", {"can_be_tested": False}, "STF001"),
    ],
)
def test_each_fault_is_one_request_and_repair_ends_it(
    control: Client, action: str, body: dict[str, Any], code: str
) -> None:
    line = post(control, f"lines/{UPRN}/{action}", body).body
    assert line["next_best_action"]["code"] == code
    assert diagnostics_of(SERVICE)["next_best_action"]["code"] == code
    assert [entry["uprn"] for entry in get(control, "lines").body["lines"]] == [UPRN]

    repaired = post(control, f"lines/{UPRN}/repair").body

    assert repaired["next_best_action"]["code"] == "AOK001"
    assert diagnostics_of(SERVICE)["next_best_action"]["code"] == "AOK001"
    assert get(control, "lines").body == {"lines": []}


@pytest.mark.parametrize(("cut", "end"), [("cut-power", "restore-power"), ("cut-fibre", "repair-fibre")])
def test_power_and_fibre_come_back(control: Client, cut: str, end: str) -> None:
    down = post(control, f"lines/{UPRN}/{cut}").body["ont"]
    up = post(control, f"lines/{UPRN}/{end}").body["ont"]

    assert (up["status"], up["changed_from"]) == ("Service Up", down["status"])


def test_congestion_of_an_hour_and_its_end(control: Client) -> None:
    body = {"node": "PON", "percent": 94.99, "starts": "20:00", "ends": "21:00"}

    pon = post(control, f"lines/{UPRN}/congestion", body).body["nodes"][-1]
    usage = diagnostics_of(SERVICE)["service_path_usage"]
    ended = post(control, f"lines/{UPRN}/end-congestion").body

    assert (pon["rag_status"], pon["peak_percent"]) == ("Orange", 94.99)
    assert pon["samples"][12:24] == [94.99] * 12
    assert usage == "Orange"
    assert ended["service_path_usage"] == "Green"


def test_five_minutes_are_enough_for_an_interconnect_and_not_for_a_pon(control: Client) -> None:
    for node in ("PON", "Interconnect"):
        body = {"node": node, "percent": 99, "starts": "20:00", "ends": "20:05"}
        line = post(control, f"lines/{UPRN}/congestion", body).body

    colours = {node["name"]: node["rag_status"] for node in line["nodes"]}
    assert (colours["PON"], colours["Interconnect"]) == ("Green", "Red")


def test_node_without_samples_is_unknown(control: Client) -> None:
    line = post(control, f"lines/{UPRN}/no-samples", {"node": "ENNI"}).body

    assert (line["nodes"][0]["rag_status"], line["nodes"][0]["peak_percent"]) == ("Unk", None)
    assert line["service_path_usage"] == "Unk"


@pytest.mark.parametrize(
    ("action", "body", "mistake"),
    [
        ("cfm", {}, "status is missing"),
        ("cfm", {"status": "down"}, "status: must be one of Up, Down CF, Down ISP"),
        ("cut-fibre", {"at": "now"}, "at is unknown; this request has no members"),
        (
            "congestion",
            {"node": "POP", "percent": 9},
            "node: must be one of ENNI, Handoff, Interconnect, PON",
        ),
        ("congestion", {"node": "PON", "percent": 101}, "percent: must be a number from 0 to 100"),
        # kept as it is written, not rounded: this one would turn into a Red 95
        ("congestion", {"node": "PON", "percent": 94.999999}, "percent: must have 5 decimals at most"),
        ("congestion", {"node": "PON", "percent": 1e-7}, "percent: must have 5 decimals at most"),
        (
            "congestion",
            {"node": "PON", "percent": 9, "starts": "20:01"},
            "starts: must lie on the five minutes",
        ),
        (
            "congestion",
            {"node": "PON", "percent": 9, "ends": "24:05"},
            "ends: must be a local time like 20:05",
        ),
        ("congestion", {"node": "PON", "percent": 9, "starts": "9:00", "ends": "08:00"}, "starts: must be a"),
        ("no-samples", {"node": "PON", "starts": "09:00", "ends": "08:00"}, "starts: must lie before ends"),
    ],
)
def test_mistakes_are_named_and_change_nothing(
    control: Client, action: str, body: dict[str, Any], mistake: str
) -> None:
    before = get(control, f"lines/{UPRN}").body

    answer = post(control, f"lines/{UPRN}/{action}", body)

    assert answer.status == 400
    assert mistake in answer.body["error"]
    assert get(control, f"lines/{UPRN}").body == before


def test_unknown_line_and_action(control: Client) -> None:
    assert get(control, "lines/999999").status == 404
    answer = post(control, f"lines/{UPRN}/explode")

    assert answer.status == 404
    assert answer.body["error"] == f"actions are {', '.join(LINE_ACTIONS)}"
