"""Questions and answers against the question matrix (job-messages.md, closeJob): text, form, files, completeness."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from seller_sandbox.jobs import codes, matrix
from seller_sandbox.jobs.job_facts import JobFacts, answer_key
from seller_sandbox.jobs.matrix import Matrix, Question
from seller_sandbox.messages.findings import Finding, missing

Entry = dict[str, Any]
NUMBER = re.compile(r"-?\d+(\.\d+)?")
COUNT = re.compile(r"[1-9]\d*")
EVERY_STAGE = {"safety", "work", matrix.CLOSING}
NOTIFIED, CLOSED, PICTURE = "notifyJob", "closeJob", "Closure"


def check_notified(entries: list[Any], facts: JobFacts) -> list[Finding]:
    """Answers that ride on a notifyJob: no pictures, source notifyJob."""
    return _fewest(lambda edition: _notified(entries, facts, edition))


def check_closing(entries: list[Any], facts: JobFacts, *, closure_code: str) -> list[Finding]:
    """All answers of a closeJob, complete for its closure code."""
    return _fewest(lambda edition: _closing(entries, facts, edition, closure_code))


def _fewest(check: Callable[[Matrix], Iterator[Finding]]) -> list[Finding]:
    return min((list(check(edition)) for edition in matrix.editions()), key=len)


def _notified(entries: list[Any], facts: JobFacts, edition: Matrix) -> Iterator[Finding]:
    for where, entry in _complete(entries):
        question = edition.get(entry["question_code"])
        yield from _matched(entry, question, facts, where=where)
        if entry["source"] != NOTIFIED:
            yield Finding("answerSource", f"{where}/source", f"source must be {NOTIFIED} here")
        if question and question.is_picture:
            yield Finding("answerTooEarly", where, "Photo and signature answers travel only with closeJob")
    yield from _given_twice(entries)


def _closing(entries: list[Any], facts: JobFacts, edition: Matrix, code: str) -> Iterator[Finding]:
    answers: dict[str, str] = {}
    for where, entry in _complete(entries):
        question = edition.get(entry["question_code"])
        yield from _matched(entry, question, facts, where=where)
        yield from _source_of_closing(entry, question, facts, where=where)
        answers[entry["question_code"]] = entry["answer"]
    yield from _given_twice(entries)
    stages = EVERY_STAGE if codes.is_success(code) else {matrix.CLOSING}
    needed = matrix.required(
        edition, job_type=facts.job_type, closure_code=code, stages=stages, answers=answers
    )
    for question in needed:
        if question.code not in answers:
            message = f"{code} needs an answer to {question.code}"
            yield missing("answerMissing", "/questions_answers", message)


def _complete(entries: list[Any]) -> Iterator[tuple[str, Entry]]:
    """The entries with all texts; the others are named by the check of their shape."""
    for number, entry in enumerate(entries):
        names = ("question", "question_code", "answer", "response_received", "source")
        if isinstance(entry, dict) and all(isinstance(entry.get(name), str) for name in names):
            yield f"/questions_answers/{number}", entry


def _given_twice(entries: list[Any]) -> Iterator[Finding]:
    seen: set[str] = set()
    for where, entry in _complete(entries):
        if entry["question_code"] in seen:
            yield Finding("answerTwice", f"{where}/question_code", f"{entry['question_code']} came before")
        seen.add(entry["question_code"])


def _matched(entry: Entry, question: Question | None, facts: JobFacts, *, where: str) -> Iterator[Finding]:
    if question is None or facts.job_type not in question.job_types:
        here = f"{where}/question_code"
        yield Finding("unknownQuestion", here, f"There is no such question for {facts.job_type} jobs")
        return
    if entry["question"] != question.text:
        yield Finding("questionText", f"{where}/question", f"Not the text of {question.code}")
    if problem := FORMS[question.kind](entry, question):
        yield Finding("answerForm", f"{where}/answer", problem)
    yield from _files_fit(entry, question, where=where)


def _files_fit(entry: Entry, question: Question, *, where: str) -> Iterator[Finding]:
    files = entry.get("files") or []
    if question.is_picture and not files:
        yield missing("noFiles", f"{where}/files", f"{question.code} is a {question.kind}: it needs a file")
    if not question.is_picture and files:
        yield Finding("strayFiles", f"{where}/files", f"{question.code} takes no files")


def _source_of_closing(
    entry: Entry, question: Question | None, facts: JobFacts, *, where: str
) -> Iterator[Finding]:
    """Each answer with the source of the message that carried it first."""
    if question and question.is_picture:
        wanted = PICTURE
    else:
        wanted = NOTIFIED if answer_key(entry) in facts.answers_sent else CLOSED
    if entry["source"] != wanted:
        yield Finding("answerSource", f"{where}/source", f"source must be {wanted} here")


# --- the form of an answer by the kind of its question: a sentence, or nothing ----------------------------
def _choice(entry: Entry, question: Question) -> str:
    return "" if entry["answer"] in question.choices else f"Not an answer of {question.code}"


def _number(entry: Entry, question: Question) -> str:
    text = entry["answer"]
    if not NUMBER.fullmatch(text):
        return "A number is plain digits with an ASCII minus and a point, without its unit"
    if len(text.partition(".")[2]) > question.decimals:
        return f"{question.code} has {question.decimals} decimals at most"
    if question.minimum is not None and not question.minimum <= float(text) <= question.maximum:
        return f"{question.code} lies between {question.minimum:g} and {question.maximum:g}"
    return ""


def _picture(entry: Entry, _: Question) -> str:
    files = entry.get("files")
    number = len(files) if isinstance(files, list) else 0
    if not COUNT.fullmatch(entry["answer"]) or int(entry["answer"]) != number:
        return "A photo or signature is answered with the number of its files"
    return ""


def _text(entry: Entry, question: Question) -> str:
    return "" if entry["answer"].strip() else f"{question.code} is answered with words"


FORMS: dict[str, Callable[[Entry, Question], str]] = {
    "yes_no": _choice,
    "choice": _choice,
    "number": _number,
    "photo": _picture,
    "signature": _picture,
    "text": _text,
}
