"""A change of an order or a ticket writes what differs from its row."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from seller_sandbox.faults.models import FaultReport
from seller_sandbox.tests.faults import samples
from seller_sandbox.tests.fixed_network import insert_network


@pytest.fixture(autouse=True)
def network(db: None) -> None:
    insert_network()


def written(report: FaultReport) -> list[str]:
    """The statements that saving takes, their values left out."""
    with CaptureQueriesContext(connection) as queries:
        report.save_changes()
    return [query["sql"].split(" WHERE ")[0] for query in queries]


def test_a_change_writes_its_columns_alone_and_nothing_when_it_is_made_again() -> None:
    report = samples.pending()
    report.hold_reason = "Waiting"

    assert written(report) == ["""UPDATE "sandbox_faults_faultreport" SET "hold_reason" = 'Waiting'"""]

    report.hold_reason = "Waiting"

    assert written(report) == []


def test_a_column_that_somebody_else_has_changed_stays() -> None:
    report = samples.pending()
    FaultReport.objects.filter(pk=report.pk).update(resolution="Spliced")
    report.hold_reason = "Waiting"

    report.save_changes()

    stored = samples.fresh(report)
    assert (stored.resolution, stored.hold_reason) == ("Spliced", "Waiting")


def test_an_object_that_was_changed_in_its_place_is_written() -> None:
    report = samples.pending()
    report.triage["code"] = "AOK001"
    report.rejection_reasons.append({"code": "C"})

    report.save_changes()

    stored = samples.fresh(report)
    assert (stored.triage, stored.rejection_reasons) == ({"code": "AOK001"}, [{"code": "C"}])
