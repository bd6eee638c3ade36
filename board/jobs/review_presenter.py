"""A closure that waits for the office: what speaks against it, and what can be sent back."""

from dataclasses import dataclass

from board.jobs.answer_presenter import AnswerLine
from board.jobs.evidence_presenter import PhotoLine
from closures import review
from closures.models import Closure
from dispatch.models import Job
from dispatch.states import JobState


@dataclass(frozen=True)
class ReviewLine:
    """One choice of the form; `value` names an answer or a photo (`read_item`)."""

    value: str
    question: str
    answer: str
    url: str = ""
    small_url: str = ""


@dataclass(frozen=True)
class ReviewView:
    """`blocking` stand in the way of the approval, `warnings` are to be judged."""

    seen: int
    blocking: list[str]
    warnings: list[str]
    answers: list[ReviewLine]
    photos: list[ReviewLine]


def review_view(job: Job, answers: list[AnswerLine], photos: list[PhotoLine]) -> ReviewView | None:
    """None for a job that is not in review."""
    if job.state != JobState.IN_REVIEW or not Closure.objects.filter(job=job).exists():
        return None
    problems = review.review_problems(job)
    with_photos = {photo.question_code for photo in photos}
    answered = {answer.code for answer in answers}
    return ReviewView(
        seen=job.last_event_seq,
        blocking=[problem.message for problem in problems if problem.blocks],
        warnings=[problem.message for problem in problems if not problem.blocks],
        answers=[
            ReviewLine(f"{answer.code}:", answer.question, answer.answer)
            for answer in answers
            if answer.code not in with_photos
        ],
        photos=[
            ReviewLine(
                f"{photo.question_code}:{photo.photo_id}",
                photo.question,
                photo.at,
                photo.url,
                photo.small_url,
            )
            for photo in photos
            if photo.question_code in answered
        ],
    )


def read_item(value: str) -> review.ReviewItem:
    """What ReviewLine.value says: `SAF01:` is an answer, `PHO01:<id>` one of its photos."""
    question_code, _colon, photo_id = value.partition(":")
    return review.ReviewItem(question_code, photo_id)
