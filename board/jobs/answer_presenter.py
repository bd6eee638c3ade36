"""The answers of a job for its page, in the reader's language."""

from dataclasses import dataclass

from board import formatting
from board.links import Link, engineer_links
from closures import answer_validation
from closures.answers import active_answers
from closures.models import Answer
from closures.question_matrix.matrix_editions import matrices_by_edition
from closures.question_matrix.translations import readers_language, translated_question
from dispatch.models import Job
from engineers.models import Engineer


@dataclass(frozen=True)
class AnswerLine:
    """`by` is who gave it; `before` lists the answers to the same question that it replaced, `links` who gave those."""

    code: str
    question: str
    answer: str
    at: str
    by: str
    before: list[str]
    links: tuple[Link, ...]


def answer_lines(job: Job) -> list[AnswerLine]:
    """Each question in the reader's language, in the order in which it was answered. The answers come with who gave
    them."""
    recorded = list(job.answers.all())
    before: dict[str, list[str]] = {}
    for answer in recorded:
        if answer.withdrawn_at:
            details = [
                _in_words(answer)[1],
                name_of(answer.by),
                formatting.format_exact_moment(answer.answered_at),
            ]
            before.setdefault(answer.question_code, []).append(", ".join(filter(None, details)))
    links = engineer_links(*dict.fromkeys(name_of(answer.by) for answer in recorded))
    return [
        _answer_line(answer, before.get(answer.question_code, []), links) for answer in active_answers(job)
    ]


def _answer_line(answer: Answer, before: list[str], links: tuple[Link, ...]) -> AnswerLine:
    at = formatting.format_exact_moment(answer.answered_at)
    question, text = _in_words(answer)
    return AnswerLine(answer.question_code, question, text, at, name_of(answer.by), before, links)


def _in_words(answer: Answer) -> tuple[str, str]:
    """Question and answer in the reader's language; as they were kept where the edition does not have them any more."""
    edition = matrices_by_edition().get(answer.matrix_edition)
    question = edition.find(answer.question_code) if edition else None
    if question is None or question.text != answer.question_text:
        return answer.question_text, answer.answer_text
    translated = translated_question(question, readers_language())
    is_as_kept = answer.answer_text == answer_validation.stored_text(question, answer.value)
    text = answer_validation.display(translated, answer.value) if is_as_kept else answer.answer_text
    return translated.text, text


def name_of(engineer: Engineer | None) -> str:
    return engineer.name if engineer else ""
