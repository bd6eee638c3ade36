"""What the contract asks of a message beyond its shape: notifyJob, and the rules that closeJob shares.

Pure functions over the body and the facts of its job. A breach is refused by a strict seller and recorded by a
lenient one (docs/adr/0014); a remark is worth a look and breaks no rule.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from math import asin, cos, radians, sin, sqrt
from typing import Any

from django.utils import timezone

from seller_sandbox.jobs import answer_rules, codes
from seller_sandbox.jobs.answer_shape import check_shape
from seller_sandbox.jobs.fsans import normalize_fsan
from seller_sandbox.jobs.job_facts import ASSIGNED, JobFacts
from seller_sandbox.jobs.schemas import read_instant
from seller_sandbox.messages.findings import Finding, as_row, missing, remark

EARTH_METRES = 6_371_000


def metres_between(first: tuple[float, float], second: tuple[float, float]) -> float:
    """The great-circle distance of two (latitude, longitude) pairs in degrees."""
    (lat1, lon1), (lat2, lon2) = (tuple(map(radians, position)) for position in (first, second))
    half = sin((lat2 - lat1) / 2) ** 2 + cos(lat1) * cos(lat2) * sin((lon2 - lon1) / 2) ** 2
    return 2 * EARTH_METRES * asin(min(1, sqrt(half)))


Body = dict[str, Any]
Check = Callable[[Body, JobFacts], Iterator[Finding]]
POSITIONED = {"enRoute", "onSite"}
# these need a new engineerAssigned before the engineer sets off or arrives again
BEFORE_SETTING_OFF = {"onSite", "ontScanned"}
BEFORE_ARRIVING = {"ontScanned"}
FUTURE = timedelta(minutes=5)
CLOCK_TOLERANCE = timedelta(hours=24)
OLDEST_BEFORE_PACK = timedelta(days=1)
NEAR_METRES = 500


def check_notification(body: Body, facts: JobFacts) -> list[Finding]:
    """All findings of a notifyJob."""
    found = [finding for check in NOTIFICATION_CHECKS for finding in check(body, facts)]
    entries = body.get("questions_answers", [])
    return [*found, *check_shape(entries), *answer_rules.check_notified(entries, facts)]


def as_rows(findings: Iterable[Finding], *, remarks: bool) -> list[dict[str, str]]:
    """The breaches, or the remarks, as the message log stores them."""
    return [as_row(finding) for finding in findings if finding.is_remark == remarks]


# --- both messages ------------------------------------------------------------------------------------------
def nothing_after_the_end(body: Body, facts: JobFacts) -> Iterator[Finding]:
    if facts.is_closed:
        yield Finding("afterClosure", "/", "The job was already closed by closeJob")
    sent = read_instant(body["sentAt"])
    # a clock that is further ahead than the profile's 24 hours says nothing of what came first
    is_known = sent - facts.now <= CLOCK_TOLERANCE
    if facts.cancelled_at and is_known and sent > facts.cancelled_at:
        yield Finding("afterCancellation", "/", "Sent after the partner had accepted the cancellation")


def in_order_of_time(body: Body, facts: JobFacts, name: str) -> Iterator[Finding]:
    """Not in the future, not before the event that came before it; a remark where it is later than it was sent."""
    moment = read_instant(body[name])
    yield from not_in_the_future(moment, facts, where=f"/{name}")
    if moment > read_instant(body["sentAt"]):
        # the sender's clock may be wrong; whether a time is in the future is decided by the seller's
        yield remark("laterThanSent", f"/{name}", f"{name} is later than sentAt")
    if facts.last_event_at and moment < facts.last_event_at:
        yield Finding("backwards", f"/{name}", f"{name} is before the event that came before")
    # a partner that stayed on the real clock lives before a pack of the moved one
    if moment < facts.created_at - facts.clock_ahead - OLDEST_BEFORE_PACK:
        yield Finding("backwards", f"/{name}", f"{name} is long before the pack was sent")


def not_in_the_future(moment: datetime, facts: JobFacts, *, where: str) -> Iterator[Finding]:
    if moment > facts.now + FUTURE:
        yield Finding("fromTheFuture", where, "More than five minutes ahead of the seller's clock")


def answers_not_in_the_future(body: Body, facts: JobFacts) -> Iterator[Finding]:
    for number, entry in enumerate(body.get("questions_answers", [])):
        received = entry.get("response_received") if isinstance(entry, dict) else None
        try:
            moment = read_instant(received or "")
        except (ValueError, TypeError):
            continue
        where = f"/questions_answers/{number}/response_received"
        yield from not_in_the_future(moment, facts, where=where)


# --- notifyJob ----------------------------------------------------------------------------------------------
def _order_of_events(body: Body, facts: JobFacts) -> Iterator[Finding]:
    event = body["event"]
    if event != ASSIGNED and ASSIGNED not in facts.events:
        yield Finding("eventOrder", "/event", f"{event} came before engineerAssigned")
    if event == "ontScanned" and "onSite" not in facts.events:
        yield Finding("eventOrder", "/event", "ontScanned came before onSite")
    if event == "enRoute" and facts.last_event in BEFORE_SETTING_OFF:
        yield Finding("eventOrder", "/event", f"enRoute came after {facts.last_event}")
    if event == "onSite" and facts.last_event in BEFORE_ARRIVING:
        yield Finding("eventOrder", "/event", f"onSite came after {facts.last_event}")
    if event == "onSite" and ASSIGNED in facts.events and "enRoute" not in facts.events:
        yield remark("noEnRoute", "/event", "onSite without enRoute before it")


def _plan_within_window(body: Body, facts: JobFacts) -> Iterator[Finding]:
    if body["event"] != ASSIGNED:
        return
    start, end = (read_instant(body[name]) for name in ("plannedStart", "plannedEnd"))
    if start >= end:
        yield Finding("plannedTimes", "/plannedEnd", "plannedEnd is not after plannedStart")
    if facts.was_visited:
        # the appointment was kept; whoever continues the job comes when there is time
        return
    # the customer may agree that somebody comes, or ends, later on the same day, so that is noted and not refused
    if start > facts.ends_at and timezone.localdate(start) == timezone.localdate(facts.ends_at):
        yield remark("startsAfterWindow", "/plannedStart", "plannedStart is after the appointment window")
        return
    if not facts.starts_at <= start <= facts.ends_at:
        yield Finding("outsideWindow", "/plannedStart", "plannedStart is outside the appointment window")
    # a window shorter than the work fixes when the engineer comes, not when the work ends
    holds_the_work = facts.ends_at - facts.starts_at >= timedelta(minutes=facts.minutes)
    if holds_the_work and not facts.starts_at <= end <= facts.ends_at:
        yield remark("endsAfterWindow", "/plannedEnd", "plannedEnd is after the appointment window")


def _time_of_event(body: Body, facts: JobFacts) -> Iterator[Finding]:
    is_repeated = body["event"] == ASSIGNED and ASSIGNED in facts.events
    known = in_order_of_time(body, facts, "occurredAt")
    yield from (found for found in known if not (is_repeated and found.code == "backwards"))


def _engineer_of_event(body: Body, facts: JobFacts) -> Iterator[Finding]:
    # an ontScanned has no engineer in the profile, so whatever it names there is not looked at
    if body["event"] in POSITIONED and facts.engineer_id and body["engineer"]["id"] != facts.engineer_id:
        yield Finding("otherEngineer", "/engineer/id", "Not the engineer of the last engineerAssigned")


def _position(body: Body, facts: JobFacts) -> Iterator[Finding]:
    if body["event"] not in POSITIONED:
        return
    # a phone may refuse its position, and premises may lie elsewhere than the pack says
    note = missing if facts.must_be_near else remark
    if "coordinates" not in body:
        yield note("noCoordinates", "/coordinates", "No coordinates; the phone may have refused them")
        return
    position = (body["coordinates"]["latitude"], body["coordinates"]["longitude"])
    if position == (0, 0):
        yield Finding("nullIsland", "/coordinates", "Exactly 0,0 is no position but a missing one")
    elif body["event"] == "onSite" and facts.position:
        yield from _distance(position, facts)


def _distance(position: tuple[float, float], facts: JobFacts) -> Iterator[Finding]:
    metres = metres_between(position, facts.position)
    if metres > NEAR_METRES:
        message = f"On site {metres / 1000:.1f} km from the premises"
        yield Finding("farAway", "/coordinates", message, is_remark=not facts.must_be_near)


def _scan(body: Body, facts: JobFacts) -> Iterator[Finding]:
    if body["event"] != "ontScanned":
        return
    if not codes.has_scan(facts.job_type):
        yield Finding("scanNotForType", "/event", f"No ONT is scanned on a job of type {facts.job_type}")
    if not normalize_fsan(body["ont"]["fsan"]):
        message = "An FSAN has four letters and eight hexadecimal digits"
        yield Finding("noFsan", "/ont/fsan", message)


NOTIFICATION_CHECKS: tuple[Check, ...] = (
    _order_of_events,
    nothing_after_the_end,
    _plan_within_window,
    _time_of_event,
    answers_not_in_the_future,
    _engineer_of_event,
    _position,
    _scan,
)
