"""A rehearsal that finds no difference must be able to find one."""

import json
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from demo.rehearsal.findings import compare_records, list_differences
from demo.rehearsal.sandbox_client import LoggedMessage

RECEIVED = LoggedMessage(
    at=datetime(2026, 11, 23, 9, tzinfo=UTC),
    arrived=True,
    job="S-1",
    message_id="m-1",
    operation="notifyJob",
    event="enRoute",
    body={"a": 1},
    status=200,
    is_repeat=False,
    breaches=[],
)
CLOSED = replace(RECEIVED, message_id="m-2", operation="closeJob", body={"b": 2})
SENT = replace(RECEIVED, arrived=False, message_id="m-0", operation="createJob", body={"pack": True})


def ours(passage: LoggedMessage, *, state: str = "sent") -> dict[str, Any]:
    return {
        "said_by": "us",
        "seller_job": passage.job,
        "message_id": passage.message_id,
        "operation": passage.operation,
        "body": passage.body,
        "state": state,
    }


def theirs(passage: LoggedMessage, *, state: str = "accepted") -> dict[str, Any]:
    return {**ours(passage, state=state), "said_by": "seller", "body": json.dumps(passage.body)}


ALL = [SENT, RECEIVED, CLOSED]
LOG = [ours(RECEIVED), ours(CLOSED), theirs(SENT)]


def found(passages: list[LoggedMessage], log: list[dict[str, Any]]) -> list[str]:
    return list_differences(compare_records(passages=passages, log=log))


def test_books_that_agree_have_no_difference() -> None:
    assert found(ALL, LOG) == []


def test_repeats_and_refused_tries_do_not_count() -> None:
    tried = [replace(RECEIVED, status=503), ALL[0], RECEIVED, replace(RECEIVED, is_repeat=True), CLOSED]
    refused = theirs(replace(SENT, message_id="m-9"), state="refused")

    assert found(tried, [*LOG, refused]) == []


def test_message_repeated_by_the_seller_counts_once() -> None:
    assert found([SENT, *ALL], LOG) == []


@pytest.mark.parametrize(
    ("passages", "log", "sentence"),
    [
        ([SENT, RECEIVED], LOG, "S-1: closeJob m-2 is missing at the seller"),
        (ALL, [ours(CLOSED), theirs(SENT)], "S-1: notifyJob m-1 is missing here"),
        (
            ALL,
            [{**ours(RECEIVED), "body": {"a": 2}}, *LOG[1:]],
            "S-1: notifyJob m-1 differs in content",
        ),
        (ALL, LOG[:2], "S-1: createJob m-0 is missing here"),
        ([*ALL, RECEIVED], LOG, "S-1: notifyJob m-1 was applied 2 times at the seller"),
        (
            ALL,
            [*LOG, ours(replace(RECEIVED, message_id="m-3"), state="held")],
            "S-1: notifyJob m-3 was not acknowledged by us",
        ),
    ],
)
def test_difference_is_named(passages: list[LoggedMessage], log: list[dict[str, Any]], sentence: str) -> None:
    assert found(passages, log) == [sentence]


def test_order_matters() -> None:
    assert found([SENT, CLOSED, RECEIVED], LOG) == [
        "S-1: the order differs from position 1: here notifyJob m-1, at the seller closeJob m-2"
    ]
