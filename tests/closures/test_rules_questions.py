"""What a closure asks for: answers, photos, and the order in which problems are listed."""

import uuid
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closures import closing_context, closure_validation, codes
from closures.codes import OTHER
from closures.question_matrix.matrix import Question
from dispatch.states import JobType
from tests.closures.finished import DONE, EVERY, PHOTO, SAMPLE, failures_of, found, small


def test_mandatory_answers_and_photos_are_asked_for() -> None:
    problems = closure_validation.closure_problems(replace(DONE, answers={}))

    assert [(problem.code, problem.where, problem.message) for problem in problems] == [
        ("answer_missing", "question:SAF", "Answer: Safe?"),
        ("photo_missing", "question:PHO", "Take: Photo of the work"),
    ]


def test_photo_that_is_not_safe_yet_is_waited_for() -> None:
    second = str(uuid.uuid4())
    finding = replace(DONE, answers={"SAF": "yes", "PHO": [PHOTO, second]})

    (problem,) = closure_validation.closure_problems(finding)

    assert (problem.code, problem.where) == ("photo_not_stored", "question:PHO")
    assert (
        problem.message == "Photo of the work: 1 not sent yet, still on another phone. Wait, or replace it."
    )


def test_optional_photo_is_not_missed_but_must_arrive_once_taken() -> None:
    optional = {"code": "OPT", "text": "More", "kind": "photo", "stage": "work", "job_types": EVERY}
    finding = replace(DONE, matrix=small({**optional, "mandatory": False}))

    photographed = replace(finding, answers={**DONE.answers, "OPT": [str(uuid.uuid4())]})
    assert (found(finding), found(photographed)) == ([], [("photo_not_stored", "question:OPT")])


def test_failure_needs_safety_and_its_own_evidence() -> None:
    net = {"code": "NET", "text": "Where?", "kind": "text", "stage": "closing", "closures": ["CON"]}
    failed = replace(
        DONE,
        matrix=small({**net, "job_types": EVERY}),
        code="CON",
        secondary_code="CON01",
        answers={},
        scanned=False,
        provisioned=False,
    )

    assert found(failed) == [("answer_missing", "question:SAF"), ("answer_missing", "question:NET")]
    assert found(replace(failed, answers={"SAF": "no", "NET": "Cabinet"})) == []


def test_unsafe_site_asks_only_what_is_known_from_a_safe_place() -> None:
    left = replace(DONE, code="HAZ", answers={}, scanned=False, provisioned=False)

    assert found(left) == [("answer_missing", "question:HAZ")]
    assert found(replace(left, answers={"SAF": "no", "HAZ": "Dog"})) == []


def test_whoever_was_not_let_in_is_asked_nothing_of_the_site() -> None:
    found_nobody = replace(DONE, matrix=SAMPLE, code="RNA/NA", answers={}, scanned=False, provisioned=False)

    asked = closing_context.closure_questions(found_nobody)
    assert [question.code for question in asked] == ["NOA01", "NOA02", "NOA03"]


@pytest.mark.parametrize(
    ("job_type", "code"),
    [(job_type, code.code) for job_type in JobType for code in failures_of(job_type) if code is not OTHER],
)
def test_sample_asks_each_failure_for_its_own_evidence(job_type: JobType, code: str) -> None:
    asked = closing_context.closure_questions(replace(DONE, matrix=SAMPLE, job_type=job_type, code=code))

    stages = {"closing"} if codes.find_code(code).asks_nothing_of_the_site else {"safety", "closing"}
    assert {question.stage for question in asked} == stages
    assert [
        question.code for question in asked if question.stage == "closing" and code not in question.closures
    ] == []


def test_success_asks_for_everything() -> None:
    stages = [question.stage for question in closing_context.closure_questions(replace(DONE, matrix=SAMPLE))]

    assert ({*stages}, stages) == ({"safety", "work"}, sorted(stages))


def test_no_code_is_one_problem_before_all_others() -> None:
    assert found(replace(DONE, code=""))[0] == ("code_missing", "closure")


def test_problems_come_in_the_order_in_which_they_are_corrected() -> None:
    worst = replace(
        DONE,
        matrix=SAMPLE,
        secondary_code="CON01",
        scanned=False,
        provisioned=False,
        answers={"LGT01": -39.0, "PHO02": [PHOTO], "SAF01": "yes"},
        photos_stored={},
    )

    problems = closure_validation.closure_problems(worst)

    groups = ["secondary_of_another_code", "not_scanned", "answer_missing", "photo_missing"]
    order = [*groups, "photo_not_stored", "out_of_window"]
    ranks = [order.index(problem.code) - (problem.code == "photo_not_stored") for problem in problems]
    assert {problem.code for problem in problems} == {*order}
    assert ranks == sorted(ranks)
    assert closure_validation.closure_problems(worst) == problems


def test_warnings_never_block() -> None:
    dark = replace(DONE, matrix=SAMPLE, answers={"LGT01": -39.0, "LGT02": -39.0})

    warned = [problem.where for problem in closure_validation.closure_problems(dark) if not problem.blocks]

    assert warned == ["question:LGT01", "question:LGT02"]


def test_answer_that_is_no_longer_asked_does_not_warn() -> None:
    failed = replace(DONE, matrix=SAMPLE, code="HAZ", answers={"LGT01": -39.0})

    assert [problem for problem in closure_validation.closure_problems(failed) if not problem.blocks] == []


def photo_of(question: Question) -> str:
    return str(uuid.uuid5(uuid.NAMESPACE_OID, question.code))


STORED = {photo_of(question): question.code for question in SAMPLE.questions}


def good_answer(question: Question) -> object:
    match question.kind:
        case "choice":
            return question.choices[0].code
        case "number":
            return question.minimum
        case "photo":
            return [photo_of(question)]
        case kind:
            return {"yes_no": "yes", "text": "x"}[kind]


CODES = [(job_type, code.code) for job_type in JobType for code in codes.codes_for(job_type)]


@given(st.sampled_from(CODES), st.sets(st.sampled_from(SAMPLE.questions)), st.data())
def test_good_answer_never_adds_a_block_of_its_own(
    ending: tuple[JobType, str], answered: set[Question], data: st.DataObject
) -> None:
    job_type, code = ending
    answers = {question.code: good_answer(question) for question in answered}
    before = replace(DONE, matrix=SAMPLE, job_type=job_type, code=code, answers=answers, photos_stored=STORED)
    question = data.draw(st.sampled_from(SAMPLE.questions))
    after = replace(before, answers={**answers, question.code: good_answer(question)})

    blocks = [problem.where for problem in closure_validation.closure_problems(after) if problem.blocks]

    assert f"question:{question.code}" not in blocks


@given(st.sampled_from(CODES), st.booleans(), st.booleans())
def test_answering_what_is_asked_ends_with_nothing_in_the_way(
    ending: tuple[JobType, str], safe: bool, with_options: bool
) -> None:
    job_type, code = ending
    answers: dict[str, object] = {"SAF01": "yes" if safe else "no"}
    finding = replace(
        DONE, matrix=SAMPLE, job_type=job_type, code=code, answers=answers, photos_stored=STORED
    )
    for _ in SAMPLE.questions:
        asked = [
            question
            for question in closing_context.closure_questions(finding)
            if question.mandatory or with_options
        ]
        answers = {**{question.code: good_answer(question) for question in asked}, **answers}
        finding = replace(finding, answers=answers)

    blocks = {question.code for question in closure_validation.closure_problems(finding) if question.blocks}

    assert blocks - {"secondary_missing", "engineer_on_site"} == set()
