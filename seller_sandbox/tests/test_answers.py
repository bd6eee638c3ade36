"""questions_answers against the question matrix: shape, text, form by kind, files, source, completeness."""

from dataclasses import replace
from typing import Any

import pytest

from seller_sandbox.jobs import matrix
from seller_sandbox.jobs.answer_rules import check_closing, check_notified
from seller_sandbox.jobs.answer_shape import check_shape
from seller_sandbox.jobs.job_facts import JobFacts, answer_key
from seller_sandbox.jobs.matrix import Matrix
from seller_sandbox.tests import make

FACTS = JobFacts(
    job_type="installation",
    starts_at=make.NOON,
    ends_at=make.NOON,
    now=make.NOON,
    created_at=make.NOON,
)
MEMBER, SHAPE, PATH = "answerMember", "fileShape", "objectPath"
ANSWER = make.answer()
PHOTO = make.answer(question="Photo of the ONT label", question_code="PHO04", answer="1", source="Closure")


def of(code: str, text: str) -> dict[str, Any]:
    return make.answer(question=matrix.editions()[-1][code].text, question_code=code, answer=text)


def photo(**members: Any) -> dict[str, Any]:
    return {**PHOTO, "files": [make.file("a.jpg", **members)]}


def closing(entries: list[Any], *, code: str = "UNF", facts: JobFacts = FACTS) -> list[tuple[str, str]]:
    """What is found in the answers of this closure, without what is missing in them."""
    found = check_closing(entries, facts, closure_code=code)
    return [(finding.code, finding.field) for finding in found if finding.code != "answerMissing"]


def missing(entries: list[Any], *, code: str, facts: JobFacts = FACTS) -> list[str]:
    found = check_closing(entries, facts, closure_code=code)
    return [finding.message.split()[-1] for finding in found if finding.code == "answerMissing"]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (ANSWER, []),
        (photo(), []),
        (photo(url="https://store.example/a?sig=1"), []),
        ("yes", [("answerShape", "")]),
        (make.answer(question=None), [(MEMBER, "/question")]),
        (make.answer(question_code=None), [(MEMBER, "/question_code")]),
        (make.answer(answer=None), [(MEMBER, "/answer")]),
        (make.answer(answer=7), [(MEMBER, "/answer")]),
        (make.answer(source=None), [(MEMBER, "/source")]),
        (make.answer(response_received=None), [(MEMBER, "/response_received")]),
        (make.answer(response_received="2026-11-23T09:00:00"), [("answerTime", "/response_received")]),
        ({**ANSWER, "files": "a.jpg"}, [(SHAPE, "/files")]),
        ({**ANSWER, "files": ["a.jpg"]}, [(SHAPE, "/files/0")]),
        (
            {**ANSWER, "files": [{"name": "a.jpg"}]},
            [(MEMBER, "/files/0/type"), (MEMBER, "/files/0/object_path")],
        ),
        (photo(url=7), [(SHAPE, "/files/0/url")]),
        (photo(url="behind the desk"), [(SHAPE, "/files/0/url")]),
        (photo(object_path="jobs/J-1/PHO04/a.jpg"), [(PATH, "/files/0/object_path")]),
        (photo(object_path="https://store.example/b.jpg"), [(PATH, "/files/0/object_path")]),
        (photo(object_path="https://[store/a.jpg"), [(PATH, "/files/0/object_path")]),
        (photo(type="JPEG picture"), [("fileType", "/files/0/type")]),
    ],
)
def test_shape_of_an_entry(entry: Any, expected: list[tuple[str, str]]) -> None:
    found = [(finding.code, finding.field) for finding in check_shape([entry])]

    assert found == [(code, f"/questions_answers/0{field}") for code, field in expected]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        (ANSWER, []),
        (make.answer(answer="−19.2 dBm"), [("answerForm", "/answer")]),
        (make.answer(answer="−19.2"), [("answerForm", "/answer")]),
        (make.answer(answer="-19.25"), [("answerForm", "/answer")]),
        (make.answer(answer="-19,2"), [("answerForm", "/answer")]),
        (make.answer(answer="-41"), [("answerForm", "/answer")]),
        (make.answer(answer="-20"), []),
        (make.answer(question="Light level"), [("questionText", "/question")]),
        (make.answer(question_code="LGT99"), [("unknownQuestion", "/question_code")]),
        (
            make.answer(question_code="CIV03", question="Is the surface reinstated?", answer="Yes"),
            [("unknownQuestion", "/question_code")],
        ),
        (of("ONT01", "agreed"), [("answerForm", "/answer")]),
        (of("ONT01", "Where the customer wanted it"), []),
        (of("SPD01", "yes"), [("answerForm", "/answer")]),
        (of("SPD01", "No"), []),
        (of("ONT02", " "), [("answerForm", "/answer")]),
        (photo(), []),
        (PHOTO, [("answerForm", "/answer"), ("noFiles", "/files")]),
        ({**photo(), "answer": "1 photo"}, [("answerForm", "/answer")]),
        ({**photo(), "answer": "2"}, [("answerForm", "/answer")]),
        ({**photo(), "source": "closeJob"}, [("answerSource", "/source")]),
        ({**ANSWER, "files": [make.file()]}, [("strayFiles", "/files")]),
        ({**ANSWER, "source": "notifyJob"}, [("answerSource", "/source")]),
        ({**ANSWER, "source": "Closure"}, [("answerSource", "/source")]),
    ],
)
def test_answers_of_a_closure(entry: Any, expected: list[tuple[str, str]]) -> None:
    assert closing([entry]) == [(code, f"/questions_answers/0{field}") for code, field in expected]


