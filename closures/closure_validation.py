"""May a job be closed like this? Every problem at once, as values with sentences: pure.

The phone lists them before closing, `closing.close_job` raises the blocking ones, the board prints them.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from closures import answer_validation, codes, flow
from closures.codes import OTHER, ClosureCode
from closures.question_matrix.matrix import STAGES, Matrix, Question
from closures.question_matrix.translations import name_for_reader
from dispatch.problems import Problem
from dispatch.states import WITH_ONT_SCAN, JobState


@dataclass(frozen=True)
class ClosingContext:
    """Everything that decides about a closure.

    `answers` maps question codes to kept values; `photos_stored` are ids that are safe, each with the code of
    the question that it was taken for; `provisioned` is result 1 or 2 for the newest scan; `scanned` whether
    there is a scan at all; `without_visit` whether the office closes a job that nobody attended; `sent_back` maps
    questions that the office wants to be answered again to its reasons; `line_down` whether the newest check of the
    line found it down, False for a line that was never checked or could not be; `checked` are questions whose unusual
    answers the engineer ticked as checked, and `asks_for_checks` whether they must be (an older phone does not ask).
    """

    matrix: Matrix
    job_type: str
    state: str
    code: str
    secondary_code: str = ""
    remarks: str = ""
    answers: Mapping[str, object] = field(default_factory=dict)
    photos_stored: Mapping[str, str] = field(default_factory=dict)
    without_visit: bool = False
    scanned: bool = False
    provisioned: bool = False
    network_type: str = ""
    sent_back: Mapping[str, str] = field(default_factory=dict)
    line_down: bool = False
    checked: Collection[str] = ()
    asks_for_checks: bool = False

    @property
    def closure(self) -> ClosureCode:
        return codes.find_code(self.code)

    @property
    def is_unattended(self) -> bool:
        """Only Other reason goes with a visit and without one."""
        return self.closure.without_visit or (self.without_visit and self.closure is OTHER)


def closure_problems(context: ClosingContext) -> list[Problem]:
    """Blocking problems and warnings, in the order in which a person would correct them."""
    return [
        *_code_problems(context),
        *_on_site_problems(context),
        *_safety_problems(context),
        *_provisioning_problems(context),
        *_sent_back_problems(context),
        *_question_problems(context),
        *_photo_problems(context),
        *_warnings(context),
    ]


def closure_questions(context: ClosingContext) -> list[Question]:
    """What this closure asks for: all of the work for a success, safety and its own evidence otherwise."""
    if context.is_unattended:
        return []
    stages: tuple[str, ...] = STAGES if context.closure.succeeds else ("safety", "closing")
    if context.state != JobState.ON_SITE or context.closure.asks_nothing_of_the_site:
        stages = ("closing",)
    return flow.list_questions(
        context.matrix,
        job_type=context.job_type,
        answers=context.answers,
        stages=stages,
        closure_code=context.code,
    )


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


def _photo_problems(context: ClosingContext) -> list[Problem]:
    asked = closure_questions(context)
    # also what this closure does not ask for: the seller gets every answer of the job
    also_sent = [question for question in _sent(context) if question not in asked]
    found = []
    for question in [*asked, *also_sent]:
        if question.is_picture and context.answers.get(question.code):
            found += _file_problems(question, context)
        elif question.code in context.sent_back:
            continue
        elif question.is_picture and question.mandatory and question in asked:
            message = _picture_request(question)
            found.append(Problem("photo_missing", f"question:{question.code}", message))
    return found


def _picture_request(question: Question) -> str:
    sentence = _("Ask for: %(text)s") if question.kind == "signature" else _("Take: %(text)s")
    return sentence % {"text": question.text}


def _sent(context: ClosingContext) -> list[Question]:
    if context.is_unattended:
        return []
    return flow.list_questions(
        context.matrix, job_type=context.job_type, answers=context.answers, closure_code=context.code
    )


def _file_problems(question: Question, context: ClosingContext) -> list[Problem]:
    """What keeps the photos of this answer from being its proof."""
    ids, where = _ids(context.answers.get(question.code)), f"question:{question.code}"
    if any(context.photos_stored.get(photo_id, question.code) != question.code for photo_id in ids):
        message = _("%(question)s: this photo belongs to another question. Take a new one.")
        return [Problem("photo_of_another_answer", where, message % {"question": question.text})]
    waiting = [photo_id for photo_id in ids if photo_id not in context.photos_stored]
    if not waiting:
        return []
    message = _("%(question)s: %(number)s not sent yet. Wait, or send again.")
    parameters = {"question": question.text, "number": len(waiting)}
    return [Problem("photo_not_stored", where, message % parameters)]


def _ids(value: object) -> list[str]:
    return [str(photo_id) for photo_id in value] if isinstance(value, list) else []


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
