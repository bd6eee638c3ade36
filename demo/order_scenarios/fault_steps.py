"""The steps of scenarios about faults, by the names that the data files use."""

from datetime import timedelta
from typing import Any

from demo.order_scenarios.fault_buyer import FaultBuyer
from demo.order_scenarios.scenario_run import ScenarioRun
from demo.rehearsal.app_client import SessionError

HOURS_48 = 48


def line(run: ScenarioRun, *, action: str, **members: Any) -> None:
    """Something happens to the line at the premises: an action of the control interface."""
    run.stage.seller.act_on_line(run.uprn, action, **members)
    run.stage.rest()


def test_line(run: ScenarioRun, *, code: str, by: str = "A") -> None:
    """The buyer tests the line; fails unless this is the next best action."""
    buyer = run.buyer(by)
    found = FaultBuyer(buyer).test_line(run.service)
    if found != code:
        raise SessionError(f"the line test says {found} and not {code}")


def reserve_repair(run: ScenarioRun, *, by: str = "A", nth: int = 0) -> None:
    """A repair slot, the first one unless `nth` says otherwise."""
    run.reservation = FaultBuyer(run.buyer(by)).reserve(run.uprn, run.scenario.product, nth=nth)


def report_fault(
    run: ScenarioRun,
    *,
    by: str = "A",
    fault_type: str = "Service Outage",
    key: bool = False,
    description: str = "No connection since this morning",
) -> None:
    """addFaultReport; `key`: with the repair slot reserved last."""
    details = {"description": description, "type": fault_type}
    own_key = run.reservation.key if key and run.reservation else ""
    reference = run.new_reference("")
    FaultBuyer(run.buyer(by)).report(reference, service=run.service, details=details, key=own_key)
    run.stage.rest()


def amend_fault(
    run: ScenarioRun, *, by: str = "A", key: bool = False, text: str = "", refused: bool = False
) -> None:
    """amendFaultReport with another slot's key, or with information; `refused`: the answer must be a 400."""
    appointment = {"appointmentReservationKey": run.reservation.key} if key and run.reservation else {}
    members = {"appointment": appointment, "updateText": text}
    FaultBuyer(run.buyer(by)).about("amendFaultReport", run.references[""], members, refused=refused)
    run.stage.rest()


def answer_resolution(run: ScenarioRun, *, accepted: bool, by: str = "A", reason: str = "") -> None:
    """resolveResponse."""
    members = {"resolveAccepted": "true" if accepted else "false", "rejectedReason": reason}
    FaultBuyer(run.buyer(by)).about("resolveResponse", run.references[""], members)
    run.stage.rest()


def ticket(run: ScenarioRun, *, action: str, **members: Any) -> None:
    """A person at the seller does something with the ticket: an action of its control interface."""
    run.stage.seller.act_on_ticket(run.maintainer_reference(), action, **members)
    run.stage.rest()


def pass_slot(run: ScenarioRun) -> None:
    """Nobody comes: the clock moves past the end of the slot."""
    run.stage.move_to(run.appointment() + timedelta(hours=6))


def wait_48_hours(run: ScenarioRun) -> None:
    """The buyer does not answer a resolution; our copy of the seller's clock is right to the second only."""
    run.stage.move_to(run.stage.clock.now() + timedelta(hours=HOURS_48, minutes=1))


STEPS = (
    line,
    test_line,
    reserve_repair,
    report_fault,
    amend_fault,
    answer_resolution,
    ticket,
    pass_slot,
    wait_48_hours,
)
