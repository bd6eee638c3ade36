"""Each line test is kept with its caller, time and code; a refused one is none."""

from datetime import timedelta

import pytest

from seller_sandbox import clock
from seller_sandbox.diagnostics import diagnostics_runs, line_states
from seller_sandbox.diagnostics.models import DiagnosticsRun
from seller_sandbox.messages import message_log
from seller_sandbox.messages.models import InboundMessage
from seller_sandbox.tests.diagnostics.asking import (
    ask,
    live,
    message,
    read,
    send,
)

SERVICE = "FBR001002001"


@pytest.mark.usefixtures("network")
class TestRecord:
    def test_run_is_kept_with_caller_time_and_code(self) -> None:
        line_states.cut_power(live().location)
        now = clock.now()
        with clock.at(now):
            ask(SERVICE)

        run = diagnostics_runs.last_run(service_identifier=SERVICE, caller="buyer-a", until=now)

        assert run
        assert (run.service_identifier, run.caller, run.run_at, run.code) == (
            SERVICE,
            "buyer-a",
            now,
            "DYG001",
        )

    def test_run_after_the_report_does_not_count(self) -> None:
        reported_at = clock.now() - timedelta(minutes=1)
        ask(SERVICE)

        assert not diagnostics_runs.last_run(service_identifier=SERVICE, caller="buyer-a", until=reported_at)

    def test_run_of_another_caller_or_service_does_not_count(self) -> None:
        ask(SERVICE)

        for service, caller in ((SERVICE, "partner"), ("FBR001002002", "buyer-a")):
            found = diagnostics_runs.last_run(service_identifier=service, caller=caller, until=clock.now())
            assert found is None

    def test_newest_run_counts(self) -> None:
        ask(SERVICE)
        line_states.set_testable(live().location, can_be_tested=False)
        ask(SERVICE)

        run = diagnostics_runs.last_run(service_identifier=SERVICE, caller="buyer-a", until=clock.now())

        assert run
        assert run.code == "STF001"

    def test_same_message_again_is_tested_again_and_counts_once(self) -> None:
        content = message(SERVICE)
        first = send(content)
        line_states.cut_fibre(live().location)
        second = send(content)

        codes = [
            read(answer.content)["diagnostics"]["next_best_action"]["code"] for answer in (first, second)
        ]
        assert codes == ["AOK001", "CFH001"]
        assert DiagnosticsRun.objects.count() == 1
        assert InboundMessage.objects.count() == 2

    def test_refused_request_is_no_run_and_is_in_the_message_log(self) -> None:
        ask("FBR999999999")

        assert not DiagnosticsRun.objects.exists()
        entry = message_log.list_entries(speaking_with="buyers")[0]
        assert (entry["operation"], entry["answer"]["status"]) == ("requestServiceDiagnostics", 400)
