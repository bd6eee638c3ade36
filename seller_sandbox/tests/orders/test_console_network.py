"""Console pages of the network: premises, cabinets, buyers, and the buttons on them (issue 13, 5)."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from seller_sandbox.network.fixed_premises import situations
from seller_sandbox.network.models import Buyer, Cabinet, Location
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.states import OrderCondition
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.console_client import page, press, read


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/network", "/network/cabinets", "/network/buyers"])
def test_empty_network_says_what_to_load(client: Client, path: str) -> None:
    assert "python -m seller_sandbox.manage load_network" in page(client, path)


@pytest.mark.django_db
def test_orders_without_a_network_say_what_to_load(client: Client) -> None:
    assert "load_network" in page(client, "/orders")
    assert "load_network" in page(client, "/orders/new")


@pytest.mark.usefixtures("network")
class TestPremises:
    def test_fixed_test_premises_are_listed_by_situation(self, client: Client) -> None:
        samples.placed(uprn=samples.uprn(1))

        html = client.get("/network").content.decode()
        text = read(html)

        for situation in situations():
            assert situation.title.replace("'", "&#x27;") in html, situation.title
        assert "1 of 2" in text
        assert f"Order at {samples.uprn(1, copy=2)}" in text

    def test_uprn_leads_to_its_page(self, client: Client) -> None:
        response = client.get(f"/network?q=000{samples.uprn(1)}")

        assert response.status_code == 302
        assert response["Location"] == f"/network/{samples.uprn(1)}"

    def test_postcode_lists_its_premises(self, client: Client) -> None:
        text = page(client, "/network?q=ls32+0tp")

        assert "2 premises found" in text
        assert samples.uprn(20, copy=2) in text
        assert "RFS_4: ONT installed, live service" in text
        assert "Aire Broadband" in text

    @pytest.mark.parametrize("q", ["999", "LS1", "nowhere"])
    def test_search_without_a_match_says_so(self, client: Client, q: str) -> None:
        assert f"No premises match “{q}”" in page(client, f"/network?q={q}")

    def test_every_situation_has_a_page_in_a_bounded_number_of_queries(self, client: Client) -> None:
        for uprn in Location.objects.values_list("uprn", flat=True):
            with CaptureQueriesContext(connection) as queries:
                page(client, f"/network/{uprn}")
            assert len(queries) < 75, uprn

    def test_page_shows_ont_service_owner_products_and_slots(self, client: Client) -> None:
        text = page(client, f"/network/{samples.uprn(20)}")

        for text_part in (
            "Owner Aire Broadband (BUYERA)",
            "Type Nokia XS-010X-Q",
            "with or without an appointment; ENNI-A1",
            "Free slots",
            "08:00–13:00",
            "Area for slots KWL-TEST",
            "Live since",
            "No order at these premises yet.",
        ):
            assert text_part in text, text_part

    def test_page_shows_orders_and_booked_appointments(self, client: Client) -> None:
        order = samples.appointed()

        text = page(client, f"/network/{samples.uprn(1)}")

        assert order.seller_order_reference in text
        assert "Installation, Aire Broadband" in text

    def test_unknown_premises_are_not_found(self, client: Client) -> None:
        assert client.get("/network/999").status_code == 404


@pytest.mark.usefixtures("network")
class TestCabinets:
    def test_cabinets_are_searched_and_paged(self, client: Client) -> None:
        text = page(client, "/network/cabinets")
        assert "Page 1 of" in text
        assert "Goes live" in text

        found = page(client, f"/network/cabinets?q={samples.uprn(1)}")
        assert f"KWL-TEST-{samples.uprn(1)}" in found
        assert "No cabinet matches" in page(client, "/network/cabinets?q=nothing")

    def test_release_is_moved_and_the_order_slips(self, client: Client) -> None:
        order = samples.appointed()
        day = samples.days_ahead(60)

        text = press(client, f"premises/{samples.uprn(1)}/release", day=day.isoformat())

        assert "1 order slips" in text
        assert Cabinet.objects.get(locations__uprn=samples.uprn(1)).release_on == day
        assert OrderCondition.CABINET_SLIP in samples.fresh(order).conditions

    def test_release_without_a_day_changes_nothing(self, client: Client) -> None:
        text = press(client, f"premises/{samples.uprn(1)}/release", day="", next="/network/cabinets")

        assert "Nothing was changed. Date: must be a day" in text
        assert "Those that go live later first" in text


@pytest.mark.usefixtures("network")
class TestBuyers:
    def test_buyers_are_shown_with_what_they_may_order(self, client: Client) -> None:
        samples.placed()

        text = page(client, "/network/buyers")

        for text_part in (
            "Bellmoor Telecom BUYERB",
            "Notice of a cease 14 days",
            "ENNI-A8 National Access, from everywhere",
            "PRJ-ENDED Trial of 2020",
            "(not running)",
            "Complex FTTH National Access 1 Gbps (complex)",
            "Orders in flight 1",
        ):
            assert text_part in text, text_part

    def test_number_of_queries_does_not_grow_with_the_buyers(self, client: Client) -> None:
        def count() -> int:
            with CaptureQueriesContext(connection) as queries:
                page(client, "/network/buyers")
            return sum("sandbox_network" in query["sql"] for query in queries.captured_queries)

        few = count()
        Buyer.objects.create(identifier="BUYERX", name="Another", subject="buyer-x")

        assert count() == few


@pytest.mark.usefixtures("network")
class TestSwitch:
    @pytest.mark.parametrize("new_order_type", ["Switch", "WLTO"])
    def test_another_buyer_takes_the_line_over(self, client: Client, new_order_type: str) -> None:
        uprn = samples.uprn(20)

        text = press(client, f"premises/{uprn}/switch", buyer="BUYERB", new_order_type=new_order_type)

        assert f"Bellmoor Telecom has ordered a {new_order_type} at UPRN {uprn}." in text
        order = samples.after(Order.objects.get(), seconds=60)
        assert order.state == "committed"
        assert order.linked_ceases.get().buyer.identifier == "BUYERA"
        order = samples.at_midnight(order, order.requested_date + timedelta(days=1))
        assert order.state == "completed"

    @pytest.mark.parametrize(
        ("uprn", "buyer", "sentence"),
        [
            (samples.uprn(1), "BUYERB", "have no live service"),
            (samples.uprn(20), "BUYERA", "Choose another buyer"),
        ],
    )
    def test_what_cannot_be_taken_over_says_why(
        self, client: Client, uprn: str, buyer: str, sentence: str
    ) -> None:
        text = press(client, f"premises/{uprn}/switch", buyer=buyer, new_order_type="Switch")

        assert sentence in text
        assert not Order.objects.exists()
