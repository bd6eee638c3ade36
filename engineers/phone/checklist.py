"""The question pages and the review of every answer."""

import json
import uuid
from dataclasses import dataclass, replace
from uuid import UUID

from django.urls import reverse
from django.utils.translation import gettext as _

from closures import closing, codes, evidence, rules
from closures.closing import Ending
from closures.codes import success_of
from closures.matrix import Question
from closures.models import Answer, Photo
from closures.values import YES_NO
from dispatch.models import Job
from dispatch.problems import Problem
from engineers.phone import instructions, steps
from engineers.phone.device import advice_icon
from engineers.phone.instructions import Instruction
from engineers.phone.pages import Head, head_of
from engineers.phone.steps import Progress, url_of
from engineers.phone.trail import NOWHERE_ELSE, ProblemLine, Trail, first_to_mend, problem_lines

Given = dict[str, Answer]


@dataclass(frozen=True)
class Option:
    value: str
    words: str
    is_chosen: bool


@dataclass(frozen=True)
class NumberField:
    unit: str
    window: str
    value: str
    is_signed: bool


@dataclass(frozen=True)
class Thumbnail:
    """`url` is empty while the phone has announced the photo and it has not arrived."""

    url: str
    words: str


@dataclass(frozen=True)
class PhotoField:
    upload_url: str
    kept: str
    is_signature: bool
    thumbnails: list[Thumbnail]


@dataclass(frozen=True)
class QuestionPage:
    head: Head
    code: str
    text: str
    hint: str
    answered: str
    options: list[Option]
    number: NumberField | None
    photo: PhotoField | None
    is_text: bool
    entered: str
    progress: Progress
    skip_url: str
    own_url: str
    withdrawal_id: str
    advice: Instruction | None
    advice_icon: str
    provisioning_url: str


def question_page(
    job: Job,
    question: Question,
    *,
    trail: Trail,
    problems: list[Problem] | None = None,
    entered: str | None = None,
) -> QuestionPage:
    given = given_answers(job)
    answer = given.get(question.code)
    advice = instructions.instruction(job) if trail.meanwhile else None
    onward = replace(trail, after=question.code)
    return QuestionPage(
        head=head_of(job, trail=onward, problems=problems, back=_back_url(job, question, trail)),
        code=question.code,
        text=question.text,
        hint=question.hint,
        answered=answer.answer_text if answer else "",
        options=_options(question, answer),
        number=_number(question, answer, entered) if question.kind == "number" else None,
        photo=_photo(job, question, answer, onward) if question.is_picture else None,
        is_text=question.kind == "text",
        entered=_entered(answer, entered),
        progress=steps.progress(job, closing_code=trail.closing),
        skip_url="" if question.mandatory else onward.url(job, "next"),
        own_url=trail.url(job, "question", code=question.code),
        withdrawal_id=str(uuid.uuid4()),
        advice=advice,
        advice_icon=advice_icon(advice),
        provisioning_url=url_of(job, "provisioning") if advice else "",
    )


def given_answers(job: Job) -> Given:
    return {answer.question_code: answer for answer in Answer.objects.standing().filter(job=job)}


def _entered(answer: Answer | None, entered: str | None) -> str:
    if entered is not None:
        return entered
    return str(answer.value) if answer else ""


def _options(question: Question, answer: Answer | None) -> list[Option]:
    pairs = [(choice.code, choice.text) for choice in question.choices]
    if question.kind == "yes_no":
        pairs = list(YES_NO.items())
    chosen = answer.value if answer else None
    return [Option(value, words, value == chosen) for value, words in pairs]


def _number(question: Question, answer: Answer | None, entered: str | None) -> NumberField:
    shown = f"{answer.value:.{question.decimals}f}" if answer else ""
    low, high = question.minimum or 0, question.maximum or 0
    return NumberField(
        unit=question.unit,
        window=f"{low:g} to {high:g} {question.unit}".replace("-", "−"),
        value=entered if entered is not None else shown.replace("-", "−"),
        is_signed=low < 0,
    )


def _photo(job: Job, question: Question, answer: Answer | None, trail: Trail) -> PhotoField:
    kept = [str(one) for one in answer.value] if answer else []
    return PhotoField(
        upload_url=trail.url(job, "photo_form", code=question.code),
        kept=json.dumps(kept),
        is_signature=question.kind == "signature",
        thumbnails=thumbnails(kept, question.text),
    )


def thumbnails(photo_ids: list[str], text: str) -> list[Thumbnail]:
    photos = Photo.objects.in_bulk(photo_ids)
    found = [photos[UUID(one)] for one in photo_ids if UUID(one) in photos]
    return [
        Thumbnail(
            url=reverse("evidence_small", args=[evidence.sign(photo)]) if photo.stored_at else "",
            words=_("%(text)s, picture %(number)d") % {"text": text, "number": number},
        )
        for number, photo in enumerate(found, start=1)
    ]


def asked(job: Job, trail: Trail) -> list[Question]:
    """The list that this question stands in: the work of the job, or what a closure asks for."""
    code = trail.closing or success_of(job.job_type).code
    return rules.questions(closing.finding(job=job, ending=Ending(code=code)))


def _back_url(job: Job, question: Question, trail: Trail) -> str:
    """The question before this one of the same stage; the job for the first."""
    before = None
    for other in asked(job, trail):
        if other.code == question.code:
            break
        before = other if other.stage == question.stage else None
    return trail.url(job, "question", code=before.code) if before else url_of(job, "job")


@dataclass(frozen=True)
class ReviewLine:
    text: str
    answer: str
    url: str
    thumbnails: list[Thumbnail]
    is_open: bool


@dataclass(frozen=True)
class ReviewPage:
    head: Head
    lines: list[ReviewLine]
    progress: Progress
    missing: list[ProblemLine]
    closure_words: str
    closure_code: str
    close_url: str
    is_clear: bool
    mend_url: str


def review_page(job: Job) -> ReviewPage:
    success = success_of(job.job_type)
    problems = closing.preview_close(job=job, ending=Ending(code=success.code))
    lines = problem_lines(job, problems, NOWHERE_ELSE)
    return ReviewPage(
        head=head_of(job),
        lines=review_lines(job, NOWHERE_ELSE),
        progress=steps.progress(job),
        missing=lines,
        closure_words=codes.find(success.code).in_trade_words,
        closure_code=success.code,
        close_url=f"{url_of(job, 'close')}?code={success.code}",
        is_clear=not any(line.blocks for line in lines),
        mend_url=first_to_mend(lines),
    )


def review_lines(job: Job, trail: Trail) -> list[ReviewLine]:
    given = given_answers(job)
    return [_review_line(job, question, given.get(question.code), trail) for question in asked(job, trail)]


def _review_line(job: Job, question: Question, answer: Answer | None, trail: Trail) -> ReviewLine:
    ids = answer.value if answer and question.is_picture else []
    return ReviewLine(
        text=question.text,
        answer=answer.answer_text if answer else _("No answer yet"),
        url=trail.url(job, "question", code=question.code),
        thumbnails=thumbnails([str(one) for one in ids], question.text) if ids else [],
        is_open=answer is None,
    )
