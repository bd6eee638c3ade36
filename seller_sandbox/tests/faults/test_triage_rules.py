"""Triage as a table: every combination of facts has one decision, every rule is used, every remote code is reached."""

from itertools import product

import pytest

from seller_sandbox.faults.ticket_closure_codes import ReachedBy, closure_codes
from seller_sandbox.faults.triage_rules import NoRule, TriageFacts, TriageStep, decide, rule_names

FAULT_TYPES = ("Service Outage", "Impaired Service", "Performance Issue")
CODES = ("AOK001", "CFH001", "CFH002", "CFH003", "DYG001", "ISP001", "ISP002", "ISP003", "STF001")
PATHS = ("Green", "Orange", "Red", "Unk")
OUTAGE, IMPAIRED, SLOW = FAULT_TYPES
ALL = [TriageFacts(*combination) for combination in product(FAULT_TYPES, CODES, PATHS, *[(False, True)] * 4)]


def test_every_combination_has_a_decision_and_every_rule_is_used() -> None:
    assert {decide(facts).rule for facts in ALL} == set(rule_names())


@pytest.mark.parametrize(
    ("facts", "step", "closure_code"),
    [
        (TriageFacts(OUTAGE, "CFH001", "Green"), TriageStep.VISIT, ""),
        (TriageFacts(IMPAIRED, "CFH002", "Red"), TriageStep.VISIT, ""),
        (TriageFacts(OUTAGE, "CFH001", "Green", is_access_refused=True), TriageStep.RESOLVE, "NAPUV"),
        (TriageFacts(OUTAGE, "DYG001", "Green"), TriageStep.CONTACT_END_USER, ""),
        (TriageFacts(OUTAGE, "DYG001", "Green", has_been_asked=True), TriageStep.VISIT, ""),
        (TriageFacts(OUTAGE, "AOK001", "Green", True, has_been_faulty=True), TriageStep.RESOLVE, "FR"),
        (TriageFacts(OUTAGE, "AOK001", "Red"), TriageStep.RESOLVE, "FNR"),
        (TriageFacts(OUTAGE, "ISP002", "Green"), TriageStep.RESOLVE, "FNR"),
        (TriageFacts(SLOW, "AOK001", "Green"), TriageStep.RESOLVE, "SREQ"),
        (TriageFacts(SLOW, "AOK001", "Orange"), TriageStep.ASK_BUYER, ""),
        (TriageFacts(SLOW, "AOK001", "Orange", has_been_asked=True), TriageStep.RESOLVE, "SREQ"),
        (TriageFacts(SLOW, "AOK001", "Red"), TriageStep.NETWORK_REPAIR, ""),
        (TriageFacts(IMPAIRED, "AOK001", "Green"), TriageStep.ASK_BUYER, ""),
        (TriageFacts(IMPAIRED, "AOK001", "Unk", has_been_asked=True), TriageStep.VISIT, ""),
        (TriageFacts(IMPAIRED, "ISP003", "Green"), TriageStep.ASK_BUYER, ""),
        (TriageFacts(OUTAGE, "ISP001", "Green", has_been_asked=True), TriageStep.RESOLVE, "NDT"),
        (TriageFacts(OUTAGE, "CFH003", "Green"), TriageStep.ASK_BUYER, ""),
        (TriageFacts(OUTAGE, "CFH003", "Green", has_been_asked=True), TriageStep.VISIT, ""),
        (TriageFacts(OUTAGE, "AOK001", "Green", is_reopened=True), TriageStep.VISIT, ""),
        # a test that cannot run blocks no ticket
        (TriageFacts(OUTAGE, "STF001", "Unk"), TriageStep.VISIT, ""),
        (TriageFacts(SLOW, "STF001", "Unk", has_been_asked=True), TriageStep.VISIT, ""),
    ],
)
def test_decisions(facts: TriageFacts, step: TriageStep, closure_code: str) -> None:
    decision = decide(facts)

    assert (decision.step, decision.closure_code) == (step, closure_code)


def test_triage_reaches_the_codes_that_say_so_and_resolves_with_no_others() -> None:
    reached = {decide(facts).closure_code for facts in ALL} - {""}

    assert reached == {code for code, row in closure_codes().items() if ReachedBy.TRIAGE in row.reached_by}
    assert {"SREQ", "NDT", "FNR", "NAPUV", "FR"} == reached


def test_nobody_is_asked_twice() -> None:
    asking = {TriageStep.ASK_BUYER, TriageStep.CONTACT_END_USER}

    assert not [facts for facts in ALL if facts.has_been_asked and decide(facts).step in asking]


def test_nobody_is_sent_where_access_is_refused() -> None:
    assert not [facts for facts in ALL if facts.is_access_refused and decide(facts).step == TriageStep.VISIT]


def test_only_faults_of_the_buyers_side_are_charged() -> None:
    charged = {decide(facts).closure_code for facts in ALL if decide(facts).is_chargeable}
    resolved = {decide(facts).closure_code for facts in ALL if decide(facts).step == TriageStep.RESOLVE}

    assert charged == resolved - {"FR", "NAPUV"}


def test_a_code_that_the_document_does_not_have_is_named() -> None:
    with pytest.raises(NoRule, match="CFH999"):
        decide(TriageFacts(IMPAIRED, "CFH999", "Green"))
