"""SQL statements of the worker for one outage: the bench's tickets a second depend on them (tests/bench/tickets.py)."""

from collections.abc import Callable

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from seller_sandbox import clock
from seller_sandbox.diagnostics import line_states
from seller_sandbox.faults import reporting, triage
from seller_sandbox.faults.models import FaultReport
from seller_sandbox.jobs import provisioning
from seller_sandbox.tests.faults import samples, visit_samples

pytestmark = [pytest.mark.usefixtures("network"), pytest.mark.triage]


def statements(step: Callable[[str], None], report: FaultReport) -> int:
    """Without the savepoints, which are the test's own."""
    with clock.at(clock.now()), transaction.atomic(), CaptureQueriesContext(connection) as queries:
        step(report.maintainer_fault_reference)
    return sum("SAVEPOINT" not in query["sql"] for query in queries)


def test_an_outage_that_is_visited() -> None:
    line_states.cut_fibre(samples.service().location)
    # its row is made once
    provisioning.rule()
    report = samples.pending(samples.outage())

    steps = [reporting.validate_report, reporting.start_triage, triage.triage_report]
    found = [statements(step, report) for step in steps]

    assert found == [16, 7, 22]
    pack = visit_samples.visit(report).job.pack
    assert pack["fault"]["lastDiagnostics"]["code"] == samples.fresh(report).triage["code"]
