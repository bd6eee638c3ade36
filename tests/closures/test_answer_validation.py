"""Answers as people type them: taken clean, or refused with a sentence that says what to write."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closures import answer_validation
from closures.answer_validation import BadAnswer
from closures.question_matrix.matrix import AnswerChoice, Kind, Question

PHOTO = "0f8fad5b-d9cb-469f-a165-70867728950e"
OTHER = "7c9e6679-7425-40de-944b-e07fc1f90ae7"


def question(kind: Kind, **more: Any) -> Question:
    return Question(code="QQ1", text="Light", kind=kind, stage="work", job_types=("installation",), **more)


YES_NO = question("yes_no")
CHOICE = question("choice", choices=(AnswerChoice("red", "Bright red"), AnswerChoice("blue", "Sky blue")))
LIGHT = question(
    "number",
    unit="dBm",
    minimum=-40,
    maximum=10,
    decimals=1,
    expected={"GPON": (-27, -8), "XGS-PON": (-28, -9)},
)
LENGTH = question("number", unit="m", minimum=1, maximum=500)
TEXT = question("text")
PICTURE = question("photo")
SIGNATURE = question("signature")


@pytest.mark.parametrize(
    ("asked", "value", "cleaned"),
    [
        (YES_NO, "yes", "yes"),
        (YES_NO, "no", "no"),
        (YES_NO, True, "yes"),
        (YES_NO, False, "no"),
        (CHOICE, "red", "red"),
        (LIGHT, "-21.5", -21.5),
        (LIGHT, "−21,5", -21.5),
        (LIGHT, "–21,5", -21.5),
        (LIGHT, " -21.5 ", -21.5),
        (LIGHT, "-40", -40.0),
        (LIGHT, 10, 10.0),
        (LIGHT, ".5", 0.5),
        (LIGHT, "-0.0", 0.0),
        (LIGHT, "+3", 3.0),
        (LENGTH, "120", 120.0),
        (LENGTH, "1", 1.0),
        (TEXT, "  Dog in the garden  ", "Dog in the garden"),
        (TEXT, "Zeile 1\nZeile 2", "Zeile 1\nZeile 2"),
        (TEXT, "x" * 2000, "x" * 2000),
        (TEXT, "0", "0"),
        (PICTURE, PHOTO, [PHOTO]),
        (PICTURE, [PHOTO], [PHOTO]),
        (PICTURE, [PHOTO.upper(), PHOTO], [PHOTO]),
        (SIGNATURE, [PHOTO], [PHOTO]),
        (PICTURE, [OTHER, PHOTO, OTHER], [OTHER, PHOTO]),
    ],
)
def test_good_answer_is_kept_clean(asked: Question, value: Any, cleaned: Any) -> None:
    found = answer_validation.validate(asked, value)

    assert (found, type(found)) == (cleaned, type(cleaned))


YES_OR_NO = "Answer yes or no."
ONE_OF = "Choose one of: Bright red, Sky blue."
IN_DBM = "Enter a number in dBm."
FROM_TO = "The number must be from −40 to 10 dBm."
ENTER_WORDS = "Enter a few words."
TAKE = "Take a photo."


@pytest.mark.parametrize(
    ("asked", "value", "message"),
    [
        (YES_NO, "Yes", YES_OR_NO),
        (YES_NO, "maybe", YES_OR_NO),
        (YES_NO, None, YES_OR_NO),
        (YES_NO, 1, YES_OR_NO),
        (YES_NO, 0.0, YES_OR_NO),
        (YES_NO, ["yes"], YES_OR_NO),
        (YES_NO, {"yes": 1}, YES_OR_NO),
        (CHOICE, "green", ONE_OF),
        (CHOICE, "Bright red", ONE_OF),
        (CHOICE, "", ONE_OF),
        (CHOICE, None, ONE_OF),
        (CHOICE, ["red"], ONE_OF),
        (LIGHT, "", IN_DBM),
        (LIGHT, "much", IN_DBM),
        (LIGHT, "-21.5 dBm", IN_DBM),
        (LIGHT, "1,234.5", IN_DBM),
        (LIGHT, "--3", IN_DBM),
        (LIGHT, "1_0", IN_DBM),
        (LIGHT, "nan", IN_DBM),
        (LIGHT, float("nan"), IN_DBM),
        (LIGHT, "inf", IN_DBM),
        (LIGHT, float("-inf"), IN_DBM),
        (LIGHT, "1e400", IN_DBM),
        (LIGHT, True, IN_DBM),
        (LIGHT, False, IN_DBM),
        (LIGHT, None, IN_DBM),
        (LIGHT, [-21.5], IN_DBM),
        (LIGHT, {"value": 1}, IN_DBM),
        (LIGHT, "1\0", IN_DBM),
        (LIGHT, "-40.1", FROM_TO),
        (LIGHT, 10.1, FROM_TO),
        (LIGHT, "1e1", IN_DBM),
        (LIGHT, 10**400, IN_DBM),
        (LIGHT, "9" * 400, IN_DBM),
        (LIGHT, "9" * 11, FROM_TO),
        (LENGTH, 0, "The number must be from 1 to 500 m."),
        (LENGTH, 501, "The number must be from 1 to 500 m."),
        (TEXT, "", ENTER_WORDS),
        (TEXT, " \n\t ", ENTER_WORDS),
        (TEXT, "a\0b", ENTER_WORDS),
        (TEXT, None, ENTER_WORDS),
        (TEXT, 5, ENTER_WORDS),
        (TEXT, ["a"], ENTER_WORDS),
        (TEXT, "a\ud800", ENTER_WORDS),
        (TEXT, "x" * 2001, "Enter at most 2000 characters. This has 2001."),
        (PICTURE, [], TAKE),
        (SIGNATURE, "J. Doe", "Ask for a signature."),
        (PICTURE, "", TAKE),
        (PICTURE, None, TAKE),
        (PICTURE, "photo.jpg", TAKE),
        (PICTURE, [PHOTO, "nix"], TAKE),
        (PICTURE, [[PHOTO]], TAKE),
        (PICTURE, [{"id": PHOTO}], TAKE),
        (PICTURE, {"id": PHOTO}, TAKE),
        (PICTURE, [PHOTO, 5], TAKE),
    ],
)
def test_bad_answer_is_refused_with_a_remedy(asked: Question, value: Any, message: str) -> None:
    with pytest.raises(BadAnswer) as refusal:
        answer_validation.validate(asked, value)

    (problem,) = refusal.value.problems
    assert (problem.code, problem.where, problem.message, problem.blocks) == (
        "bad_answer",
        "question:QQ1",
        message,
        True,
    )


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=5,
)


@given(st.sampled_from([YES_NO, CHOICE, LIGHT, LENGTH, TEXT, PICTURE]), ANYTHING)
def test_anything_is_kept_and_shown_or_refused(asked: Question, value: Any) -> None:
    try:
        cleaned = answer_validation.validate(asked, value)
    except BadAnswer:
        return
    assert answer_validation.validate(asked, cleaned) == cleaned
    assert answer_validation.display(asked, cleaned).encode()


@pytest.mark.parametrize(
    ("asked", "cleaned", "text"),
    [
        (YES_NO, "yes", "Yes"),
        (YES_NO, "no", "No"),
        (CHOICE, "blue", "Sky blue"),
        (CHOICE, "removed", "removed"),
        (LIGHT, -21.5, "−21.5 dBm"),
        (LIGHT, -21.0, "−21.0 dBm"),
        (LIGHT, 3.0, "3.0 dBm"),
        (LENGTH, 120.0, "120 m"),
        (TEXT, "Well-known dog", "Well-known dog"),
        (PICTURE, [PHOTO], "1 photo"),
        (PICTURE, [PHOTO, OTHER], "2 photos"),
    ],
)
def test_answer_is_displayed_as_text(asked: Question, cleaned: Any, text: str) -> None:
    assert answer_validation.display(asked, cleaned) == text


def test_minus_of_a_unit_is_left_alone() -> None:
    asked = question("number", unit="dBm-e", minimum=-9, maximum=9)

    assert answer_validation.display(asked, -1.0) == "−1 dBm-e"


@pytest.mark.parametrize(
    ("network", "level", "warned"),
    [
        ("GPON", -27.0, False),
        ("GPON", -8.0, False),
        ("GPON", -27.1, True),
        ("GPON", -7.9, True),
        ("XGS-PON", -27.1, False),
        ("XGS-PON", -8.5, True),
        ("XGS-PON", -28.1, True),
        ("", -27.1, True),
        ("unheard of", -27.1, True),
        ("unheard of", -20.0, False),
    ],
)
def test_number_outside_its_networks_window_is_warned_of(network: str, level: float, warned: bool) -> None:
    found = answer_validation.warning_for(LIGHT, level, network_type=network)

    assert (found is not None) == warned


def test_warning_names_value_and_window_and_does_not_block() -> None:
    found = answer_validation.warning_for(LIGHT, -31.2, network_type="XGS-PON")

    assert found is not None
    assert (found.code, found.where, found.blocks) == ("out_of_window", "question:QQ1", False)
    assert found.message == "Light −31.2 dBm is outside the expected range (−28 to −9 dBm). Check it."


@pytest.mark.parametrize(
    ("asked", "cleaned"), [(LENGTH, 500.0), (TEXT, "x"), (YES_NO, "no"), (CHOICE, "red"), (PICTURE, [PHOTO])]
)
def test_question_without_a_window_never_warns(asked: Question, cleaned: Any) -> None:
    assert answer_validation.warning_for(asked, cleaned, network_type="GPON") is None


@pytest.mark.parametrize(
    ("kind", "more", "value", "text"),
    [
        ("number", {"decimals": 1, "unit": "dBm"}, -19.2, "-19.2"),
        ("number", {"decimals": 1, "unit": "dBm"}, -19, "-19.0"),
        ("number", {"decimals": 0, "unit": "m"}, 205, "205"),
        ("number", {"decimals": 0, "unit": "m"}, 205.0, "205"),
        ("number", {"decimals": 1, "unit": "dBm"}, -0.0, "0.0"),
        ("number", {"decimals": 0, "unit": "m"}, 1e12, "1000000000000"),
        ("number", {"decimals": 1, "unit": "dBm"}, -0.04, "-0.04"),
        ("yes_no", {}, "yes", "Yes"),
        ("yes_no", {}, "no", "No"),
        ("photo", {}, ["a"], "1"),
        ("signature", {}, ["a"], "1"),
        ("photo", {}, ["a", "b"], "2"),
        ("text", {}, "Line −1 of two", "Line −1 of two"),
    ],
)
def test_answer_for_systems(kind: Any, more: dict[str, Any], value: object, text: str) -> None:
    asked = Question("Q01", "How?", kind, "work", ("installation",), **more)

    assert answer_validation.machine_value(asked, value) == text
