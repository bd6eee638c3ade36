"""The question matrix: what is read, and what is refused with line and rule."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closures.question_matrix import matrix, matrix_validation
from closures.question_matrix.matrix import BrokenMatrix, Matrix

FIRST = {"code": "AA1", "text": "Safe?", "kind": "yes_no", "stage": "safety", "job_types": ["civils"]}
SECOND = {
    "code": "AA2",
    "text": "Which?",
    "kind": "choice",
    "stage": "work",
    "job_types": ["civils"],
    "choices": [{"code": "AA1", "text": "One"}, {"code": "AA3", "text": "Two"}],
}
NUMBER = {"kind": "number", "unit": "m", "minimum": 0, "maximum": 9}
THIRD = {"code": "AA3", "text": "How long?", "stage": "work", "job_types": ["civils"], **NUMBER}


def text(*rows: Any, edition: Any = "test-1", name: Any = "Test") -> str:
    """One question to a line: the first is on line 4."""
    body = ",\n".join(json.dumps(row) for row in rows)
    return f'{{"edition": {json.dumps(edition)},\n"name": {json.dumps(name)},\n"questions": [\n{body}\n]}}\n'


def read(source: str) -> Matrix:
    return matrix.parse_matrix(source, name="trial.json")


def third(**change: Any) -> str:
    return text(FIRST, SECOND, {**THIRD, **change})


def without(member: str) -> str:
    return text(FIRST, SECOND, {name: value for name, value in THIRD.items() if name != member})


def when(*conditions: Any) -> str:
    return third(when=[*conditions])


def photo(**change: Any) -> str:
    return text({**FIRST, "kind": "photo", **change})


def choices(*items: Any) -> str:
    return text(FIRST, {**SECOND, "choices": [*items]})


CHOICE = {"code": "one", "text": "One"}

BROKEN = {
    "unknown member": (third(mandatry=True), 6, "AA3: unknown member mandatry"),
    "two unknown members": (third(b=1, a=1), 6, "AA3: unknown member a, b"),
    "no code": (text(FIRST, {"text": "x"}), 5, "?: a code is 2 to 20 capital"),
    "small letters": (third(code="aa3"), 6, "aa3: a code is 2 to 20 capital"),
    "long code": (third(code="A" * 21), 6, "a code is 2 to 20 capital"),
    "code is a number": (third(code=3), 6, "3: a code is 2 to 20 capital"),
    "code ends with a new line": (third(code="AA3\n"), 6, "a code is 2 to 20 capital"),
    "question is a text": (text(FIRST, "AA2"), 5, "?: a question is an object"),
    "question is a list": (text([FIRST]), 4, "?: a question is an object"),
    "same code twice": (text(FIRST, SECOND, FIRST), 6, "AA1: this code is used twice"),
    "no text": (without("text"), 6, "AA3: `text` must be a text"),
    "empty text": (third(text=" "), 6, "AA3: `text` must be a text"),
    "hint is a number": (third(hint=5), 6, "AA3: `hint` must be a text"),
    "no kind": (without("kind"), 6, "AA3: `kind` must be one of yes_no"),
    "unknown kind": (third(kind="date"), 6, "AA3: `kind` must be one of yes_no"),
    "kind is a list": (third(kind=["number"]), 6, "AA3: `kind` must be one of yes_no"),
    "unknown stage": (third(stage="later"), 6, "AA3: `stage` must be one of safety"),
    "no job types": (third(job_types=[]), 6, "AA3: `job_types` must name some of installation"),
    "unknown job type": (third(job_types=["survey"]), 6, "AA3: `job_types` must name some of"),
    "job types are a text": (third(job_types="civils"), 6, "AA3: `job_types` must name some of"),
    "mandatory is a text": (third(mandatory="no"), 6, "AA3: `mandatory` must be true or false"),
    "no unit": (without("unit"), 6, "AA3: a number needs `unit`, `minimum`"),
    "no minimum": (without("minimum"), 6, "AA3: a number needs `unit`, `minimum`"),
    "maximum is a text": (third(maximum="9"), 6, "AA3: a number needs `unit`, `minimum`"),
    "maximum is endless": (third(maximum=float("inf")), 6, "AA3: a number needs `unit`"),
    "maximum of four hundred digits": (third(maximum=10**400), 6, "AA3: a number needs `unit`"),
    "expected of four hundred digits": (third(expected={"GPON": [1, 10**400]}), 6, "AA3: `expected` holds"),
    "minimum above maximum": (third(minimum=9, maximum=1), 6, "AA3: `minimum` must be less than"),
    "minimum is maximum": (third(minimum=9), 6, "AA3: `minimum` must be less than"),
    "unit of a text": (
        text(FIRST, {**FIRST, "code": "AA2", "unit": "m"}),
        5,
        "AA2: unit: for the kind number",
    ),
    "decimals of a choice": (text(FIRST, {**SECOND, "decimals": 1}), 5, "AA2: decimals: for the kind number"),
    "half a decimal": (third(decimals=1.5), 6, "AA3: `decimals` is a whole number from 0 to 6"),
    "decimals below nought": (third(decimals=-1), 6, "AA3: `decimals` is a whole number"),
    "expected is a list": (third(expected=[1, 2]), 6, "AA3: `expected` holds [lowest, highest]"),
    "expected of texts": (third(expected={"GPON": ["a", "b"]}), 6, "AA3: `expected` holds"),
    "expected upside down": (third(expected={"GPON": [2, 1]}), 6, "AA3: `expected` holds"),
    "unsafe work": (third(unsafe=["yes"], advice="Go."), 6, "AA3: advice, unsafe: for the safety stage only"),
    "contradicting before the work": (
        text({**FIRST, "contradicting": ["no"]}, SECOND),
        4,
        "AA1: contradicting: for the stages work and closing only",
    ),
    "unsafe without advice": (
        text({**FIRST, "unsafe": ["no"]}, SECOND),
        4,
        "AA1: `unsafe` and `advice` belong together",
    ),
    "unsafe in an answer that cannot be": (
        text({**FIRST, "unsafe": ["perhaps"], "advice": "Leave."}, SECOND),
        4,
        "AA1: `unsafe` names answers that the question can have",
    ),
    "edge of a number": (third(long_edge=1600), 6, "AA3: long_edge: for the kind photo only"),
    "gallery of a choice": (text(FIRST, {**SECOND, "gallery": True}), 5, "AA2: gallery: for the kind photo"),
    "edge is a text": (photo(long_edge="large"), 4, "AA1: `long_edge` is a whole number of pixels"),
    "edge too short": (photo(long_edge=100), 4, "AA1: `long_edge` is a whole number of pixels from 640"),
    "quality in per cent": (photo(quality=80), 4, "AA1: `quality` is a number from 0.3 to 1"),
    "gallery is a text": (photo(gallery="no"), 4, "AA1: `gallery` must be true or false"),
    "label is a number": (photo(label=1), 4, "AA1: `label` must be true or false"),
    "signature with a label": (
        photo(kind="signature", label=True),
        4,
        "AA1: label: for the kind photo only",
    ),
    "line check is a text": (
        text({**FIRST, "kind": "text", "line_check": "yes"}, SECOND),
        4,
        "AA1: `line_check` must be true or false",
    ),
    "line check of a photo": (photo(line_check=True), 4, "AA1: line_check: for the kind text only"),
    "one choice": (choices(CHOICE), 5, "AA2: a choice needs two or more"),
    "same choice twice": (choices(CHOICE, CHOICE), 5, "AA2: a choice needs two or more"),
    "choice without text": (choices(CHOICE, {"code": "two"}), 5, "AA2: a choice needs two or more"),
    "choice is a number": (choices(CHOICE, {"code": 2, "text": "Two"}), 5, "AA2: a choice needs two"),
    "choice with more": (choices(CHOICE, {"code": "b", "text": "B", "x": 1}), 5, "AA2: a choice needs two"),
    "choices are a number": (text(FIRST, {**SECOND, "choices": 5}), 5, "AA2: a choice needs two"),
    "choices of a number": (third(choices=[]), 6, "AA3: a choice needs two"),
    "closing without codes": (third(stage="closing"), 6, "AA3: `closures` must name known codes"),
    "closing with an unknown code": (
        third(stage="closing", closures=["SP", "NIX"]),
        6,
        "AA3: `closures` must name known codes",
    ),
    "codes before closing": (third(closures=["SP"]), 6, "AA3: `closures` must name known codes"),
    "conditions are no list": (third(when={"question": "AA1", "equals": "no"}), 6, "AA3: `when` is a list"),
    "condition without a value": (when({"question": "AA1"}), 6, "AA3: `when` is a list"),
    "condition with two": (
        when({"question": "AA1", "equals": "no", "not_equals": "yes"}),
        6,
        "AA3: `when` is a list",
    ),
    "condition misspelt": (when({"question": "AA1", "equal": "no"}), 6, "AA3: `when` is a list"),
    "condition on a list": (when({"question": ["AA1"], "equals": "no"}), 6, "AA3: `when` is a list"),
    "condition in nothing": (when({"question": "AA1", "in": []}), 6, "AA3: `when` is a list"),
    "condition in a text": (when({"question": "AA1", "in": "yes"}), 6, "AA3: `when` is a list"),
    "condition equals true": (when({"question": "AA1", "equals": True}), 6, "AA3: `when` is a list"),
    "condition in lists": (when({"question": "AA1", "in": [["yes"]]}), 6, "AA3: `when` is a list"),
    "condition on the unknown": (
        when({"question": "AA9", "equals": "no"}),
        6,
        "AA3: a condition names AA9, which is unknown or comes later",
    ),
    "condition on a later one": (
        text({**FIRST, "when": [{"question": "AA2", "equals": "AA1"}]}, SECOND),
        4,
        "AA1: a condition names AA2, which is unknown or comes later",
    ),
    "condition on itself": (when({"question": "AA3", "equals": "1"}), 6, "AA3: a condition names AA3"),
    "condition on no choice": (
        when({"question": "AA2", "equals": "nix"}),
        6,
        "AA3: a condition expects an answer that AA2 can't have",
    ),
    "condition on a number": (
        text(FIRST, SECOND, THIRD, {**FIRST, "code": "AA4", "when": [{"question": "AA3", "equals": "1"}]}),
        7,
        "AA4: a condition expects an answer that AA3 can't have",
    ),
    "first of two of a name": (text({**FIRST, "kind": "x"}, FIRST), 4, "AA1: `kind` must be one of"),
    "member twice": (
        text(FIRST).replace('"kind"', '"text": "Again?", "kind"'),
        4,
        "AA1: unknown member text (given twice)",
    ),
    "no questions": (text(), 1, "`questions` is a list with at least one question"),
    "questions are an object": ('{"edition": "a", "name": "b", "questions": {}}', 1, "`questions` is a list"),
    "no edition": (text(FIRST, edition=""), 1, "`edition` is a text of at most 60 characters"),
    "edition is a number": (text(FIRST, edition=1), 1, "`edition` is a text of at most 60 characters"),
    "long edition": (text(FIRST, edition="e" * 61), 1, "`edition` is a text of at most 60 characters"),
    "no name": (text(FIRST, name=None), 1, "`name` is a text"),
    "a list": ("[]", 1, "the file is an object with `edition`"),
    "not JSON": (text(FIRST).replace('"stage"', "stage"), 4, "not JSON: Expecting property name"),
    "cut off": (text(FIRST, SECOND)[:-4], 5, "not JSON: Expecting ',' delimiter"),
    "empty": ("", 1, "not JSON: Expecting value"),
}


@pytest.mark.parametrize("broken", BROKEN)
def test_broken_matrix_is_refused_with_line_and_rule(broken: str) -> None:
    source, line, rule = BROKEN[broken]

    with pytest.raises(BrokenMatrix) as refusal:
        read(source)

    assert str(refusal.value).startswith(f"trial.json, line {line}: ")
    assert rule in str(refusal.value)


def test_question_over_several_lines_is_named_by_its_first_line() -> None:
    spread = json.dumps(json.loads(third(kind="nix")), indent=1)
    line = next(n for n, text_line in enumerate(spread.splitlines(), 1) if '"How long?"' in text_line) - 2

    with pytest.raises(BrokenMatrix, match=f"line {line}: question AA3"):
        read(spread)


def test_questions_of_an_inner_object_are_not_taken_for_the_list() -> None:
    found = read('{"note": {"questions": [1]}, ' + text(FIRST)[1:])

    assert [question.code for question in found.questions] == ["AA1"]


def test_sound_matrix_is_read_whole() -> None:
    found = read(third(when=[{"question": "AA1", "in": ["yes"]}], decimals=1, expected={"GPON": [1, 2]}))
    question = found.find("AA3")

    assert (found.edition, found.name, len(found.questions)) == ("test-1", "Test", 3)
    assert (question.unit, question.minimum, question.maximum, question.decimals) == ("m", 0, 9, 1)
    assert (question.expected, question.when[0].values) == ({"GPON": (1, 2)}, ("yes",))
    assert found.find("AA9") is None


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("AA1"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@given(st.sampled_from(sorted(matrix_validation.KNOWN_MEMBERS)), JSON)
def test_odd_member_is_taken_or_refused_and_never_an_error(member: str, value: Any) -> None:
    try:
        read(third(**{member: value}))
    except BrokenMatrix as refusal:
        assert "trial.json, line 6: question" in str(refusal)


@given(JSON)
def test_odd_condition_is_taken_or_refused_and_never_an_error(value: Any) -> None:
    for condition in (value, {"question": value, "equals": "no"}, {"question": "AA1", "in": value}):
        try:
            read(when(condition))
        except BrokenMatrix as refusal:
            assert "trial.json, line 6: question AA3" in str(refusal)


def absent(path: Path) -> None:
    path.unlink(missing_ok=True)


def folder(path: Path) -> None:
    path.mkdir()


def latin(path: Path) -> None:
    path.write_bytes(text(FIRST).replace("Safe?", "S\xe9cure?").encode("latin-1"))


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (absent, "No such file or directory"),
        (folder, "Is a directory"),
        (latin, "is not UTF-8 at byte"),
    ],
)
def test_file_that_cannot_be_read_is_refused(
    tmp_path: Path, spoil: Callable[[Path], None], message: str
) -> None:
    spoil(tmp_path / "matrix.json")

    with pytest.raises(BrokenMatrix) as refusal:
        matrix.load_matrix(str(tmp_path / "matrix.json"))

    assert "QUESTION_MATRIX" in str(refusal.value)
    assert message in str(refusal.value)