def test_an_answer_that_rode_on_a_notification_keeps_its_source() -> None:
    noted = {**ANSWER, "source": "notifyJob"}
    facts = replace(FACTS, answers_sent=frozenset({answer_key(noted)}))

    assert closing([noted], facts=facts) == []
    assert closing([ANSWER], facts=facts) == [("answerSource", "/questions_answers/0/source")]
    assert closing([make.answer(answer="-20")], facts=facts) == []


def test_the_same_question_twice_is_found() -> None:
    again = make.answer(answer="-20")

    assert closing([ANSWER, again]) == [("answerTwice", "/questions_answers/1/question_code")]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({**ANSWER, "source": "notifyJob"}, []),
        (ANSWER, [("answerSource", "/questions_answers/0/source")]),
        ({**photo(), "source": "notifyJob"}, [("answerTooEarly", "/questions_answers/0")]),
    ],
)
def test_answers_of_a_notification(entry: Any, expected: list[tuple[str, str]]) -> None:
    assert [(finding.code, finding.field) for finding in check_notified([entry], FACTS)] == expected


@pytest.mark.parametrize(
    ("job_type", "code"),
    [
        ("installation", "SP"),
        ("installation", "HAZ"),
        ("installation", "MBORC"),
        ("revisit", "REVCOMP"),
        ("external", "EXTCOMP"),
        ("civils", "CIVCOMP"),
    ],
)
def test_complete_answers_have_no_findings(job_type: str, code: str) -> None:
    facts = replace(FACTS, job_type=job_type)

    assert check_closing(make.answers(job_type, code), facts, closure_code=code) == []


def test_required_answers_are_missed() -> None:
    entries = [entry for entry in make.answers("installation", "SP") if entry["question_code"] != "LGT02"]

    assert missing(entries, code="SP") == ["LGT02"]
    assert missing([], code="HAZ") == ["HAZ01"]
    assert missing([], code="MBORC") == []
    assert missing([], code="OTHER") == []


def test_a_condition_decides_what_is_required() -> None:
    tested = make.answers("installation", "SP", SPD01="Yes")
    untested = make.answers("installation", "SP", SPD01="No")

    assert {"SPD02", "SPD03"} <= {entry["question_code"] for entry in tested}
    assert missing([entry for entry in untested if entry["question_code"] != "SPD04"], code="SP") == ["SPD04"]


@pytest.mark.parametrize("edition", matrix.editions(), ids=range(len(matrix.editions())))
def test_every_edition_may_be_answered(edition: Matrix) -> None:
    entries = make.answers("installation", "SP", edition=edition)

    assert check_closing(entries, FACTS, closure_code="SP") == []


def test_questions_of_two_editions_do_not_mix() -> None:
    first, *_, last = matrix.editions()
    of_both = make.answers("installation", "SP", edition=first) + [
        make.entry_for(last[code], "Yes")
        for code in last.keys() - first.keys()
        if last[code].kind == "yes_no"
    ]

    assert {code for code, _ in closing(of_both, code="SP")} == {"unknownQuestion"}
