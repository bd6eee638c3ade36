"""The rehearsal's plan holds what it announces: types, results, failures, cancellations."""

from collections import Counter
from dataclasses import replace

import pytest

from closures import codes
from demo.order_scenarios.playing import SCENARIOS, draw_scenarios
from demo.rehearsal import findings, job_scenarios
from demo.rehearsal.sandbox_client import SellerJob
from dispatch.states import JobType

FATES = job_scenarios.plan_scenarios()


def test_forty_jobs_of_all_four_types() -> None:
    assert Counter(fate.job_type for fate in FATES) == {
        JobType.INSTALLATION: 20,
        JobType.REVISIT: 10,
        JobType.EXTERNAL: 5,
        JobType.CIVILS: 5,
    }


def test_provisioning_answers_cover_every_result_of_jobs_that_are_scanned() -> None:
    scanned = [fate for fate in FATES if fate.outcome.succeeds and not fate.cancelled_when]

    assert {result for fate in scanned for result in fate.results} == {1, 2, 3, 4, 5, 6, 7}
    assert {fate.results[-1] for fate in scanned if fate.results} == {1, 2}


def test_one_in_eight_fails_and_two_are_cancelled() -> None:
    failing = [fate for fate in FATES if not fate.outcome.succeeds]

    assert len(failing) == len(FATES) / 8
    assert sorted(fate.cancelled_when for fate in FATES if fate.cancelled_when) == ["assigned", "en_route"]
    assert [fate for fate in failing if fate.cancelled_when] == []


def test_odd_packs_and_results_come_up_in_every_rehearsal_of_forty() -> None:
    for seed in (0, job_scenarios.SEED, 7):
        fates = job_scenarios.plan_scenarios(seed=seed)
        worked = [fate for fate in fates if not fate.cancelled_when]
        assert {fate.odd_pack for fate in worked} == {*job_scenarios.ODD_PACKS, "fault"}
        assert {fate.odd_results for fate in worked if fate.results} == {*job_scenarios.ODD_RESULTS}
        assert {fate.after_the_end for fate in worked} == {*job_scenarios.AFTER_THE_END}
        assert all(fate.job_type == JobType.REVISIT for fate in fates if fate.odd_pack == "fault")


def test_seed_moves_what_is_odd_and_nothing_else() -> None:
    usual = {"odd_pack": "", "odd_results": (), "after_the_end": "", "outcome": FATES[0].outcome}
    first, second = job_scenarios.plan_scenarios(seed=1), job_scenarios.plan_scenarios(seed=2)

    assert first != second
    assert [replace(fate, **usual) for fate in first] == [replace(fate, **usual) for fate in second]


@pytest.mark.parametrize(
    "fate", [*FATES, *job_scenarios.plan_scenarios(seed=1)], ids=lambda fate: fate.outcome.code
)
def test_planned_closure_is_one_that_the_job_may_have(fate: job_scenarios.JobScenario) -> None:
    code = codes.find_code(fate.outcome.code)

    assert (code.family, code.succeeds) == (codes.family_of(fate.job_type), fate.outcome.succeeds)
    assert not code.secondary_required or code.secondary(fate.outcome.secondary) is not None


def seller_job(*, closure: str, state: str = "Closed") -> SellerJob:
    return SellerJob("S-1", "J-1", "installation", state, closure, 0)


def test_other_end_than_planned_is_a_finding() -> None:
    fate = FATES[0]

    assert findings.unplanned_outcomes([seller_job(closure="SP")], {"S-1": fate}) == []
    assert findings.unplanned_outcomes([seller_job(closure="CON07")], {"S-1": fate}) == [
        "S-1: planned SP, the seller has CON07"
    ]
    assert findings.unplanned_outcomes([seller_job(closure="", state="On site")], {"S-1": fate}) == [
        "S-1: planned SP, the seller has on site"
    ]


def test_day_without_a_photo_is_a_finding() -> None:
    assert findings.unseen_photos([]) == ["no photo reached the seller"]


def test_scenarios_of_orders_are_the_same_for_a_seed() -> None:
    drawn = [scenario.name for scenario in draw_scenarios(seed=1)]

    assert drawn == [scenario.name for scenario in draw_scenarios(seed=1)]
    assert len(drawn) == SCENARIOS
    assert {tuple(scenario.name for scenario in draw_scenarios(seed=seed)) for seed in range(5)} != {
        tuple(drawn)
    }
