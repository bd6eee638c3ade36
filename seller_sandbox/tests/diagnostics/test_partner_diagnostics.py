"""Line tests by the installation partner: about its jobs only (faults-and-diagnostics.md; fault-decisions.md)."""

import pytest

from seller_sandbox.jobs.models import JobState
from seller_sandbox.messages import message_log
from seller_sandbox.tests import make
from seller_sandbox.tests.diagnostics.asking import (
    ask,
    diagnostics_of,
    message,
    send,
)
from seller_sandbox.tests.orders import visit_samples

SERVICE = "FBR001002001"


@pytest.mark.usefixtures("network")
class TestPartner:
    """D17: services of its open jobs, and nothing else."""

    def test_service_of_an_order_s_open_job_before_and_after_the_scan(self) -> None:
        order = visit_samples.visited(result=None)
        before = diagnostics_of(order.service_identifier, caller="partner")
        visit_samples.provisioned(order.visits.get().job)
        after = diagnostics_of(order.service_identifier, caller="partner")

        assert before["ont"] == {"status": "Service Down"}
        assert before["next_best_action"]["code"] == "CFH001"
        assert after["ont"]["changed_from"] == "Service Down"
        assert after["next_best_action"]["code"] == "AOK001"
        assert after["buyer_identifier"] == "partner"
        assert after["service_path_usage"] == "Green"

    def test_service_of_a_job_that_nobody_ordered(self) -> None:
        job = make.job()
        found = diagnostics_of(job.pack["serviceIdentifier"], caller="partner")

        assert found["next_best_action"]["code"] == "CFH001"
        assert [node["name"] for node in found["national_nodes"]] == [
            "Interconnect",
            "Handoff",
            "ENNI",
            "PON",
        ]

    @pytest.mark.parametrize("state", [JobState.CLOSED, JobState.CANCELLED, JobState.REFUSED])
    def test_job_that_is_not_open(self, state: JobState) -> None:
        job = make.job()
        job.state = state
        job.save()

        status, values = ask(job.pack["serviceIdentifier"], caller="partner")

        assert (status, values["response_code"]) == (400, 10)

    def test_live_service_without_a_job(self) -> None:
        assert ask(SERVICE, caller="partner")[0] == 400

    def test_buyer_does_not_test_what_a_job_is_about_to_provide(self) -> None:
        order = visit_samples.visited(result=1)

        assert ask(order.service_identifier)[0] == 400

    def test_identifier_of_a_buyer_is_not_the_partner_s_own(self) -> None:
        answer = send(message(SERVICE, buyer_identifier="BUYERA"), caller="partner")

        assert answer.status == 403

    def test_partner_s_own_record_is_about_jobs_only(self) -> None:
        ask(SERVICE, caller="partner")

        assert message_log.list_entries() == []
        assert len(message_log.list_entries(speaking_with="all")) == 1
