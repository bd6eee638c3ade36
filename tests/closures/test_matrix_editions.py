"""Which edition a job gets: its own once it began, else the newest that has started; nothing that was asked is lost."""

import json
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from board.jobs.answer_presenter import answer_lines
from board.jobs.evidence_presenter import question_titles
from closures.models import MatrixEdition
from closures.question_matrix import matrix_editions
from closures.question_matrix.matrix import BrokenMatrix, configured_matrix
from closures.question_matrix.matrix_editions import (
    EditionRefused,
    current_matrix,
    matrices_by_edition,
    matrix_at,
    matrix_for_job,
)
from dispatch.models import Job
from dispatch.states import JobState, JobType
from engineers.models import Role, User
from tests import make

pytestmark = pytest.mark.django_db


@pytest.fixture
def ruth() -> User:
    return make.dispatcher(username="ruth", role=Role.SUPERVISOR)


def content(edition: str, **questions: str) -> str:
    rows: list[dict[str, Any]] = [
        {"code": code, "text": text, "kind": "yes_no", "stage": "work", "job_types": [*JobType]}
        for code, text in questions.items()
    ]
    return json.dumps({"edition": edition, "name": "Trial", "questions": rows})


def import_edition(by: User, edition: str, starts_at: datetime | None = None, **questions: str) -> None:
    text = content(edition, **(questions or {"NEW01": "New?"}))
    seen = matrix_editions.adjacent_editions(starts_at or timezone.now()).names
    matrix_editions.import_edition(content=text, starts_at=starts_at, seen=seen, by=by)


def stored_elsewhere(by: User, edition: str) -> None:
    """As another process imports it: this one has not forgotten its list."""
    now = timezone.now()
    MatrixEdition.objects.create(
        edition=edition,
        name="Trial",
        content=content(edition, NEW01="New?"),
        starts_at=now,
        imported_at=now,
        imported_by=by,
    )


def test_newest_started_edition_is_current(ruth: User) -> None:
    now = timezone.now()
    import_edition(ruth, "op-1")
    import_edition(ruth, "op-3", now + timedelta(days=2))
    import_edition(ruth, "op-2", now + timedelta(days=1))

    days = [matrix_at(now + timedelta(days=number)).edition for number in (-1, 1, 2, 3)]

    assert (current_matrix().edition, days) == ("op-1", ["sample-3", "op-2", "op-3", "op-3"])
    assert {*matrices_by_edition()} == {"op-1", "op-2", "op-3", "sample-1", "sample-2", "sample-3"}


def test_job_that_began_keeps_its_edition_and_every_other_gets_the_new_one(ruth: User) -> None:
    began, other = make.job(at_state=JobState.ON_SITE), make.job(at_state=JobState.ASSIGNED)
    make.pin_edition(began, current_matrix().edition)

    import_edition(ruth, "op-1")
    pinned = make.job(at_state=JobState.ON_SITE)
    make.pin_edition(pinned, "op-1")
    import_edition(ruth, "op-2")

    editions = [matrix_for_job(Job.objects.get(pk=job.pk)).edition for job in (began, pinned, other)]
    assert editions == ["sample-3", "op-1", "op-2"]


def test_question_that_vanished_stays_readable(ruth: User) -> None:
    import_edition(ruth, "op-1", OLD01="Was it old?")
    job = make.job(at_state=JobState.ON_SITE)
    make.record_answer(job, "OLD01", "yes")
    import_edition(ruth, "op-2", NEW01="Is it new?")

    job = Job.objects.get(pk=job.pk)

    assert matrix_for_job(job).find("OLD01") is None
    assert [(line.question, line.answer) for line in answer_lines(job)] == [("Was it old?", "Yes")]
    assert question_titles(job)["OLD01"] == "Was it old?"


def test_questions_of_a_job_cost_no_query_each(ruth: User, django_assert_num_queries: Any) -> None:
    import_edition(ruth, "op-1")
    jobs = [make.job(at_state=JobState.ON_SITE) for _ in range(3)]
    for job in jobs:
        make.pin_edition(job, "op-1")
    # the list of editions and the content of the one
    with django_assert_num_queries(2):
        assert {matrix_for_job(job).edition for job in jobs} == {"op-1"}
    with django_assert_num_queries(0):
        assert {matrix_for_job(job).edition for job in jobs} == {"op-1"}


def test_edition_of_another_process_is_found_at_once(ruth: User) -> None:
    assert current_matrix() == configured_matrix()
    stored_elsewhere(ruth, "op-9")
    job = make.job(at_state=JobState.ON_SITE)
    make.pin_edition(job, "op-9")

    assert matrix_for_job(job).edition == "op-9"


def test_edition_that_is_gone_is_looked_for_once(ruth: User, django_assert_num_queries: Any) -> None:
    import_edition(ruth, "op-1")
    job, later = make.job(at_state=JobState.ON_SITE), make.job(at_state=JobState.ON_SITE)
    make.pin_edition(job, "op-2")
    make.pin_edition(later, "op-2")

    # the list twice, and the content of the current edition
    with django_assert_num_queries(3):
        assert matrix_for_job(job).edition == "op-1"
    with django_assert_num_queries(0):
        assert matrix_for_job(job).edition == "op-1"
    stored_elsewhere(ruth, "op-2")
    # a job of which nobody has asked yet finds it at once, and with it every other
    assert matrix_for_job(later).edition == "op-2"
    assert matrix_for_job(job).edition == "op-2"


def test_name_is_used_once(ruth: User) -> None:
    import_edition(ruth, "op-1")

    for name in ("op-1", "sample-2"):
        with pytest.raises(EditionRefused, match=f"{name} exists already"):
            import_edition(ruth, name)
    with pytest.raises(IntegrityError), transaction.atomic():
        MatrixEdition.objects.create(
            edition="op-1", name="", content="", starts_at=timezone.now(), imported_at=timezone.now()
        )


def test_start_may_be_a_minute_ago_and_no_more(ruth: User) -> None:
    import_edition(ruth, "op-1", timezone.now() - timedelta(seconds=50))

    with pytest.raises(EditionRefused, match="not in the past"):
        import_edition(ruth, "op-2", timezone.now() - timedelta(seconds=70))


def test_broken_content_is_not_stored(ruth: User) -> None:
    with pytest.raises(BrokenMatrix):
        matrix_editions.import_edition(content='{"edition": "op-1"}', starts_at=None, seen=[], by=ruth)

    assert not MatrixEdition.objects.exists()
