"""May a job be closed like this? Every problem at once, as values with sentences: pure.

The phone lists them before closing, `closing.close_job` raises the blocking ones, the board prints them.
"""

from collections.abc import Mapping

from django.utils.translation import gettext as _

from closures import answer_validation, codes, flow, photo_proofs
from closures.closing_context import ClosingContext, closure_questions
from closures.codes import OTHER, ClosureCode
from closures.question_matrix.matrix import Question
from closures.question_matrix.translations import name_for_reader
from dispatch.problems import Problem
from dispatch.states import WITH_ONT_SCAN, JobState


def closure_problems(context: ClosingContext) -> list[Problem]:
    """Blocking problems and warnings, in the order in which a person would correct them."""
    return [
        *_code_problems(context),
        *_on_site_problems(context),
        *_safety_problems(context),
        *_provisioning_problems(context),
        *_sent_back_problems(context),
        *_question_problems(context),
        *photo_proofs.photo_problems(context),
        *_warnings(context),
    ]


def _code_problems(context: ClosingContext) -> list[Problem]:
    code, family = context.closure, codes.family_of(context.job_type)
    if not context.code:
        return [Problem("code_missing", "closure", _("Choose an outcome."))]
    if not codes.is_known(context.code):
        message = _("Closure code %(code)s does not exist. Choose one from the list.")
        return [Problem("unknown_code", "closure", message % {"code": context.code})]
    if code is not OTHER and code.family != family:
        return [Problem("wrong_family", "closure", _wrong_family_message(context.code, family))]
    return [*_secondary_problems(context, code), *_remarks_problems(context)]


def _wrong_family_message(code: str, family: str) -> str:
    sentence = _("%(code)s doesn't fit this job type. Choose a code that starts with %(family)s.")
    if not family:
        sentence = _("%(code)s doesn't fit this job type. Choose a code without REV, EXT or CIV.")
    return sentence % {"code": code, "family": family}


def _secondary_problems(context: ClosingContext, code: ClosureCode) -> list[Problem]:
    if not context.secondary_code:
        sentence = _("Choose a reason for “%(outcome)s”.")
        message = sentence % {"outcome": name_for_reader(code.code)}
        missing = Problem("secondary_missing", "secondary", message)
        return [missing] if code.secondary_required else []
    if code.secondary(context.secondary_code) is None:
        sentence = _("%(secondary)s is no reason for “%(outcome)s”. Choose one of its reasons.")
        message = sentence % {"secondary": context.secondary_code, "outcome": name_for_reader(code.code)}
        return [Problem("secondary_of_another_code", "secondary", message)]
    return []


def _remarks_problems(context: ClosingContext) -> list[Problem]:
    if context.remarks.strip():
        return []
    if context.closure.remarks_required:
        return [
            Problem("remarks_missing", "remarks", _("“Other reason” needs remarks. Describe what happened."))
        ]
    if context.is_unattended and context.state != JobState.ON_SITE:
        return [Problem("remarks_missing", "remarks", _("Enter the reason why nobody attended."))]
    return _line_problems(context)


def _line_problems(context: ClosingContext) -> list[Problem]:
    """A service that works on a line that does not needs a reason, which goes to the seller with the closure. Outside
    work is done before there is a line."""
    is_of_line = context.job_type in WITH_ONT_SCAN and context.closure.succeeds
    if not (context.line_down and is_of_line):
        return []
    message = _("The line was down when it was last checked. Check it again, or say why the job is done.")
    return [Problem("line_down", "remarks", message)]


def _on_site_problems(context: ClosingContext) -> list[Problem]:
    """What was seen on site can only be reported by somebody who was there."""
    if context.is_unattended and context.state == JobState.ON_SITE:
        message = _(
            "The engineer is on site, but this code means that nobody attended. Choose the outcome found on site."
        )
        return [Problem("engineer_on_site", "closure", message)]
    if context.is_unattended or context.state == JobState.ON_SITE:
        return []
    message = _("Tap “I'm on site” first. This outcome can only be recorded on site.")
    return [Problem("not_on_site", "arrive", message)]


def _safety_problems(context: ClosingContext) -> list[Problem]:
    """Nobody has finished work that an unsafe answer has stopped."""
    if not context.closure.succeeds:
        return []
    stopped = flow.list_unsafe_questions(context.matrix, job_type=context.job_type, answers=context.answers)
    sentence = _("%(question)s %(answer)s: stop work until this is safe.")
    return [
        Problem(
            "unsafe_answer", f"question:{answer.code}", sentence % _text_parameters(answer, context.answers)
        )
        for answer in stopped
    ]


def _text_parameters(question: Question, answers: Mapping[str, object]) -> dict[str, str]:
    return {"question": question.text, "answer": answer_validation.display(question, answers[question.code])}


def _provisioning_problems(context: ClosingContext) -> list[Problem]:
    if not context.closure.succeeds or context.job_type not in WITH_ONT_SCAN or context.provisioned:
        return []
    if context.scanned:
        message = _(
            "The seller has not reported the ONT as provisioned (result 1 or 2). Wait for the result, or scan again."
        )
        return [Problem("not_provisioned", "provisioning", message)]
    # a revisit may leave the ONT alone; an installation cannot
    if context.closure.family:
        return []
    return [Problem("not_scanned", "scan", _("Scan or enter the ONT first."))]


def _sent_back_problems(context: ClosingContext) -> list[Problem]:
    """Only of what this closure asks for, as for an answer that is missing."""
    sentence = _("%(question)s was sent back: %(reason)s. Do it again.")
    return [
        Problem(
            "sent_back",
            f"question:{question.code}",
            sentence % {"question": question.text, "reason": context.sent_back[question.code].rstrip(".")},
        )
        for question in closure_questions(context)
        if question.code in context.sent_back
    ]


def _question_problems(context: ClosingContext) -> list[Problem]:
    return [
        Problem(
            "answer_missing", f"question:{question.code}", _("Answer: %(text)s") % {"text": question.text}
        )
        for question in flow.list_missing(closure_questions(context), context.answers)
        if not question.is_picture and question.code not in context.sent_back
    ]


def _warnings(context: ClosingContext) -> list[Problem]:
    found = [
        answer_validation.warning_for(
            question, context.answers[question.code], network_type=context.network_type
        )
        for question in closure_questions(context)
        if question.code in context.answers
    ]
    return [*(warning for warning in found if warning), *_contradictions(context)]


def contradicting_questions(context: ClosingContext) -> list[Question]:
    """Those with answers after which nobody expects this code."""
    questions = closure_questions(context)
    return [
        question for question in questions if context.answers.get(question.code) in question.contradicting
    ]


def _contradictions(context: ClosingContext) -> list[Problem]:
    """In the way until each is ticked as checked, or changed."""
    return [
        Problem(
            "contradicts_closure",
            f"question:{question.code}",
            _contradiction_sentence(context, question) % _text_parameters(question, context.answers),
            blocks=context.asks_for_checks and question.code not in context.checked,
        )
        for question in contradicting_questions(context)
    ]


def _contradiction_sentence(context: ClosingContext, question: Question) -> str:
    is_checked = question.code in context.checked
    if context.closure.succeeds and is_checked:
        return _("%(question)s %(answer)s: this doesn't match a completed job. It was checked on site.")
    if context.closure.succeeds:
        return _("%(question)s %(answer)s: this doesn't match a completed job. Check the answer.")
    if is_checked:
        return _("%(question)s %(answer)s: this doesn't match the outcome. It was checked on site.")
    return _("%(question)s %(answer)s: this doesn't match the outcome. Check the answer.")
