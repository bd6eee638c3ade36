"""What a question of a matrix file must keep: each rule as a sentence, over the rows as JSON gives them. Pure."""

import re
import sys
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, Literal, get_args

from django.utils.translation import gettext as _

from closures.codes import OTHER, list_codes
from dispatch.states import JobType

Kind = Literal["yes_no", "choice", "number", "text", "photo", "signature"]
KINDS: tuple[Kind, ...] = get_args(Kind)
STAGES = ("safety", "work", "closing")
CODE = re.compile(r"[A-Z][A-Z0-9_]{1,19}")
NUMBERS_OWN = {"unit", "minimum", "maximum", "decimals", "expected"}
SAFETYS_OWN = {"unsafe", "advice"}
PHOTOS_OWN = {"long_edge", "quality", "gallery", "label"}
KNOWN_MEMBERS = {
    "code", "text", "hint", "kind", "stage", "job_types", "closures", "mandatory", "choices", "when", "translations",
    "contradicting", "line_check",
    *NUMBERS_OWN, *PHOTOS_OWN, *SAFETYS_OWN,
}  # fmt: skip
MAX_DECIMALS = 6
SHORTEST_EDGE, LONGEST_EDGE = 640, 4096
MIN_QUALITY = 0.3
# as long as the job's own column
MAX_EDITION_CHARACTERS = 60
# what each earlier question can be answered with; nothing for those whose answers no condition can name
Possible = Mapping[str, frozenset[str]]


def validate_file(whole: Any) -> list[tuple[str, bool]]:
    """The rules of everything around the questions."""
    if not isinstance(whole, dict):
        return [(_("the file is an object with `edition`, `name` and `questions`"), False)]
    edition, questions = whole.get("edition"), whole.get("questions")
    return [
        (
            _("`edition` is a text of at most %(number)d characters") % {"number": MAX_EDITION_CHARACTERS},
            _is_text(edition) and len(str(edition)) <= MAX_EDITION_CHARACTERS,
        ),
        (_("`name` is a text"), _is_text(whole.get("name"))),
        (
            _("`questions` is a list with at least one question"),
            isinstance(questions, list) and bool(questions),
        ),
    ]


def question_rules(row: Any, earlier: Possible) -> Iterator[tuple[str, bool]]:
    """Each rule as a sentence, and whether the row keeps it; a later rule may lean on those before it."""
    yield from _basic_rules(row, earlier)
    yield from _kind_rules(row)
    yield from _safety_rules(row)
    yield from _translation_rules(row)
    yield from _condition_rules(row, earlier)


def _basic_rules(row: Any, earlier: Possible) -> Iterator[tuple[str, bool]]:
    yield _("a question is an object"), isinstance(row, dict)
    code = row.get("code")
    is_code = isinstance(code, str) and bool(CODE.fullmatch(code))
    yield _("a code is 2 to 20 capital letters, digits and underscores"), is_code
    unknown = sorted(set(row) - KNOWN_MEMBERS)
    yield _("unknown member %(members)s") % {"members": ", ".join(unknown)}, not unknown
    yield _("this code is used twice"), code not in earlier
    yield _("`%(member)s` must be a text") % {"member": "text"}, _is_text(row.get("text"))
    yield _("`%(member)s` must be a text") % {"member": "hint"}, isinstance(row.get("hint", ""), str)
    yield (
        _("`%(member)s` must be one of %(values)s") % {"member": "kind", "values": ", ".join(KINDS)},
        row.get("kind") in KINDS,
    )
    yield (
        _("`%(member)s` must be one of %(values)s") % {"member": "stage", "values": ", ".join(STAGES)},
        row.get("stage") in STAGES,
    )
    yield (
        _("`job_types` must name some of %(values)s") % {"values": ", ".join(JobType)},
        _some_of(row.get("job_types"), set(JobType)),
    )
    yield _boolean_rule(row, "mandatory")


def _boolean_rule(row: dict[str, Any], member: str) -> tuple[str, bool]:
    sentence = _("`%(member)s` must be true or false") % {"member": member}
    return sentence, isinstance(row.get(member, False), bool)


