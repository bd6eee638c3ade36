"""One writer of a job's state and of job events (docs/architecture.md), with good and bad examples."""

import ast

import pytest

from tests.conventions.sources import OURS, Source, python

WRITER = "dispatch/job_events.py"
# copies what it has just read under the lock into the callers' objects, and saves no job
COPIES_IN_MEMORY = "dispatch/plan_actions.py"
WRITES_OF_EVENTS = {"JobEvent.objects.create", "JobEvent.objects.bulk_create", "JobEvent"}


def second_writers(source: Source) -> list[str]:
    """Lines that set the state of a job or create a job event."""
    found = [node.lineno for node in ast.walk(source.tree) if _creates_event(node) or _sets_state(node)]
    return [f"{source.path}:{line} writes a job's state or event" for line in found]


def _creates_event(node: ast.AST) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = ast.unparse(node.func)
    inserted = called.endswith("fast_insert.insert") and "JobEvent" in {
        ast.unparse(each) for each in node.args
    }
    return inserted or called in WRITES_OF_EVENTS


def _sets_state(node: ast.AST) -> bool:
    if isinstance(node, ast.Call) and ast.unparse(node.func).startswith("Job.objects"):
        return ast.unparse(node.func).endswith("update") and "state" in {key.arg for key in node.keywords}
    targets = node.targets if isinstance(node, ast.Assign) else []
    names = [each for target in targets for each in getattr(target, "elts", [target])]
    return any(
        isinstance(name, ast.Attribute)
        and name.attr == "state"
        and ast.unparse(name.value).split(".")[-1] == "job"
        for name in names
    )


def test_states_and_events_have_one_writer() -> None:
    sources = [source for source in python(*OURS) if source.path not in {WRITER, COPIES_IN_MEMORY}]

    assert [line for source in sources for line in source.cannot_be_parsed or second_writers(source)] == []


def test_writer_is_where_the_rule_says() -> None:
    writer = next(source for source in python("dispatch") if source.path == WRITER)

    assert len(second_writers(writer)) == 3


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
        "Job.objects.filter(pk=3).update(held_at=None)",
        "JobEvent.objects.filter(job=job)",
        "record_event(job=job, kind=EventKind.CLOSED, by=by)",
    ],
)
def test_what_writes_no_state_is_let_through(text: str) -> None:
    assert second_writers(Source("board/example.py", text)) == []
