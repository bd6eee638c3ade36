"""Which questions are asked, in which order: pure, over (matrix, job type, answers, closure code).

static/js/phone/flow.js is the same function on the phone; tests/data/flow_vectors.json runs against both.
"""

from collections.abc import Collection, Iterable, Mapping

from closures.question_matrix.matrix import STAGES, Condition, Matrix, Question

Answers = Mapping[str, object]


def list_questions(
    matrix: Matrix,
    *,
    job_type: str,
    answers: Answers,
    stages: Collection[str] = STAGES,
    closure_code: str = "",
) -> list[Question]:
    """The questions that apply now, in the order of the work. Those of the closing stage only for their codes.

    A question whose condition hangs on an unanswered or no longer asked question is not asked.
    """
    applying: dict[str, Question] = {}
    for question in matrix.questions:
        fits = job_type in question.job_types and _fits_closure(question, closure_code)
        if fits and all(_holds(condition, applying, answers) for condition in question.when):
            applying[question.code] = question
    return [question for question in applying.values() if question.stage in stages]


def list_unsafe_questions(matrix: Matrix, *, job_type: str, answers: Answers) -> list[Question]:
    """The safety questions that are answered so that the work stops."""
    questions = list_questions(matrix, job_type=job_type, answers=answers, stages=("safety",))
    return [question for question in questions if answers.get(question.code) in question.unsafe]


def _fits_closure(question: Question, closure_code: str) -> bool:
    return question.stage != "closing" or closure_code in question.closures


def _holds(condition: Condition, applying: Mapping[str, Question], answers: Answers) -> bool:
    if condition.question not in applying or condition.question not in answers:
        return False
    return (answers[condition.question] in condition.values) != condition.negated


def next_question(
    matrix: Matrix,
    *,
    job_type: str,
    answers: Answers,
    stages: Collection[str] = STAGES,
    closure_code: str = "",
) -> Question | None:
    """The first that is asked and has no answer; None when all are answered."""
    questions = list_questions(
        matrix, job_type=job_type, answers=answers, stages=stages, closure_code=closure_code
    )
    return next((question for question in questions if question.code not in answers), None)


def list_missing(questions: Iterable[Question], answers: Answers) -> list[Question]:
    """The mandatory ones of these without an answer."""
    return [question for question in questions if question.mandatory and question.code not in answers]