def _translation_rules(row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    yield (
        _("`translations` holds text, hint, advice and choices by language"),
        _translations_are_sound(row.get("translations", {}), row),
    )


def broken_rules(row: Any, earlier: Possible) -> list[str]:
    """Every rule that a row breaks; of rules that lean on each other the first, so that no slip is named twice."""
    basic = _broken(_basic_rules(row, earlier), all_of_them=isinstance(row, dict))
    if not isinstance(row, dict) or row.get("kind") not in KINDS or row.get("stage") not in STAGES:
        return basic
    groups = [*(rules(row) for rules in RULES_OF_KINDS), _condition_rules(row, earlier)]
    own = [sentence for group in groups for sentence in _broken(group)]
    if not _broken(_choice_rules(row)):
        own += [*_broken(_safety_rules(row)), *_broken(_translation_rules(row))]
    return basic + own


def _broken(rules: Iterator[tuple[str, bool]], *, all_of_them: bool = False) -> list[str]:
    """The sentences that do not hold: the first, or all of rules that do not lean on each other."""
    broken = (sentence for sentence, holds in rules if not holds)
    return list(broken) if all_of_them else list(islice(broken, 1))


def _kind_rules(row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    for rules in RULES_OF_KINDS:
        yield from rules(row)


def _number_rules(row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    numeric = row["kind"] == "number"
    yield _("a number needs `unit`, `minimum` and `maximum`"), not numeric or _has_range(row)
    yield _("`minimum` must be less than `maximum`"), not numeric or row["minimum"] < row["maximum"]
    odd = sorted(NUMBERS_OWN & {*row})
    yield _("%(members)s: for the kind number only") % {"members": ", ".join(odd)}, numeric or not odd
    yield (
        _("`decimals` is a whole number from 0 to %(number)d") % {"number": MAX_DECIMALS},
        _is_decimals(row.get("decimals", 0)),
    )
    yield (
        _("`expected` holds [lowest, highest] pairs of numbers"),
        _expected_is_sound(row.get("expected", {})),
    )


def _choice_rules(row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    closing = row["stage"] == "closing"
    yield (
        _("a choice needs two or more `choices`, each with its own code and a text"),
        (_has_choices(row) if row["kind"] == "choice" else "choices" not in row),
    )
    yield (
        _("`closures` must name known codes, for the closing stage only"),
        (_some_of(row.get("closures"), {*list_codes(), OTHER.code}) if closing else "closures" not in row),
    )


def _photo_rules(row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    odd = sorted(PHOTOS_OWN & {*row})
    yield (
        _("%(members)s: for the kind photo only") % {"members": ", ".join(odd)},
        row["kind"] == "photo" or not odd,
    )
    edge, quality = row.get("long_edge", SHORTEST_EDGE), row.get("quality", 1)
    yield (
        _("`long_edge` is a whole number of pixels from %(low)d to %(high)d")
        % {"low": SHORTEST_EDGE, "high": LONGEST_EDGE},
        isinstance(edge, int) and not isinstance(edge, bool) and SHORTEST_EDGE <= edge <= LONGEST_EDGE,
    )
    yield (
        _("`quality` is a number from %(low)s to 1") % {"low": MIN_QUALITY},
        _is_number(quality) and MIN_QUALITY <= quality <= 1,
    )
    yield _boolean_rule(row, "gallery")
    yield _boolean_rule(row, "label")


def _text_rules(row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    yield _("line_check: for the kind text only"), row["kind"] == "text" or "line_check" not in row
    yield _boolean_rule(row, "line_check")


RULES_OF_KINDS = (_number_rules, _photo_rules, _text_rules, _choice_rules)


def _safety_rules(row: dict[str, Any]) -> Iterator[tuple[str, bool]]:
    odd = sorted(SAFETYS_OWN & {*row})
    yield (
        _("%(members)s: for the safety stage only") % {"members": ", ".join(odd)},
        row["stage"] == "safety" or not odd,
    )
    yield _("`unsafe` and `advice` belong together"), len(odd) != 1
    yield _("`%(member)s` must be a text") % {"member": "advice"}, not odd or _is_text(row["advice"])
    yield (
        _("`%(member)s` names answers that the question can have") % {"member": "unsafe"},
        not odd or _names_answers(row, row["unsafe"]),
    )
    is_given = "contradicting" in row
    yield _("contradicting: for the stages work and closing only"), not is_given or row["stage"] != "safety"
    yield (
        _("`%(member)s` names answers that the question can have") % {"member": "contradicting"},
        not is_given or _names_answers(row, row["contradicting"]),
    )


def _translations_are_sound(translations: Any, row: dict[str, Any]) -> bool:
    return isinstance(translations, dict) and all(
        _is_translation(translation, row) for translation in translations.values()
    )


def _is_translation(translation: Any, row: dict[str, Any]) -> bool:
    if not isinstance(translation, dict) or not {"text"} <= {*translation} <= {
        "text",
        "hint",
        "advice",
        "choices",
    }:
        return False
    choices = translation.get("choices", {})
    known = {choice["code"] for choice in row.get("choices", [])}
    plain = [text for name, text in translation.items() if name != "choices"]
    sound = isinstance(choices, dict) and {*choices} <= known
    return sound and all(map(_is_text, [*plain, *choices.values()]))


def _names_answers(row: dict[str, Any], named: Any) -> bool:
    possible = (
        {"yes", "no"} if row["kind"] == "yes_no" else {choice["code"] for choice in row.get("choices", [])}
    )
    return _some_of(named, possible)


def _condition_rules(row: dict[str, Any], earlier: Possible) -> Iterator[tuple[str, bool]]:
    conditions = row.get("when", [])
    sound = isinstance(conditions, list) and all(_is_condition(condition) for condition in conditions)
    yield _("`when` is a list of {question, equals | in | not_equals}"), sound
    unknown = [condition["question"] for condition in conditions if condition["question"] not in earlier]
    yield (
        _("a condition names %(codes)s, which is unknown or comes later") % {"codes": ", ".join(unknown)},
        not unknown,
    )
    odd = [condition["question"] for condition in conditions if not _answerable(condition, earlier)]
    yield _("a condition expects an answer that %(codes)s can't have") % {"codes": ", ".join(odd)}, not odd


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())


def _some_of(values: Any, known: set[Any]) -> bool:
    return isinstance(values, list) and bool(values) and {*map(str, values)} <= {*map(str, known)}


def _is_number(value: Any) -> bool:
    # a whole number may have more digits than any decimal one
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max


def _is_decimals(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_DECIMALS


def _has_range(row: dict[str, Any]) -> bool:
    return _is_text(row.get("unit")) and _is_number(row.get("minimum")) and _is_number(row.get("maximum"))


def _expected_is_sound(expected: Any) -> bool:
    return isinstance(expected, dict) and all(_is_window(pair) for pair in expected.values())


def _is_window(pair: Any) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(map(_is_number, pair)) and pair[0] < pair[1]


def _has_choices(row: dict[str, Any]) -> bool:
    choices = row.get("choices")
    if not isinstance(choices, list) or not all(_is_choice(choice) for choice in choices):
        return False
    return len({choice["code"] for choice in choices}) == len(choices) >= 2


def _is_choice(choice: Any) -> bool:
    return isinstance(choice, dict) and {*choice} == {"code", "text"} and all(map(_is_text, choice.values()))


def _is_condition(condition: Any) -> bool:
    if (
        not isinstance(condition, dict)
        or not isinstance(condition.get("question"), str)
        or len(condition) != 2
    ):
        return False
    values = condition_values(condition)
    return isinstance(values, list) and bool(values) and all(isinstance(value, str) for value in values)


def condition_values(condition: dict[str, Any]) -> list[Any]:
    """What an earlier question must, or must not, have been answered with."""
    named: list[Any] = condition.get("in", [condition.get("equals", condition.get("not_equals"))])
    return named


def _answerable(condition: dict[str, Any], earlier: Possible) -> bool:
    return {*condition_values(condition)} <= earlier[condition["question"]]
