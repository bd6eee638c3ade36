"""Do the photos of a job prove its answers? A part of the rules of closure_validation.py: pure."""

from django.utils.translation import gettext as _

from closures.closing_context import ClosingContext, closure_questions, sent_questions
from closures.question_matrix.matrix import Question
from dispatch.problems import Problem


def photo_problems(context: ClosingContext) -> list[Problem]:
    """What is missing, not safe yet, or no proof of its answer."""
    asked = closure_questions(context)
    # also what this closure does not ask for: the seller gets every answer of the job
    also_sent = [question for question in sent_questions(context) if question not in asked]
    found = []
    for question in [*asked, *also_sent]:
        if question.is_picture and context.answers.get(question.code):
            found += _file_problems(question, context)
        elif question.code in context.sent_back:
            continue
        elif question.is_picture and question.mandatory and question in asked:
            message = _picture_request(question)
            found.append(Problem("photo_missing", f"question:{question.code}", message))
    return [*found, *_same_photo_problems(asked, also_sent, context)]


def _picture_request(question: Question) -> str:
    sentence = _("Ask for: %(text)s") if question.kind == "signature" else _("Take: %(text)s")
    return sentence % {"text": question.text}


def _file_problems(question: Question, context: ClosingContext) -> list[Problem]:
    """What keeps the photos of this answer from being its proof."""
    ids, where = _ids(context.answers.get(question.code)), f"question:{question.code}"
    if any(context.photos_stored.get(photo_id, question.code) != question.code for photo_id in ids):
        message = _("%(question)s: this photo belongs to another question. Take a new one.")
        return [Problem("photo_of_another_answer", where, message % {"question": question.text})]
    waiting = [photo_id for photo_id in ids if photo_id not in context.photos_stored]
    if not waiting:
        return []
    message = _("%(question)s: %(number)s not sent yet, still on another phone. Wait, or replace it.")
    parameters = {"question": question.text, "number": len(waiting)}
    return [Problem("photo_not_stored", where, message % parameters)]


def _ids(value: object) -> list[str]:
    return [str(photo_id) for photo_id in value] if isinstance(value, list) else []


def _same_photo_problems(
    asked: list[Question], also_sent: list[Question], context: ClosingContext
) -> list[Problem]:
    """One picture proves one answer, drawn on or not; it may stand twice in the same one."""
    first: dict[str, Question] = {}
    found = []
    for question in [*asked, *also_sent]:
        hashes = _hashes(question, context)
        other = next((first[sha256] for sha256 in hashes if sha256 in first), None)
        if other is not None:
            sentence = _same_photo_sentence(question, is_asked=question in asked)
            message = sentence % {"question": question.text, "other": other.text}
            found.append(Problem("same_photo", f"question:{question.code}", message))
        first = dict.fromkeys(hashes, question) | first
    return found


def _same_photo_sentence(question: Question, *, is_asked: bool) -> str:
    """A new signature takes the place of the one before, a new photo stands beside it."""
    if question.kind == "signature" and is_asked:
        return _("%(question)s: this is the same photo as for “%(other)s”. Sign again.")
    if question.kind == "signature":
        return _("%(question)s: this is the same photo as for “%(other)s”. Sign again, or delete it.")
    if is_asked:
        return _("%(question)s: this is the same photo as for “%(other)s”. Delete it and take a new one.")
    return _(
        "%(question)s: this is the same photo as for “%(other)s”. Delete it, or replace it with a new one."
    )


def _hashes(question: Question, context: ClosingContext) -> list[str]:
    """Of its own photos: of one that belongs to another question, `_file_problems` tells."""
    if not question.is_picture:
        return []
    ids = _ids(context.answers.get(question.code))
    own = [photo_id for photo_id in ids if context.photos_stored.get(photo_id) == question.code]
    return [sha256 for photo_id in own for sha256 in context.photo_hashes.get(photo_id, ())]
