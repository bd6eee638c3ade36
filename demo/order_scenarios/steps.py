"""The steps of scenarios, by the names that the data files use."""

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from typing import Any

from demo.order_scenarios import engineer_visit, fault_steps
from demo.order_scenarios.moved_clock import LOCAL_ZONE
from demo.order_scenarios.scenario_run import ScenarioRun
from demo.rehearsal.app_client import SessionError
from demo.rehearsal.job_scenarios import PlannedOutcome

SUCCESSES = {"SP", "PSP", "REVCOMP", "EXTCOMP", "CIVCOMP"}
Members = dict[str, Any]


# --- the buyer ------------------------------------------------------------------------------------------------
def reserve(
    run: ScenarioRun, *, by: str = "A", in_days: int = 0, appointment_type: str = "", nth: int = 0
) -> None:
    """A slot, the first one from the day on that lies so many days ahead."""
    first_day = _day(run, in_days) if in_days else None
    kind = appointment_type
    buyer, product = run.buyer(by), run.scenario.product
    slots = buyer.list_slots(run.uprn, product, first_day=first_day, appointment_type=kind)
    run.reservation = buyer.reserve(run.uprn, product, slots[nth], appointment_type=kind)


def order(
    run: ScenarioRun,
    *,
    by: str = "A",
    name: str = "",
    key: bool = False,
    order_type: str = "",
    in_days: int | None = None,
    engineer: bool = False,
    product: str = "",
    reference: str = "",
    **more: Any,
) -> None:
    """A new install, a regrade, a Switch or a WLTO; `key`: with the reservation made last."""
    members = {
        "addressKey": run.uprn,
        "productName": product or run.scenario.product,
        "newOrderType": order_type,
        "requestedDate": _day(run, in_days),
        "appointmentReservationKey": _key(run) if key else "",
        "engineerInstall": engineer,
        "siteInformation": {"contactName": "Jo Marsh", "contactPhone": "0113 496 0001"},
        **more,
    }
    own = run.new_reference(name)
    run.buyer(by).send("order", {"alaNewInstall": members}, reference=reference or own)
    run.stage.rest()


def modify(run: ScenarioRun, *, by: str = "A", **configuration: Any) -> None:
    """Another ENNI or line profile for the live service."""
    members = {"serviceIdentifier": _service(run, by), "serviceConfiguration": configuration}
    run.buyer(by).send("orderModify", {"alaModify": members}, reference=run.new_reference(""))
    run.stage.rest()


def cease(run: ScenarioRun, *, by: str = "A", in_days: int | None = None, name: str = "") -> None:
    members = {"serviceIdentifier": _service(run, by), "requestedDate": _day(run, in_days)}
    run.buyer(by).send("ceaseOrder", {"alaCease": members}, reference=run.new_reference(name))
    run.stage.rest()


def amend(
    run: ScenarioRun,
    *,
    by: str = "A",
    name: str = "",
    key: bool = False,
    in_days: int | None = None,
    answer: str = "",
    survey_in_days: int | None = None,
    **more: Any,
) -> None:
    """Change an order under way; `name` is that of the order, `cease` the unsolicited one."""
    members = {
        "addressKey": more.pop("addressKey", ""),
        "productName": more.pop("productName", ""),
        "requestedDate": _day(run, in_days),
        "appointmentReservationKey": _key(run) if key else "",
        **more,
        "complexOrderAnswer": {answer: True} if answer else "",
        "requestedSurveyDate": _day(run, survey_in_days),
    }
    _send_about(run, "amendOrder", by, name, {"amendment": members})


def comment(run: ScenarioRun, *, text: str, by: str = "A", name: str = "") -> None:
    """Reply to the case that was notified last."""
    about_cases = [found.message for found in run.notifications() if found.message.has("caseReference")]
    if not about_cases:
        raise SessionError("the seller has opened no case")
    reply = {"caseReference": about_cases[-1].text("caseReference"), "comment": text}
    _send_about(run, "amendOrder", by, name, {"amendment": {"caseReply": reply}})


def cancel(run: ScenarioRun, *, by: str = "A", name: str = "", code: str = "300", text: str = "") -> None:
    reason = {
        "cancellationReasonCode": code,
        "cancellationReasonMessage": text or "Customer changed their mind",
    }
    _send_about(run, "cancelOrder", by, name, {"cancellationReason": reason})


