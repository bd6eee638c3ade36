"""The sheet layout of a question matrix and the JSON rows of its file, both ways (docs/question-matrix.md). Pure.

Above the table stand `edition`, `name` and `note`, each with its value in the second cell. The table begins with the
row whose first cell is `code`; each row below is one question.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _

from closures.question_matrix import matrix_validation
from closures.question_matrix.sheet_files import Row
from closures.safe_csv import UnreadableSheet

HEAD = ("edition", "name", "note")
COLUMNS = (
    *("code", "text", "hint", "kind", "stage", "job_types", "closures", "mandatory", "when", "choices"),
    *("unit", "minimum", "maximum", "decimals", "expected", "unsafe", "advice", "contradicting"),
    *("long_edge", "quality", "gallery", "label", "line_check"),
)
LISTS = {"job_types", "closures", "unsafe", "contradicting"}
FLAGS = {"mandatory", "gallery", "label", "line_check"}
NUMBERS = {"minimum", "maximum", "decimals", "long_edge", "quality"}
TRANSLATED = ("text", "hint", "advice", "choices")
TRANSLATION_COLUMN = re.compile(r"(text|hint|advice|choices)_([a-z]{2}(?:-[a-z]{2})?)")
CONDITION = re.compile(r"(\S+?)\s*(!=|=)\s*(.+)")
EXPECTED = re.compile(r"(.+?)\s*:\s*(\S+)\s+to\s+(\S+)")
# line breaks and the tab are none
CONTROL_CHARACTER = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
YES, NO = {"yes", "true", "ja"}, {"no", "false", "nein"}


@dataclass(frozen=True)
class SheetProblem:
    """A rule that one row breaks; `row` is its number in the sheet."""

    row: int
    code: str
    sentence: str


@dataclass(frozen=True)
class MatrixSheet:
    """A sheet as read: `content` is the text of a matrix file, empty where there are problems."""

    problems: list[SheetProblem]
    content: str = ""


def read_matrix(rows: list[Row]) -> MatrixSheet:
    """Check each row by the rules of matrix files, all at once. Raises UnreadableSheet for a wrong header."""
    head_size = next((number for number, row in enumerate(rows) if _first(row) == "code"), None)
    if head_size is None:
        raise UnreadableSheet(_("No row begins with “code”. Start from the template."))
    columns = _columns(rows[head_size])
    head = _head(rows[:head_size])
    problems = _head_problems(head, rows[:head_size])
    questions: list[dict[str, Any]] = []
    earlier: dict[str, frozenset[str]] = {}
    for number, cells in enumerate(rows[head_size + 1 :], start=head_size + 2):
        if not any(str(cell) for cell in cells):
            continue
        question = _question(columns, cells)
        broken = [*_extra_cells(columns, cells), *_control_characters(cells)]
        broken += matrix_validation.broken_rules(question, earlier)
        code = str(question.get("code", ""))
        problems += [SheetProblem(number, code, sentence) for sentence in broken]
        earlier.setdefault(code, _possible(question))
        questions.append(question)
    whole = {**head, "questions": questions}
    if not questions:
        problems.append(SheetProblem(head_size + 1, "", _("There is no question below this row.")))
    return MatrixSheet(problems, "" if problems else write_content(whole))


def write_content(whole: dict[str, Any]) -> str:
    """The text of a matrix file, one question to a line."""
    head = [f"  {_json(name)}: {_json(value)}," for name, value in whole.items() if name != "questions"]
    questions = ",\n".join(f"    {_json(question)}" for question in whole["questions"])
    return "\n".join(["{", *head, '  "questions": [', questions, "  ]", "}\n"])


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_rows(whole: dict[str, Any]) -> list[Row]:
    """The sheet of a matrix file's content."""
    languages = sorted({code for question in whole["questions"] for code in question.get("translations", {})})
    columns = [*COLUMNS, *(f"{name}_{language}" for language in languages for name in TRANSLATED)]
    head: list[Row] = [[name, whole[name]] for name in HEAD if name in whole]
    cells = [question_cells(question) for question in whole["questions"]]
    return [*head, [], list(columns), *([row.get(column, "") for column in columns] for row in cells)]


def question_cells(question: dict[str, Any]) -> dict[str, Any]:
    """The cell of each column that is not empty."""
    cells = {name: _write_cell(name, question[name]) for name in COLUMNS if name in question}
    for language, translation in question.get("translations", {}).items():
        for name, value in translation.items():
            cells[f"{name}_{language}"] = _write_texts(value.items()) if name == "choices" else value
    return cells


def _write_cell(name: str, value: Any) -> Any:
    if name in LISTS:
        return ", ".join(value)
    if name in FLAGS:
        return "yes" if value else "no"
    if name == "choices":
        return _write_texts((choice["code"], choice["text"]) for choice in value)
    if name == "when":
        return "\n".join(map(write_condition, value))
    if name == "expected":
        return "\n".join(f"{network}: {low} to {high}" for network, (low, high) in value.items())
    return value


def _write_texts(pairs: Iterable[tuple[str, str]]) -> str:
    return "\n".join(f"{code} = {text}" for code, text in pairs)


