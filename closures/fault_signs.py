"""What says, before a job is closed, whose fault it would be: a closure that waits for review, an answer that only one
kind of failure asks for, or what the office wrote down after a call."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from closures import codes
from closures.answers import active_answers
from closures.fault_parties import FaultParty, party_of
from closures.models import Answer, Closure
from closures.question_matrix.matrix import Matrix, Question
from closures.question_matrix.matrix_editions import matrix_for_job
from closures.question_matrix.translations import text_for_reader
from dispatch.models import Job
from dispatch.states import EventKind, JobState

# of a note or a call, in the words of who writes it down; empty: it says nothing about the appointment
NOTED_CAUSES = [
    ("", gettext_lazy("Nothing changes for the appointment")),
    (FaultParty.END_USER, gettext_lazy("The customer can't keep the appointment")),
    (
        FaultParty.MBORC,
        gettext_lazy("We can't come, beyond our control (weather, strike); customer informed"),
    ),
    (FaultParty.HAZARD, gettext_lazy("The site is dangerous")),
    (FaultParty.SELLER, gettext_lazy("The appointment stays; if it fails, we are at fault")),
]


@dataclass(frozen=True)
class FaultSign:
    """`party` None: what was recorded last speaks for a success. `is_noted`: the office said so after a call."""

    party: FaultParty | None
    because: str
    at: datetime
    is_noted: bool = False


def newest_fault_sign(job: Job) -> FaultSign | None:
    """Of an open job; None where nothing points at anybody. A query for its answers and one for its events where they
    were not read before, and in review one for its closure."""
    found = max(_signs(job), key=lambda sign: sign.at, default=None)
    return found if found and found.party else None


def _signs(job: Job) -> Iterator[FaultSign]:
    closure = Closure.objects.filter(job=job).first() if job.state == JobState.IN_REVIEW else None
    if closure:
        name = text_for_reader(codes.find_code(closure.code).in_trade_words)
        text = _("The engineer closed it with “%(outcome)s”, which is not approved yet.")
        yield FaultSign(party_of(closure.code), text % {"outcome": name}, closure.recorded_at)
    yield from _answered(job)
    for event in job.events.all():
        if event.kind == EventKind.NOTE_ADDED and event.facts.get("fault_party") in FaultParty.values:
            party = FaultParty(event.facts["fault_party"])
            text = _("The office noted: %(cause)s.")
            cause = dict(NOTED_CAUSES)[party]
            yield FaultSign(party, text % {"cause": cause}, event.recorded_at, is_noted=True)


def _answered(job: Job) -> Iterator[FaultSign]:
    answers = active_answers(job)
    matrix = matrix_for_job(job) if answers else None
    for answer in answers:
        party = _party_of_answer(matrix, job, answer) if matrix else None
        if party:
            parameters = {"question": answer.question_text, "answer": answer.answer_text}
            text = _("Answered on site: “%(question)s” %(answer)s.")
            yield FaultSign(party, text % parameters, answer.recorded_at)


def _party_of_answer(matrix: Matrix, job: Job, answer: Answer) -> FaultParty | None:
    """An unsafe answer is a hazard. A question for the closing counts if all outcomes that ask it have one party."""
    question = matrix.find(answer.question_code)
    if question is None:
        return None
    if answer.value in question.unsafe:
        return FaultParty.HAZARD
    parties = {party_of(code) for code in _outcomes_asking(question, job)}
    return parties.pop() if len(parties) == 1 else None


def _outcomes_asking(question: Question, job: Job) -> list[str]:
    if question.stage != "closing":
        return []
    return [code.code for code in codes.codes_for(job.job_type) if code.code in question.closures]
