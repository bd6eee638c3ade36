"""Reads what a control request asks for; every mistake is named at once."""

import json
import math
from collections.abc import Callable, Mapping
from datetime import date, datetime
from typing import Any

from seller_sandbox import clock
from seller_sandbox.endpoints.models import Mode
from seller_sandbox.jobs import codes
from seller_sandbox.jobs.dispatching import MAX_PACKS, Batch
from seller_sandbox.jobs.models import JobType, RuleMode
from seller_sandbox.jobs.odd_messages import ODD_MESSAGES
from seller_sandbox.jobs.packs.odd import ODD_PACKS
from seller_sandbox.jobs.schemas import read_instant
from seller_sandbox.messages.message_log import SPEAKING_WITH
from seller_sandbox.messages.models import PARTNER
from seller_sandbox.soap.layout import MAX_TEXT, NOT_XML

# the schemas' dates end with 2199; what follows from a day (a slot, the horizon) must fit, too
FIRST_DAY, LAST_DAY = date(1900, 1, 1), date(2198, 12, 31)
# a leap year; each step may be as long
MAX_ADVANCE_SECONDS = 366 * 86_400
# no number here has as many; Python reads no more than 4,300
MAX_FIGURES = 20

Reader = Callable[[Any], Any]


class InvalidControlRequest(Exception):
    """`mistakes` has one sentence per member that cannot be used."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("; ".join(mistakes))
        self.mistakes = mistakes


def read_json(content: bytes) -> dict[str, Any]:
    try:
        order = json.loads(content or b"{}")
    except RecursionError as problem:
        raise InvalidControlRequest(["the body is nested too deeply"]) from problem
    except ValueError as problem:
        raise InvalidControlRequest(["the body is not JSON"]) from problem
    if not isinstance(order, dict):
        raise InvalidControlRequest(["the body is not a JSON object"])
    return order


def read_batch(order: dict[str, Any]) -> Batch:
    values = read_members(
        order,
        count=whole(1, MAX_PACKS),
        day=day,
        types=list_of(one_of(JobType)),
        seed=whole(0, 2**63),
        provisioning_plans=list_of(list_of(result)),
        by_hand=yes_or_no,
        delay=number(0, 86_400),
        odd=list_of(case_of(ODD_PACKS, or_none=True)),
        odd_results=list_of(list_of(case_of(ODD_MESSAGES))),
        window=window,
    )
    return Batch(**{"count": 1, "day": clock.today(), **values})


def read_result(order: dict[str, Any]) -> int:
    return read_members(order, required=("result",), result=result)["result"]


def read_advance(order: dict[str, Any]) -> int:
    """By how many seconds the clock is to be moved, named as such or by the instant that it is to show."""
    values = read_members(order, advance_seconds=whole(0, MAX_ADVANCE_SECONDS), set_to=instant)
    if len(values) == 2:
        raise InvalidControlRequest(["advance_seconds and set_to are both there; give only one"])
    if not values:
        raise InvalidControlRequest(["advance_seconds or set_to is missing; give one of the two"])
    if "set_to" not in values:
        return values["advance_seconds"]
    seconds = math.ceil((values["set_to"] - clock.now()).total_seconds())
    if not 0 <= seconds <= MAX_ADVANCE_SECONDS:
        raise InvalidControlRequest(["set_to: must lie ahead of the sandbox clock, by 366 days at most"])
    return seconds


def read_log_filter(query: Mapping[str, str]) -> dict[str, Any]:
    """Keyword arguments of `message_log.list_entries`."""
    since, speaking_with = query.get("since", "0"), query.get("with", PARTNER)
    is_id = since.isdecimal() and len(since) <= MAX_FIGURES
    mistakes = [] if is_id else ["since: must be the id of an entry"]
    if speaking_with not in SPEAKING_WITH:
        mistakes.append(f"with: must be one of {', '.join(SPEAKING_WITH)}")
    if mistakes:
        raise InvalidControlRequest(mistakes)
    return {"since": int(since), "speaking_with": speaking_with}


def read_switch(order: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments of `switches.set_switch`, without the endpoint."""
    return read_members(
        order,
        required=("mode",),
        mode=one_of(Mode),
        seconds=number(0, 600),
        status=whole(400, 599),
        retry_after=whole(0, 3600),
        times=whole(1, 10_000),
        per_minute=whole(0, 10_000),
    )


def read_strictness(order: dict[str, Any]) -> dict[str, bool]:
    """Keyword arguments of `strictness.choose`."""
    return read_members(order, is_strict=yes_or_no, positions_refused=yes_or_no)


