"""The history says in words why the seller cancelled a job."""

import pytest

from board.event_descriptions import event_lines
from dispatch import jobs
from tests import make

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("code", "sentence"),
    [("CUSTOMER", "At the customer's request: Moved away"), ("300", "300: Moved away"), ("", "Moved away")],
)
def test_known_code_reads_in_words_and_any_other_stays(code: str, sentence: str) -> None:
    job = make.job()
    jobs.cancel_job(job=job, reason_code=code, reason="Moved away")

    assert event_lines([*job.events.all()])[-1].sentence == sentence
