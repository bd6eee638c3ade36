"""One writer of a job's state and of job events, and one of a message's state (docs/architecture.md), with good and bad
examples."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass

import pytest

from dispatch.job_events import job_event_recorded
from tests.conventions.sources import OURS, Source, python

WRITER = "dispatch/job_events.py"
# copies what it has just read under the lock into the callers' objects, and saves no job
COPIES_IN_MEMORY = "dispatch/plan_changes/assignment_changes.py"
WRITES_OF_EVENTS = {"JobEvent.objects.create", "JobEvent.objects.bulk_create", "JobEvent"}


def second_writers(source: Source) -> list[str]:
    """Lines that set the state of a job or create a job event."""
    found = [node.lineno for node in ast.walk(source.tree) if _creates_event(node) or _sets_state(node, JOBS)]
    return [f"{source.path}:{line} writes a job's state or event" for line in found]


def _creates_event(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    inserted = called.endswith("fast_insert.insert") and "JobEvent" in {
        ast.unparse(each) for each in node.args
    }
    return inserted or called in WRITES_OF_EVENTS


@dataclass(frozen=True)
class Rows:
    """How the rows of a model are called in the code."""

    model: str
    names: frozenset[str]


JOBS = Rows("Job", frozenset({"job"}))


def _sets_state(node: ast.AST, rows: Rows) -> bool:
    if isinstance(node, ast.Call) and ast.unparse(node.func).startswith(f"{rows.model}.objects"):
        return ast.unparse(node.func).endswith("update") and "state" in {key.arg for key in node.keywords}
    targets = node.targets if isinstance(node, ast.Assign) else []
    names = [each for target in targets for each in getattr(target, "elts", [target])]
    return any(
        isinstance(name, ast.Attribute)
        and name.attr == "state"
        and ast.unparse(name.value).split(".")[-1] in rows.names
        for name in names
    )


def test_states_and_events_have_one_writer() -> None:
    sources = [source for source in python(*OURS) if source.path not in {WRITER, COPIES_IN_MEMORY}]

    assert [line for source in sources for line in source.cannot_be_parsed or second_writers(source)] == []


def test_writer_is_where_the_rule_says() -> None:
    writer = next(source for source in python("dispatch") if source.path == WRITER)

    assert len(second_writers(writer)) == 3


MESSAGE_WRITER = "seller_link/message_states.py"


def second_writers_of_messages(source: Source) -> list[str]:
    """Lines that set the state of an outbound message, by a queryset or by plain SQL."""
    return [
        f"{source.path}:{node.lineno} writes a message's state"
        for node in ast.walk(source.tree)
        if _updates_message(node) or _is_update_statement(node)
    ]


def _updates_message(node: ast.AST) -> bool:
    if isinstance(node, ast.Assign) and "OutboundState." in ast.unparse(node.value):
        return any(".state" in ast.unparse(target) for target in node.targets)
    is_update = isinstance(node, ast.Call) and ast.unparse(node.func).endswith(".update")
    return is_update and any(
        key.arg == "state" and ast.unparse(key.value).startswith("OutboundState.")
        for key in getattr(node, "keywords", [])
    )


def _is_update_statement(node: ast.AST) -> bool:
    text = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
    return "UPDATE seller_link_outboundmessage" in text and "SET state" in text


def test_message_states_have_one_writer() -> None:
    sources = [source for source in python(*OURS) if source.path != MESSAGE_WRITER]

    assert [line for source in sources for line in second_writers_of_messages(source)] == []


def test_writer_of_messages_is_where_the_rule_says() -> None:
    writer = next(source for source in python("seller_link") if source.path == MESSAGE_WRITER)

    assert len(second_writers_of_messages(writer)) == 7


@pytest.mark.parametrize(
    "text",
    ["row.update(state=OutboundState.HELD)", "SQL = 'UPDATE seller_link_outboundmessage SET state = 1'"],
)
def test_second_writer_of_messages_is_found(text: str) -> None:
    assert second_writers_of_messages(Source("seller_link/example.py", text))


def test_lease_of_a_message_is_let_through() -> None:
    assert (
        second_writers_of_messages(Source("seller_link/example.py", "row.update(lease_expires_at=None)"))
        == []
    )


@pytest.mark.parametrize(
    "text",
    [
        "job.state = JobState.CLOSED",
        "visit.job.state, job.last_event_seq = to_state, 3",
        "Job.objects.filter(pk=3).update(state='closed')",
        "JobEvent.objects.create(job=job)",
        "JobEvent(job=job).save()",
        "fast_insert.insert(JobEvent, values)",
    ],
)
def test_second_writer_is_found(text: str) -> None:
    assert second_writers(Source("board/example.py", text))


@pytest.mark.parametrize(
    "text",
    [
        "state = job.state",
        "proposal.state = ProposalState.FAILED",
        "Job.objects.filter(pk=3).update(on_hold_since=None)",
        "JobEvent.objects.filter(job=job)",
        "record_event(job=job, kind=EventKind.CLOSED, by=by)",
    ],
)
def test_what_writes_no_state_is_let_through(text: str) -> None:
    assert second_writers(Source("board/example.py", text)) == []


# of the sandbox seller: what has states that a notification tells of, as the rows are called there
WRITERS_OF_SANDBOX = {
    "seller_sandbox/faults/lifecycle.py": Rows(
        "FaultReport", frozenset({"report", "ticket", "fault_report"})
    ),
    "seller_sandbox/orders/lifecycle.py": Rows("Order", frozenset({"order"})),
    "seller_sandbox/jobs/job_states.py": JOBS,
}


def writers_of(rows: Rows, sources: Iterable[Source]) -> set[str]:
    """Files that set the state of such a row."""
    return {
        source.path
        for source in sources
        if source.cannot_be_parsed or any(_sets_state(node, rows) for node in ast.walk(source.tree))
    }


@pytest.mark.parametrize("writer", WRITERS_OF_SANDBOX)
def test_states_of_the_sandbox_have_one_writer_each(writer: str) -> None:
    product = [source for source in python("seller_sandbox") if "/tests/" not in source.path]

    assert writers_of(WRITERS_OF_SANDBOX[writer], product) == {writer}


@pytest.mark.parametrize(
    "text",
    [
        "report.state = FaultState.CLOSED",
        "visit.fault_report.state = target",
        "FaultReport.objects.filter(pk=3).update(state=FaultState.CLOSED)",
    ],
)
def test_second_writer_of_tickets_is_found(text: str) -> None:
    rows = WRITERS_OF_SANDBOX["seller_sandbox/faults/lifecycle.py"]

    assert writers_of(rows, [Source("seller_sandbox/example.py", text)]) == {"seller_sandbox/example.py"}


def test_two_reactions_run_upwards_and_no_more() -> None:
    receivers = {key[0] for key, *_rest in job_event_recorded.receivers}

    assert receivers == {"outbox", "notifications"}
