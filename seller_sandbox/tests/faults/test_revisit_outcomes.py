"""Closures of revisits and ticket closure codes: every code of the documents has a row, and the rows fit together."""

import pytest

from seller_sandbox.faults.models import ClosureCode
from seller_sandbox.faults.revisits.revisit_outcomes import (
    AppointmentEnd,
    NextJob,
    RevisitOutcome,
    RevisitStep,
    outcome_of,
    outcomes,
)
from seller_sandbox.faults.ticket_closure_codes import ReachedBy, closure_codes
from seller_sandbox.jobs import codes

# installation-jobs.md, Closure codes: the family of revisits, then any other code
REVISIT_CODES = {
    "REVCOMP": (RevisitStep.RESOLVE, "Resolved", "FR"),
    "REVASQ": (RevisitStep.RESOLVE, "Resolved", "ASQ"),
    "REVNA": (RevisitStep.CONTACT_END_USER, "On Hold", "NA"),
    "REVHAZ": (RevisitStep.CONTACT_END_USER, "On Hold", "HAZ"),
    "REVUNF": (RevisitStep.REVIEW, "In Progress", "UNF"),
    "REVCPR": (RevisitStep.REVISIT, "In Progress", ""),
    "REVONT": (RevisitStep.REVISIT, "In Progress", ""),
    "REVASS": (RevisitStep.REVISIT, "In Progress", ""),
    "REVPOP": (RevisitStep.NETWORK_REPAIR, "In Progress", "FR"),
    "REVCON": (RevisitStep.NETWORK_REPAIR, "In Progress", "FR"),
    "OTHER": (RevisitStep.REVIEW, "In Progress", ""),
}


@pytest.mark.parametrize("code", REVISIT_CODES)
def test_every_revisit_code_has_its_row(code: str) -> None:
    found = outcome_of(code)

    assert (found.step, found.state, found.closure_code) == REVISIT_CODES[code]


def test_the_table_has_the_ten_codes_of_revisits_and_other() -> None:
    family = {code for code in outcomes() if codes.job_type_of(code) == "revisit"}

    assert family == {code for code in REVISIT_CODES if code != "OTHER"}
    assert len(family) == 10
    assert set(outcomes()) == set(REVISIT_CODES)


def test_every_secondary_code_tells_the_buyer_something_of_its_own() -> None:
    secondaries = {secondary for code in outcomes() for secondary in codes.secondary_codes(code)}

    assert len(secondaries) == 16
    for code, outcome in outcomes().items():
        assert set(outcome.secondaries) == set(codes.secondary_codes(code))
        texts = [outcome.text, *outcome.secondaries.values()]
        assert len(set(texts)) == len(texts)
        assert all(outcome.text_for(secondary) in texts for secondary in outcome.secondaries)


def test_an_unknown_code_is_other_reason() -> None:
    assert outcome_of("REVXYZ") == outcome_of("OTHER")
    assert outcome_of("OTHER").text_for("X1") == outcome_of("OTHER").text


def test_what_the_next_revisit_brings() -> None:
    needs = {code: row.next_job for code, row in outcomes().items() if row.step == RevisitStep.REVISIT}

    assert needs == {
        "REVCPR": NextJob(flags=("CHP",)),
        "REVONT": NextJob(brings_ont=True),
        "REVASS": NextJob(engineers=2),
    }


@pytest.mark.parametrize("outcome", outcomes().values())
def test_the_messages_fit_the_state(outcome: RevisitOutcome) -> None:
    appointment = {
        AppointmentEnd.COMPLETED: "notifyAppointmentCompleted",
        AppointmentEnd.MISSED_BY_END_USER: "notifyMissedAppointment",
    }
    state = {
        "Resolved": "notifyResolved",
        "On Hold": "notifyOnHold",
        "In Progress": "notifyFaultReportUpdate",
    }

    assert outcome.messages[0] == appointment[outcome.appointment]
    assert outcome.messages[1] == state[outcome.state]
    assert not outcome.closure_code or outcome.closure_code in closure_codes()


def test_every_ticket_code_of_the_document_has_a_row() -> None:
    assert list(closure_codes()) == ClosureCode.values


def test_only_a_missed_visit_leaves_the_ticket_open() -> None:
    missed = {code: row for code, row in closure_codes().items() if not row.ends_ticket}

    assert set(missed) == {"FTA", "MBORC"}
    assert {row.next_job for row in missed.values()} == {"revisit"}
    assert {row.state for row in missed.values()} == {"In Progress"}
    assert {row.state for row in closure_codes().values() if row.ends_ticket} == {"Resolved"}
    assert {row.messages for row in closure_codes().values() if row.ends_ticket} == {
        ("notifyResolved", "notifyClosed")
    }


@pytest.mark.parametrize("code", closure_codes())
def test_every_ticket_code_is_reached_as_its_row_says(code: str) -> None:
    by_visit = {row.closure_code for row in outcomes().values() if row.step == RevisitStep.RESOLVE}
    by_repair = {row.closure_code for row in outcomes().values() if row.step == RevisitStep.NETWORK_REPAIR}

    row = closure_codes()[code]

    assert (ReachedBy.VISIT in row.reached_by) == (code in by_visit)
    assert (ReachedBy.NETWORK_REPAIR in row.reached_by) == (code in by_repair)
    assert (ReachedBy.MISSED_VISIT in row.reached_by) == (not row.ends_ticket)
    assert (ReachedBy.CONSOLE in row.reached_by) == row.ends_ticket
