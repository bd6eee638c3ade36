"""Rules of fault-decisions.md that no other test is about: who may end a ticket, whose references, whose words."""

import pytest
from django.core.exceptions import ImproperlyConfigured

from seller_sandbox import environment
from seller_sandbox.diagnostics import line_states
from seller_sandbox.faults import operator_actions
from seller_sandbox.faults.models import ClosureCode
from seller_sandbox.jobs import codes
from seller_sandbox.orders.models import Order
from seller_sandbox.tests.faults import samples, visit_samples
from seller_sandbox.tests.orders import samples as order_samples

pytestmark = pytest.mark.usefixtures("network")
WAYLEAVE_REFUSED_UPRN = "1007001"


@pytest.mark.parametrize("code", list(ClosureCode))
def test_buyer_may_reject_a_resolution_with_any_closure_code(code: ClosureCode) -> None:
    """D14."""
    report = samples.resolved(code=code)

    answer = samples.values(samples.answer_resolution(report, accepted=False))

    assert answer["status"] == "Re-Opened"


def test_cancellation_asked_for_in_an_amendment_is_the_operator_s() -> None:
    """D6: there is no operation for it."""
    report = samples.in_progress()
    samples.amend(report, update_texts=["Please cancel this fault report"])
    assert samples.fresh(report).state == "in_progress"

    samples.act(report, operator_actions.cancel, reason="Asked for by the buyer")

    assert samples.sent(report)[-2:] == ["Amended", "Cancelled"]


def test_what_the_supplier_adds_is_sent_as_a_full_update() -> None:
    """Events: update with more information."""
    report = samples.in_progress()
    samples.act(report, operator_actions.add_update, text="A splice is open")
    samples.act(report, operator_actions.add_file, name="splice.jpg")

    update = samples.notification(report, "FaultReportUpdate")
    assert samples.sent(report)[-2:] == ["FaultReportUpdate"] * 2
    assert update["description"] == report.description
    assert [(row["author"], row["text"]) for row in update["updates"]] == [("Supplier", "A splice is open")]
    assert [(row["author"], row["name"]) for row in update["files"]] == [("Supplier", "splice.jpg")]


def test_buyer_s_and_partner_s_texts_of_a_code_differ() -> None:
    """Documents 2 and 3 describe these differently: each side has a table of its own."""
    shared = [code for code in ClosureCode if codes.job_type_of(code)]

    assert {"NAPUV", "MBORC", "FTA"} <= set(shared)
    assert [
        code for code in ("NAPUV", "MBORC", "FTA") if codes.describe(code) == ClosureCode(code).label
    ] == []


@pytest.mark.triage
def test_revisit_refers_to_the_order_of_the_service() -> None:
    """D16."""
    order = order_samples.pending()
    Order.objects.filter(pk=order.pk).update(
        state="completed", service_identifier=samples.service().service_identifier
    )

    report = visit_samples.with_visit()

    assert visit_samples.visit(report).job.pack["orderReferences"] == {
        "buyerOrderReference": order.buyer_order_reference,
        "sellerOrderReference": order.seller_order_reference,
    }


def test_three_environments_have_base_paths_that_end_in_api2(monkeypatch: pytest.MonkeyPatch) -> None:
    """Authentication 3."""
    paths = ["production/api2", "staging/api2", "sit/api2"]
    monkeypatch.setenv("SANDBOX_FAULT_BASE_PATHS", ", ".join(f"/{path}/" for path in paths))
    assert environment.read_interface_paths("SANDBOX_FAULT_BASE_PATHS", "") == paths

    monkeypatch.setenv("SANDBOX_FAULT_BASE_PATHS", "production")
    with pytest.raises(ImproperlyConfigured, match="ends in api2"):
        environment.read_interface_paths("SANDBOX_FAULT_BASE_PATHS", "")


@pytest.mark.triage
def test_refused_wayleave_ends_an_outage_without_a_visit() -> None:
    """The test premises of README.md: NAPUV over the wire alone."""
    line_states.cut_fibre(samples.service(WAYLEAVE_REFUSED_UPRN).location)
    service = samples.service(WAYLEAVE_REFUSED_UPRN).service_identifier
    key = str(samples.reserve(uprn=WAYLEAVE_REFUSED_UPRN).key)

    report = samples.in_progress(samples.outage(service_affected=service, appointment_reservation_key=key))

    assert (report.get_state_display(), report.closure_code) == ("Resolved", "NAPUV")
    assert not report.visits.exists()
    assert samples.notification(report, "Resolved")["resolution"]["closure_code"] == "NAPUV"
