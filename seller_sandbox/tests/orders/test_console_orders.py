"""Console pages of orders: search, and one order; the form that places one is a file of its own (issue 13, 5)."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from seller_sandbox.console.orders import order_wording
from seller_sandbox.messages.models import MessageLogEntry, OutboundState
from seller_sandbox.network.models import Appointment
from seller_sandbox.orders import cases, lifecycle
from seller_sandbox.orders.models import Order
from seller_sandbox.orders.notification_kinds import NotificationKind
from seller_sandbox.orders.states import OrderEventKind
from seller_sandbox.tests.orders import samples
from seller_sandbox.tests.orders.console_client import fill, page, read, url

pytestmark = pytest.mark.usefixtures("network")


# --- the search -----------------------------------------------------------------------------------------------
def test_empty_search_says_how_orders_come(client: Client) -> None:
    assert "No order yet. A buyer sends one to the order interface, or you place one by form" in page(
        client, "/orders"
    )


def test_search_without_a_match_says_so(client: Client) -> None:
    assert "No order matches. Take a filter away" in page(client, "/orders?q=nothing")


def test_orders_are_found_by_reference_uprn_buyer_state_and_condition(client: Client) -> None:
    first = samples.placed(reference="ours-1")
    second = samples.appointed(situation=2, who="BUYERB")

    def found(query: str) -> list[str]:
        html = client.get(f"/orders?{query}").content.decode()
        return re.findall(r'<th scope="row"><a href="/orders/([^"]+)"', html)

    both = [second.seller_order_reference, first.seller_order_reference]
    assert found("") == both
    assert found("q=OURS-1") == both[1:]
    assert found(f"q={both[0]}") == both[:1]
    assert found(f"q=0{samples.uprn(2)}") == both[:1]
    assert found("buyer=BUYERA") == both[1:]
    assert found("state=committed") == both[:1]
    assert found("condition=delay") == both[1:]
    assert found("condition=delay&state=committed") == []


def test_search_has_pages_that_keep_the_filters(client: Client) -> None:
    for number in range(51):
        samples.pending(reference=f"many-{number}")

    html = client.get("/orders?buyer=BUYERA").content.decode()

    assert "Page 1 of 2, 51 orders" in html
    assert 'href="?buyer=BUYERA&amp;page=2"' in html
    assert "many-0 " in page(client, "/orders?buyer=BUYERA&page=2")


def test_search_takes_a_fixed_number_of_queries(client: Client) -> None:
    def count() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            client.get("/orders")
        return len(queries)

    samples.appointed()
    few = count()
    for number in range(1, 4):
        samples.appointed(situation=number, who="BUYERA")

    assert count() == few


# --- one order ------------------------------------------------------------------------------------------------
def test_unknown_order_is_not_found(client: Client) -> None:
    assert client.get("/orders/SO-none").status_code == 404


def test_timeline_says_what_happened_and_what_the_buyer_was_sent(client: Client) -> None:
    order = samples.appointed()
    text = page(client, url(order))

    events = ["Order received", "Validation passed", "Committed", "ENNI reserved", "Job pack sent"]
    positions = [text.index(event, text.index("Timeline")) for event in events]
    assert positions == sorted(positions)
    assert text.count("Buyer notified:") == 4
    assert "Buyer notified: Committed (KCI2) waiting to be sent" in text
    assert f"Appointment {samples.clock.now():%Y}" not in text
    job = order.visits.get().job.seller_job_id
    assert f'<a href="/jobs/{job}">' in client.get(url(order)).content.decode()


def test_page_names_no_value_of_the_code(client: Client) -> None:
    order = samples.appointed()
    cases.open_case(lifecycle.lock(order.seller_order_reference), text="Who owns the drive?")
    order = samples.amend(order, requested_date="2030-01-01")
    samples.cancel(order)

    html = client.get(url(order)).content.decode()
    visible = re.sub(r"<pre.*?</pre>", "", html, flags=re.S)
    text = read(visible)

    for name in ("nni_reserved", "case_opened", "alaNewInstall", "orders.", "None", "{'", "is_"):
        assert name not in text, name


def test_event_kept_from_the_buyer_has_no_notification(client: Client) -> None:
    order = samples.appointed()
    locked = lifecycle.lock(order.seller_order_reference)
    case = cases.open_case(locked, text="Who owns the drive?")
    cases.comment(locked, case, text="We do.", by_buyer=True)
    cases.comment(locked, case, text="Thank you.", by_buyer=False)

    text = page(client, url(order))

    part = text[text.index("Case opened") : text.index("Jobs", text.index("Case opened"))]
    assert re.search(r"We do\. Tue|We do\. \w{3} \d", part)
    assert "Thank you. Buyer notified: Case comment" in part


def test_every_notification_has_a_text() -> None:
    assert set(order_wording.NOTIFICATIONS) == set(NotificationKind)


def test_main_reason_comes_before_the_others() -> None:
    reasons = [{"code": str(code), "message": f"Reason {code}"} for code in (501, 502)]
    details = {"reasons": reasons, "milestone": "", "reason": reasons[0], "text": "Sent"}

    assert [line.text for line in order_wording.lines_of(details)] == [
        "Reason 501 (code 501)",
        "Also: Reason 502 (code 502)",
        "Sent",
    ]


def test_every_kind_of_event_is_shown(client: Client) -> None:
    order = samples.appointed()
    for kind in OrderEventKind:
        order.events.create(kind=kind, state=order.state, at=samples.clock.now(), details={"text": "so"})

    text = page(client, url(order))

    assert all(kind.label in text for kind in OrderEventKind)


def test_messages_show_xml_and_attempts(client: Client) -> None:
    fill(client)
    order = Order.objects.get()
    message = order.thread.outbound.first()
    message.body, message.state, message.attempts = "<notify>Pending</notify>", OutboundState.DELIVERED, 2
    message.save()
    for number, status, error in ((1, 503, "HTTP 503"), (2, 200, "")):
        MessageLogEntry.objects.create(
            outbound=message,
            thread=order.thread,
            attempt=number,
            status=status,
            error=error,
            address="https://buyer.example",
        )

    text = page(client, url(order))

    assert "&lt;notify&gt;Pending&lt;/notify&gt;" in text
    assert "attempt 1 to https://buyer.example 503 HTTP 503" in text
    assert "attempt 2 to https://buyer.example 200 accepted" in text
    assert "at endpoint console" in text
    assert "alaNewInstall" in text[text.index("Requests of the buyer") :]


def test_message_log_names_the_buyer_and_links_the_order(client: Client) -> None:
    fill(client)
    order = Order.objects.get()

    html = client.get("/messages").content.decode()

    assert "From buyer buyer-a, endpoint console" in html
    assert f'<a href="{url(order)}">' in html
    assert order.seller_order_reference in page(client, f"/messages?job={order.seller_order_reference}")
    assert "No message matches" in page(client, "/messages?operation=cancelOrder")


def test_refused_message_is_known_by_its_certificate(client: Client) -> None:
    fields = {"buyer": "BUYERA", "uprn": samples.uprn(1), "slot": "2020-01-01T08:00/2020-01-01T13:00"}
    fill(client, **fields)

    assert "From buyer buyer-a, endpoint console" in page(client, "/messages")


def test_job_leads_to_its_order(client: Client) -> None:
    order = samples.appointed()
    job = order.visits.get().job.seller_job_id

    assert f'For the order <a href="{url(order)}">' in client.get(f"/jobs/{job}").content.decode()


def test_amendment_cancellation_and_case_are_listed(client: Client) -> None:
    order = samples.appointed()
    case = cases.open_case(lifecycle.lock(order.seller_order_reference), text="Who owns the drive?")
    key = str(samples.reserve(number=3).key)
    order = samples.amend(order, reservation_key=key, site={"hazards": "Bees"})
    samples.amend(order, case_reference="no such case", case_comment="Hello")

    text = page(client, url(order))

    appointment = Appointment.objects.get(key=key)
    assert (
        f"New appointment: {order_wording.appointment_text(appointment.starts_at, appointment.ends_at)}"
        in text
    )
    assert "Hazards: Bees" in text
    assert "Reply: Hello" in text
    assert f"{case.reference} open" in text


def test_notice_charge_and_compensation_are_shown(client: Client) -> None:
    live = samples.uprn(20)
    service = samples.locations.find(live).services.get()
    order = samples.placed(
        kind="alaCease", uprn="", product_name="", service_identifier=service.service_identifier
    )

    assert "Notice charge 30 days, the whole notice period" in page(client, url(order))


def test_linked_orders_lead_to_each_other(client: Client) -> None:
    switch = samples.placed(
        who="BUYERB",
        uprn=samples.uprn(20),
        new_order_type="Switch",
        requested_date=samples.days_ahead(10),
    )
    cease = Order.objects.get(linked_order=switch)

    assert f"Cease for this order: {cease.seller_order_reference}, Aire Broadband" in page(
        client, url(switch)
    )
    text = page(client, url(cease))
    assert f"Order that takes the line over: {switch.seller_order_reference}" in text
    assert "it follows from another one" in text


def test_page_of_an_order_takes_a_bounded_number_of_queries(client: Client) -> None:
    order = samples.appointed()
    locked = lifecycle.lock(order.seller_order_reference)
    for number in range(20):
        cases.open_case(locked, text=f"Question {number}")

    with CaptureQueriesContext(connection) as queries:
        page(client, url(order))

    assert len(queries) < 65
