"""Everything that decides about a closure, and which questions it asks for: pure."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from closures import codes, flow
from closures.codes import OTHER, ClosureCode
from closures.question_matrix.matrix import STAGES, Matrix, Question
from dispatch.states import JobState


@dataclass(frozen=True)
class ClosingContext:
    """Everything that decides about a closure.

    `answers` maps question codes to kept values; `photos_stored` are ids that are safe, each with the code of the
    question that it was taken for, and `photo_hashes` those of each (Photo.hashes); `provisioned` is result 1 or
    2 for the newest scan; `scanned` whether there is a scan at all; `without_visit` whether the office closes a job
    that nobody attended; `sent_back` maps questions that the office wants to be answered again to its reasons;
    `line_down` whether the newest check of the line found it down, False for a line that was never checked or could
    not be; `checked` are questions whose unusual answers the engineer ticked as checked, and `asks_for_checks`
    whether they must be (an older phone does not ask).
    """

    matrix: Matrix
    job_type: str
    state: str
    code: str
    secondary_code: str = ""
    remarks: str = ""
    answers: Mapping[str, object] = field(default_factory=dict)
    photos_stored: Mapping[str, str] = field(default_factory=dict)
    photo_hashes: Mapping[str, Sequence[str]] = field(default_factory=dict)
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


def sent_questions(context: ClosingContext) -> list[Question]:
    """Whose answers go to the seller: of the whole job, also what this closure does not ask for."""
    if context.is_unattended:
        return []
    return flow.list_questions(
        context.matrix, job_type=context.job_type, answers=context.answers, closure_code=context.code
    )