def _send_about(run: ScenarioRun, operation: str, by: str, name: str, members: Members) -> None:
    target = {"targetSellerOrderReference": run.seller_reference(name)}
    own = run.references.get(name, "")
    run.buyer(by).send(operation, {**target, **members}, reference=own)
    run.stage.rest()


def notified(run: ScenarioRun, *, kind: str, times: int = 1) -> None:
    """By now the scenario's buyers were notified of this kind so often. Raises SessionError."""
    found = sum(notification.kind == kind for notification in run.notifications())
    if found != times:
        raise SessionError(f"{kind} was notified {found} times and not {times}")


# --- the seller -----------------------------------------------------------------------------------------------
def seller(run: ScenarioRun, *, action: str, name: str = "", **members: Any) -> None:
    """A person at the seller does something with an order: an action of its control interface."""
    run.stage.seller.act(run.seller_reference(name), action, **members)
    run.stage.rest()


def release(run: ScenarioRun, *, after_visit: int) -> None:
    """The cabinet goes live so many days after the day of the visit."""
    day = run.release_on = run.appointment().astimezone(LOCAL_ZONE).date() + timedelta(days=after_visit)
    run.stage.seller.move_release(run.uprn, day=day)
    run.stage.rest()


# --- the clock ------------------------------------------------------------------------------------------------
def move(
    run: ScenarioRun,
    *,
    days: int = 0,
    hour: int = 9,
    seconds: int = 0,
    eve: bool = False,
    past_release: bool = False,
) -> None:
    """To an hour so many days ahead, of the day before the visit (`eve`), or of the day after the cabinet's release."""
    if seconds:
        run.stage.move_to(run.stage.clock.now() + timedelta(seconds=seconds))
        return
    day = run.stage.clock.local_now().date() + timedelta(days=days)
    if eve:
        day = run.appointment().astimezone(LOCAL_ZONE).date() - timedelta(days=1)
    elif past_release and run.release_on:
        day = run.release_on + timedelta(days=1)
    run.stage.move_to(_at(day, hour))


def _at(day: date, hour: int) -> datetime:
    return datetime.combine(day, time(hour), tzinfo=LOCAL_ZONE)


# --- the partner ----------------------------------------------------------------------------------------------
def assign(run: ScenarioRun) -> None:
    """The office gives the newest job to an engineer."""
    run.visit = engineer_visit.assign(run.stage, run.new_job())


def visit(run: ScenarioRun, *, closes: str = "SP", secondary: str = "", until: str = "") -> None:
    """The engineer does the job in its slot, or goes on with one that was begun."""
    job = run.new_job()
    if run.visit is None or run.visit.job.seller_job_id != job.seller_job_id:
        assign(run)
    if run.visit is None:
        raise SessionError("nobody was assigned")
    remarks = "Seen on site" if closes == "OTHER" else ""
    outcome = PlannedOutcome(closes, secondary, succeeds=closes in SUCCESSES, remarks=remarks)
    run.visit.go(outcome, slot=run.appointment(), until=until)


def close_without_visit(run: ScenarioRun, *, code: str) -> None:
    """Nobody could come: the office closes the job in its slot."""
    job = run.new_job()
    run.stage.move_to(run.appointment() + engineer_visit.INTO_SLOT)
    engineer_visit.close_without_visit(run.stage, job, code=code)


def _day(run: ScenarioRun, in_days: int | None) -> date | None:
    return None if in_days is None else run.stage.clock.local_now().date() + timedelta(days=in_days)


def _key(run: ScenarioRun) -> str:
    if run.reservation is None:
        raise SessionError("the scenario has reserved no appointment yet")
    return run.reservation.key


def _service(run: ScenarioRun, by: str) -> str:
    return run.buyer(by).find_service(run.uprn)


STEPS: dict[str, Callable[..., None]] = {
    function.__name__: function
    for function in (
        reserve,
        order,
        modify,
        cease,
        amend,
        comment,
        cancel,
        notified,
        seller,
        release,
        move,
        assign,
        visit,
        close_without_visit,
        *fault_steps.STEPS,
    )
}