def read_odd_message(order: dict[str, Any]) -> str:
    return read_members(order, required=("case",), case=case_of(ODD_MESSAGES))["case"]


def read_certificate(order: dict[str, Any]) -> bool:
    """Whether the next certificate is wanted."""
    return read_members(order, required=("uses_next",), uses_next=yes_or_no)["uses_next"]


def read_rule(order: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments of `provisioning.set_rule`."""
    return read_members(
        order,
        mode=one_of(RuleMode),
        result=result,
        seconds=whole(0, 86_400),
        plan_cycle=list_of(list_of(result)),
    )


def read_reason(order: dict[str, Any]) -> dict[str, str]:
    return read_members(order, code=text, message=text)


def read_operation(order: dict[str, Any]) -> str:
    values = read_members(order, operation=text)
    return values.get("operation", "createJob")


def read_members(
    order: dict[str, Any], /, *, required: tuple[str, ...] = (), **readers: Reader
) -> dict[str, Any]:
    """The members that are there and not null. Raises InvalidControlRequest with everything that is wrong."""
    known = f"known are {', '.join(readers)}" if readers else "this request has no members: send {}"
    mistakes = [f"{name} is unknown; {known}" for name in order.keys() - readers.keys()]
    mistakes += [f"{name} is missing" for name in required if order.get(name) is None]
    values = {}
    for name in readers.keys() & order.keys():
        if order[name] is None:
            continue
        try:
            values[name] = readers[name](order[name])
        except (ValueError, TypeError) as problem:
            mistakes.append(f"{name}: {problem}")
    if mistakes:
        raise InvalidControlRequest(sorted(mistakes))
    return values


# --- readers of one value: they give the value or raise with the rule -----------------------------------
def whole(lowest: int, highest: int) -> Reader:
    def read(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
            raise ValueError(f"must be a whole number from {lowest} to {highest}")
        return value

    return read


def number(lowest: float, highest: float) -> Reader:
    def read(value: Any) -> float:
        if isinstance(value, bool) or not isinstance(value, int | float) or not lowest <= value <= highest:
            raise ValueError(f"must be a number from {lowest:g} to {highest:g}")
        return value

    return read


def one_of(choices: Any) -> Reader:
    def read(value: Any) -> Any:
        if value not in choices.values:
            raise ValueError(f"must be one of {', '.join(choices.values)}")
        return choices(value)

    return read


def case_of(cases: Mapping[str, Any], *, or_none: bool = False) -> Reader:
    def read(value: Any) -> str:
        if value == "" and or_none:
            return ""
        if not isinstance(value, str) or value not in cases:
            raise ValueError(f"must be one of {', '.join(cases)}")
        return value

    return read


def list_of(reader: Reader) -> Reader:
    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise TypeError("must be a list")
        return [reader(entry) for entry in value]

    return read


def result(value: Any) -> int:
    if isinstance(value, bool) or value not in codes.results():
        raise ValueError("a provisioning result is a number from 1 to 7")
    return value


def day(value: Any) -> date:
    try:
        found = date.fromisoformat(value)
    except (TypeError, ValueError) as problem:
        raise ValueError("must be a day like 2026-11-23") from problem
    if not FIRST_DAY <= found <= LAST_DAY:
        raise ValueError(f"must be a day from {FIRST_DAY} to {LAST_DAY}")
    return found


def instant(value: Any) -> datetime:
    if not isinstance(value, str):
        raise TypeError("must be an instant like 2026-11-23T09:00:00Z")
    found = read_instant(value)
    if not FIRST_DAY <= found.date() <= LAST_DAY:
        raise ValueError(f"must be an instant from {FIRST_DAY} to {LAST_DAY}")
    return found


def window(value: Any) -> tuple[datetime, datetime]:
    if not isinstance(value, dict) or {*value} != {"start", "end"}:
        raise TypeError("must be an object with start and end")
    start, end = (instant(value[name]) for name in ("start", "end"))
    if start >= end:
        raise ValueError("start must lie before end")
    return start, end


def text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError("must be a text")
    # neither a database nor a message could carry it
    if NOT_XML.search(value):
        raise ValueError("must be a text without control characters")
    # messages hold only so much of it
    if len(value) > MAX_TEXT:
        raise ValueError(f"must have {MAX_TEXT} characters at most")
    return value


def text_up_to(longest: int) -> Reader:
    """A text that its column and the messages can hold."""

    def read(value: Any) -> str:
        if len(text(value)) > longest:
            raise ValueError(f"must have {longest} characters at most")
        return value

    return read


def yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("must be true or false")
    return value
