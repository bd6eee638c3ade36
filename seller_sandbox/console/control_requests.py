"""Reads what a control request asks for; every mistake is named at once."""

import json
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

Reader = Callable[[Any], Any]


class InvalidControlRequest(Exception):
    """`mistakes` has one sentence per member that cannot be used."""

    def __init__(self, mistakes: list[str]) -> None:
        super().__init__("; ".join(mistakes))
        self.mistakes = mistakes


def read_json(content: bytes) -> dict[str, Any]:
    try:
        order = json.loads(content or b"{}")
    except ValueError as problem:
        raise InvalidControlRequest(["the body is not JSON"]) from problem
    if not isinstance(order, dict):
        raise InvalidControlRequest(["the body is not a JSON object"])
    return order


def read_batch(order: dict[str, Any]) -> Batch:
    values = _read(
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
    values = _read(order, result=result)
    if "result" not in values:
        raise InvalidControlRequest(["result is missing"])
    return values["result"]


def read_advance(order: dict[str, Any]) -> int:
    values = _read(order, advance_seconds=whole(0, 366 * 86_400))
    if "advance_seconds" not in values:
        raise InvalidControlRequest(["advance_seconds is missing"])
    return values["advance_seconds"]


def read_switch(order: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments of `switches.set_switch`, without the endpoint."""
    values = _read(
        order,
        mode=one_of(Mode),
        seconds=number(0, 600),
        status=whole(400, 599),
        retry_after=whole(0, 3600),
        times=whole(1, 10_000),
        per_minute=whole(1, 10_000),
    )
    if "mode" not in values:
        raise InvalidControlRequest(["mode is missing"])
    return values


def read_strictness(order: dict[str, Any]) -> dict[str, bool]:
    """Keyword arguments of `strictness.choose`."""
    return _read(order, is_strict=yes_or_no, positions_refused=yes_or_no)


def read_odd_message(order: dict[str, Any]) -> str:
    values = _read(order, case=case_of(ODD_MESSAGES))
    if "case" not in values:
        raise InvalidControlRequest(["case is missing"])
    return values["case"]


def read_certificate(order: dict[str, Any]) -> bool:
    """Whether the next certificate is wanted."""
    values = _read(order, uses_next=yes_or_no)
    if "uses_next" not in values:
        raise InvalidControlRequest(["uses_next is missing"])
    return values["uses_next"]


def read_rule(order: dict[str, Any]) -> dict[str, Any]:
    """Keyword arguments of `provisioning.set_rule`."""
    return _read(
        order,
        mode=one_of(RuleMode),
        result=result,
        seconds=whole(0, 86_400),
        plan_cycle=list_of(list_of(result)),
    )


def read_reason(order: dict[str, Any]) -> dict[str, str]:
    return _read(order, code=text, message=text)


def read_operation(order: dict[str, Any]) -> str:
    values = _read(order, operation=text)
    return values.get("operation", "createJob")


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
    if not isinstance(value, str):
        raise TypeError("must be a day like 2026-11-23")
    return date.fromisoformat(value)


def window(value: Any) -> tuple[datetime, datetime]:
    if not isinstance(value, dict) or {*value} != {"start", "end"}:
        raise TypeError("must be an object with start and end")
    start, end = (read_instant(str(value[name])) for name in ("start", "end"))
    if start >= end:
        raise ValueError("start must lie before end")
    return start, end


def text(value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError("must be a text")
    return value


def yes_or_no(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("must be true or false")
    return value


def _read(order: dict[str, Any], **readers: Reader) -> dict[str, Any]:
    mistakes = [
        f"{name} is unknown; known are {', '.join(readers)}" for name in order.keys() - readers.keys()
    ]
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