def write_condition(condition: dict[str, Any]) -> str:
    sign = "!=" if "not_equals" in condition else "="
    return f"{condition['question']} {sign} {' | '.join(matrix_validation.condition_values(condition))}"


def _first(row: Row) -> str:
    return str(row[0]).strip().lower() if row else ""


def _columns(header: Row) -> list[str]:
    named = ["_".join(str(cell).strip().lower().split()) for cell in header]
    filled = [name for name in named if name]
    unknown = [name for name in filled if name not in COLUMNS and not TRANSLATION_COLUMN.fullmatch(name)]
    if unknown:
        parameters = {"columns": ", ".join(name[:40] for name in unknown[:5])}
        raise UnreadableSheet(_("Unknown columns: %(columns)s. Start from the template.") % parameters)
    if len(set(filled)) < len(filled):
        raise UnreadableSheet(_("A column is named twice in the row that begins with “code”."))
    return named


def _head(rows: list[Row]) -> dict[str, Any]:
    pairs = {_first(row): str(row[1]) if len(row) > 1 else "" for row in rows if _first(row)}
    return {name: pairs[name] for name in HEAD if pairs.get(name)}


def _head_problems(head: dict[str, Any], rows: list[Row]) -> list[SheetProblem]:
    """Each rule of what stands above the table, with its row where there is one."""
    numbers = {_first(row): number for number, row in reversed(list(enumerate(rows, start=1)))}
    rules = matrix_validation.validate_file({**head, "questions": [{}]})
    named = zip(("edition", "name", "questions"), rules, strict=True)
    broken = [(numbers.get(name, 1), sentence) for name, (sentence, holds) in named if not holds]
    broken += [
        (number, sentence) for number, row in enumerate(rows, 1) for sentence in _control_characters(row)
    ]
    return [SheetProblem(number, "", sentence) for number, sentence in broken]


def _extra_cells(columns: list[str], cells: Row) -> list[str]:
    named = [bool(name) for name in columns] + [False] * len(cells)
    extra = any(str(cell) and not is_named for cell, is_named in zip(cells, named, strict=False))
    return [_("a cell has no column heading")] if extra else []


def _control_characters(cells: Row) -> list[str]:
    has_any = any(CONTROL_CHARACTER.search(str(cell)) for cell in cells)
    return [_("a cell has a control character. Type its text again.")] if has_any else []


def _question(columns: list[str], cells: Row) -> dict[str, Any]:
    question: dict[str, Any] = {}
    translations: dict[str, dict[str, Any]] = {}
    for name, cell in zip(columns, cells, strict=False):
        translated = TRANSLATION_COLUMN.fullmatch(name)
        if not name or cell == "":
            continue
        if translated:
            member, language = translated.groups()
            texts = _texts(str(cell)) if member == "choices" else str(cell)
            translations.setdefault(language, {})[member] = texts
        else:
            question[name] = _parse(name, cell)
    return {**question, "translations": translations} if translations else question


def _parse(name: str, cell: Any) -> Any:
    """The member's value; a cell that is none stays as it is, for the rule to name."""
    if name in NUMBERS:
        return _number(cell)
    text = str(cell)
    parsers: dict[str, Callable[[str], Any]] = {
        "choices": _choices,
        "when": _conditions,
        "expected": _expected,
    }
    if name in parsers:
        return parsers[name](text)
    if name in LISTS:
        return [part.strip() for part in re.split(r"[,\n]", text) if part.strip()]
    if name in FLAGS:
        return text.lower() in YES if text.lower() in YES | NO else text
    return text


def _number(cell: Any) -> Any:
    if isinstance(cell, str):
        try:
            cell = float(cell.replace(",", "."))
        except ValueError:
            return cell
    return int(cell) if cell == cell // 1 and abs(cell) < 10**15 else cell


def _texts(cell: str) -> dict[str, str]:
    pairs = (line.partition("=") for line in cell.splitlines() if line.strip())
    return {code.strip(): text.strip() for code, _sign, text in pairs}


def _choices(cell: str) -> list[dict[str, str]]:
    lines = [line.partition("=") for line in cell.splitlines() if line.strip()]
    return [{"code": code.strip(), "text": text.strip()} for code, _sign, text in lines]


def _conditions(cell: str) -> Any:
    found = [CONDITION.fullmatch(line.strip()) for line in cell.splitlines() if line.strip()]
    return cell if None in found else [_condition(*match.groups()) for match in found if match]


def _condition(question: str, sign: str, answers: str) -> dict[str, Any]:
    values = [value.strip() for value in answers.split("|")]
    if sign == "!=":
        return {"question": question, "not_equals": answers.strip()}
    return (
        {"question": question, "in": values}
        if len(values) > 1
        else {"question": question, "equals": values[0]}
    )


def _expected(cell: str) -> Any:
    found = [EXPECTED.fullmatch(line.strip()) for line in cell.splitlines() if line.strip()]
    if None in found:
        return cell
    return {match[1]: [_number(match[2]), _number(match[3])] for match in found if match}


def _possible(question: dict[str, Any]) -> frozenset[str]:
    """What a later condition can name, also of a row with problems: they are named once, in their own row."""
    if question.get("kind") == "yes_no":
        return frozenset({"yes", "no"})
    return frozenset(choice["code"] for choice in question.get("choices", []))
