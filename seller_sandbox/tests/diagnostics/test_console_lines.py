"""Console pages of lines and the switches on them."""

from decimal import Decimal

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from seller_sandbox.console.lines import line_pages
from seller_sandbox.tests import make
from seller_sandbox.tests.diagnostics.asking import ask, diagnostics_of
from seller_sandbox.tests.orders.console_client import page, press

pytestmark = pytest.mark.usefixtures("network")
SERVICE, UPRN = "FBR001002001", "1002001"
PATH = f"/network/{UPRN}/line"


def test_line_shows_statuses_nodes_and_tests(client: Client) -> None:
    ask(SERVICE)

    text = page(client, PATH)

    for part in (
        "AOK001: Service Working",
        "ONT Service Up",
        "UniPort Up",
        "PON PON-KWL-TEST-1002001 Green",
        "HO-BUYERA (not used by this service)",
        "AOK001, asked by buyer-a",
        "Path of the service: Green",
    ):
        assert part in text, part


@pytest.mark.parametrize("q", [UPRN, SERVICE])
def test_search_leads_to_the_line(client: Client, q: str) -> None:
    assert client.get(f"/network/lines?q={q}")["Location"] == PATH


def test_search_without_a_match_says_so(client: Client) -> None:
    assert "No line matches “FBR9”" in page(client, "/network/lines?q=FBR9")


def test_premises_lead_to_their_line(client: Client) -> None:
    assert PATH in client.get(f"/network/{UPRN}").content.decode()


@pytest.mark.parametrize(
    ("action", "fields", "wording", "code"),
    [
        ("cut-power", {}, "power cut", "DYG001"),
        ("cut-fibre", {}, "fibre cut", "CFH001"),
        ("cfm", {"status": "Down CF"}, "CFM Down CF", "CFH002"),
        ("uni-port", {"status": ""}, "port blank", "ISP003"),
        ("testing", {"can_be_tested": "no"}, "test cannot run", "STF001"),
    ],
)
def test_each_switch_and_its_end(
    client: Client, action: str, fields: dict[str, str], wording: str, code: str
) -> None:
    assert wording in press(client, f"lines/{UPRN}/{action}", **fields)
    assert diagnostics_of(SERVICE)["next_best_action"]["code"] == code
    assert wording in page(client, "/network/lines")

    assert "Every simulated fault of this line is ended." in press(client, f"lines/{UPRN}/repair")
    assert diagnostics_of(SERVICE)["next_best_action"]["code"] == "AOK001"
    assert "No fault is simulated on any line." in page(client, "/network/lines")


def test_load_of_a_node(client: Client) -> None:
    fields = {"node": "PON", "percent": "94.99", "starts": "20:00", "ends": "21:00"}

    text = press(client, f"lines/{UPRN}/congestion", **fields)
    assert "PON-KWL-TEST-1002001 Orange 94.99 % over 15 minutes" in text

    fields = {"node": "PON", "percent": "", "starts": "", "ends": ""}
    assert "Unk no samples" in press(client, f"lines/{UPRN}/no-samples", **fields)
    assert "Path of the service: Green" in press(client, f"lines/{UPRN}/end-congestion")


def test_mistake_is_named(client: Client) -> None:
    text = press(client, f"lines/{UPRN}/congestion", node="PON", percent="much")

    assert "Nothing was changed. percent: must be a number from 0 to 100" in text


def test_line_of_a_job_s_premises(client: Client) -> None:
    job = make.job()

    assert "Premises of a job pack, not in the network" in page(client, f"/network/{job.uprn}/line")


def test_unknown_line_and_switch(client: Client) -> None:
    assert client.get("/network/999/line").status_code == 404
    assert client.post(f"/do/lines/{UPRN}/explode").status_code == 404
    assert client.post("/do/lines/999/repair").status_code == 404


def test_page_takes_a_bounded_number_of_queries(client: Client) -> None:
    with CaptureQueriesContext(connection) as queries:
        page(client, PATH)

    assert len(queries) < 40


@pytest.mark.parametrize(
    ("percent", "text"),
    [
        ("67.33333333333333", "67.33 %"),
        ("94.999", "94.99 %"),
        ("80", "80 %"),
        ("74.50", "74.5 %"),
        ("0", "0 %"),
    ],
)
def test_peak_is_shown_with_two_decimals_and_never_as_the_next_colour(percent: str, text: str) -> None:
    """Rules 4; D10."""
    assert line_pages.percent_text(Decimal(percent)) == text
