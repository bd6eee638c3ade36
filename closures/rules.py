"""May a job be closed like this? Every problem at once, as values with sentences: pure.

The phone lists them before closing, `closing.close_job` raises the blocking ones, the board prints them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from closures import codes, flow, values
from closures.codes import OTHER, ClosureCode
from closures.matrix import STAGES, Matrix, Question
from dispatch.problems import Problem
from dispatch.states import WITH_ONT_SCAN, JobState

ASK = {"photo": "Take", "signature": "Ask for"}


@dataclass(frozen=True)
class Finding:
    """Everything that decides about a closure.

    `answers` maps question codes to kept values; `photos_stored` are ids that are safe; `provisioned` is
    result 1 or 2 for the newest scan; `scanned` whether there is a scan at all.
    """

    matrix: Matrix
    job_type: str
    state: str
    code: str
    secondary_code: str = ""
    remarks: str = ""
    answers: Mapping[str, object] = field(default_factory=dict)
    photos_stored: frozenset[str] = frozenset()
    scanned: bool = False
    provisioned: bool = False
    network_type: str = ""

    @property
    def closure(self) -> ClosureCode:
        return codes.find(self.code)


def problems(finding: Finding) -> list[Problem]:
    """Blocking problems and warnings, in the order in which a person would mend them."""
    return [
        *_code_problems(finding),
        *_place_problems(finding),
        *_provisioning_problems(finding),
        *_question_problems(finding),
        *_photo_problems(finding),
        *_warnings(finding),
    ]


def questions(finding: Finding) -> list[Question]:
    """What this closure asks for: all of the work for a success, safety and its own evidence otherwise."""
    if finding.closure.without_visit:
        return []
    stages: tuple[str, ...] = STAGES if finding.closure.succeeds else ("safety", "closing")
    if finding.state != JobState.ON_SITE:
        stages = ("closing",)
    return flow.asked(
        finding.matrix,
        job_type=finding.job_type,
        answers=finding.answers,
        stages=stages,
        closure_code=finding.code,
    )


def _code_problems(finding: Finding) -> list[Problem]:
    code, family = finding.closure, codes.family_of(finding.job_type)
    if not finding.code:
        return [Problem("code_missing", "closure", "Choose how the job ended.")]
    if code is not OTHER and code.family != family:
        fitting = f"codes that begin with {family}" if family else "codes without REV, EXT or CIV"
        return [
            Problem(
                "wrong_family", "closure", f"{finding.code} does not fit this job type; it takes {fitting}."
            )
        ]
    return _secondary_problems(finding, code)


def _secondary_problems(finding: Finding, code: ClosureCode) -> list[Problem]:
    if not finding.secondary_code:
        missing = Problem(
            "secondary_missing", "secondary", f"{code.code} needs a second code: choose what it was."
        )
        return [missing] if code.secondary_required else []
    if code.secondary(finding.secondary_code) is None:
        message = f"{finding.secondary_code} does not belong to {code.code}. Choose one of its own."
        return [Problem("secondary_of_another_code", "secondary", message)]
    return []


def _place_problems(finding: Finding) -> list[Problem]:
    """What was seen on site can only be said by somebody who was there."""
    if finding.closure.without_visit:
        if finding.state == JobState.ON_SITE:
            message = "The engineer is on site; this code says that nobody went. Choose what was found there."
            return [Problem("engineer_on_site", "closure", message)]
        return (
            [] if finding.remarks.strip() else [Problem("remarks_missing", "remarks", "Say why nobody went.")]
        )
    if finding.state == JobState.ON_SITE:
        return []
    return [
        Problem(
            "not_on_site", "arrive", "Say that you are on site first; this code tells what was found there."
        )
    ]


def _provisioning_problems(finding: Finding) -> list[Problem]:
    if not finding.closure.succeeds or finding.job_type not in WITH_ONT_SCAN or finding.provisioned:
        return []
    if finding.scanned:
        message = (
            "The seller has not reported the ONT as provisioned (result 1 or 2). Wait for it, or scan again."
        )
        return [Problem("not_provisioned", "provisioning", message)]
    # a revisit may leave the ONT alone; an installation cannot
    if finding.closure.family:
        return []
    return [Problem("not_scanned", "scan", "Scan or type the ONT first.")]


def _question_problems(finding: Finding) -> list[Problem]:
    return [
        Problem("answer_missing", f"question:{question.code}", f"Answer: {question.text}")
        for question in questions(finding)
        if question.mandatory and not question.is_picture and question.code not in finding.answers
    ]


def _photo_problems(finding: Finding) -> list[Problem]:
    found = []
    for question in questions(finding):
        if question.is_picture:
            found += _one_photo(question, finding)
    return found


def _one_photo(question: Question, finding: Finding) -> list[Problem]:
    taken = finding.answers.get(question.code)
    where = f"question:{question.code}"
    if not taken:
        return (
            [Problem("photo_missing", where, f"{ASK[question.kind]}: {question.text}")]
            if question.mandatory
            else []
        )
    waiting = [one for one in _ids(taken) if one not in finding.photos_stored]
    if not waiting:
        return []
    return [
        Problem(
            "photo_not_stored", where, f"{question.text}: {len(waiting)} not sent yet. Wait, or send again."
        )
    ]


def _ids(taken: object) -> list[str]:
    return [str(one) for one in taken] if isinstance(taken, list) else []


def _warnings(finding: Finding) -> list[Problem]:
    found = [
        values.warning(question, finding.answers[question.code], network_type=finding.network_type)
        for question in questions(finding)
        if question.code in finding.answers
    ]
    return [warning for warning in found if warning]
