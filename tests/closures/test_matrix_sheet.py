"""A question matrix as a sheet: each sample survives the way there and back, and each slip is named with its row."""

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest
from openpyxl import Workbook

from closures.question_matrix import matrix
from closures.question_matrix.matrix_sheet import COLUMNS, SheetProblem, read_matrix, write_rows
from closures.question_matrix.sheet_files import read_sheet, write_xlsx
from closures.safe_csv import UnreadableSheet, write_csv

SAMPLES = sorted(matrix.DATA.glob("matrix_sample_*.json"))
HEADER = "code;text;kind;stage;job_types;when;minimum;maximum;unit;choices"
HEAD = f"edition;trial-1\nname;Trial\n\n{HEADER}\n"
SAFE = "AA1;Safe?;yes_no;safety;civils\n"


def problems_of(text: str) -> list[tuple[int, str]]:
    return [(problem.row, problem.sentence) for problem in read_matrix(read_sheet(text.encode())).problems]


def xlsx(*rows: list[Any]) -> bytes:
    book, file = Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)
    book.save(file)
    return file.getvalue()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("form", ["csv", "comma", "tab", "xlsx"])
def test_sample_survives_the_way_there_and_back(sample: Path, form: str) -> None:
    whole = json.loads(sample.read_text())
    rows = write_rows(whole)
    raw = write_xlsx(rows, title="Matrix") if form == "xlsx" else write_csv(rows)
    if form in {"comma", "tab"}:
        # as an English spreadsheet saves it, or one that was copied
        lines = csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), delimiter=";")
        file = io.StringIO(newline="")
        csv.writer(file, delimiter="," if form == "comma" else "\t").writerows(lines)
        raw = file.getvalue().encode()

    sheet = read_matrix(read_sheet(raw))

    assert sheet.problems == []
    assert json.loads(sheet.content) == whole
    assert matrix.parse_matrix(sheet.content, name="x") == matrix.load_matrix(str(sample))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_sheet_is_read_in_every_encoding_of_a_spreadsheet(encoding: str) -> None:
    sheet = read_matrix(read_sheet(f"{HEAD}{SAFE.replace('Safe', 'Größe')}".encode(encoding)))

    assert sheet.problems == []
    assert [question["text"] for question in json.loads(sheet.content)["questions"]] == ["Größe?"]


def test_every_member_of_a_file_has_a_column() -> None:
    assert {*COLUMNS, "translations"} == matrix.matrix_validation.KNOWN_MEMBERS


def test_every_broken_rule_is_named_with_its_row() -> None:
    text = HEAD + SAFE + "AA1;;yes;safety;moon\n\nAA3;How long?;number;work;civils;AA1 = maybe;9;1;m\n"

    assert problems_of(text) == [
        (6, "this code is used twice"),
        (6, "`text` must be a text"),
        (6, "`kind` must be one of yes_no, choice, number, text, photo, signature"),
        (6, "`job_types` must name some of installation, revisit, external, civils"),
        (8, "`minimum` must be less than `maximum`"),
        (8, "a condition expects an answer that AA1 can't have"),
    ]


def test_a_question_behind_a_broken_choice_is_not_broken_too() -> None:
    text = HEAD + 'AA1;;choice;work;civils;;;;;"a = A\nb = B"\nAA2;Why?;text;work;civils;AA1 != a\n'

    assert problems_of(text) == [(5, "`text` must be a text")]


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        ("AA2;Why?;text;work;civils;AA1 maybe", "`when` is a list of {question, equals | in | not_equals}"),
        ("AA2;Far?;number;work;civils;;near;9;m", "a number needs `unit`, `minimum` and `maximum`"),
        ("AA2;Far?;number;work;civils;;nan;9;m", "a number needs `unit`, `minimum` and `maximum`"),
        ("AA2;Far?;number;work;civils;;1e999;9;m", "a number needs `unit`, `minimum` and `maximum`"),
        (
            "AA2;A?;choice;work;civils;;;;;a",
            "a choice needs two or more `choices`, each with its own code and a text",
        ),
        ("AA2;A?;text;work;civils;;;;;;extra", "a cell has no column heading"),
    ],
)
def test_cell_that_is_none_is_named(row: str, sentence: str) -> None:
    assert problems_of(f"{HEAD}{SAFE}{row}\n") == [(6, sentence)]


def test_missing_edition_and_questions_are_named() -> None:
    text = f"name;Trial\n{HEADER}\n"

    assert problems_of(text) == [
        (1, "`edition` is a text of at most 60 characters"),
        (2, "There is no question below this row."),
    ]


def test_formula_is_not_calculated() -> None:
    rows = [["edition", "x-1"], ["name", "X"], ["code", "text", "kind", "stage", "job_types"]]
    raw = xlsx(*rows, ["AA1", "=1+1", "text", "work", "civils"])

    assert read_matrix(read_sheet(raw)).problems == [SheetProblem(4, "AA1", "`text` must be a text")]


def test_text_that_looks_like_a_formula_stays_a_text() -> None:
    question = {
        "code": "AA1",
        "text": "=cmd|'/c calc'!A1",
        "kind": "text",
        "stage": "work",
        "job_types": ["civils"],
    }
    rows = write_rows({"edition": "x-1", "name": "+X", "questions": [question]})

    assert b"'=cmd" in write_csv(rows)
    for raw in (write_csv(rows), write_xlsx(rows, title="Matrix")):
        assert json.loads(read_matrix(read_sheet(raw)).content)["questions"] == [question]


@pytest.mark.parametrize("sign", ["\x0b", "\x0c", "\x01", "\x1f", "\ufffe"], ids=ascii)
def test_control_character_is_named_with_its_row(sign: str) -> None:
    sentence = "a cell has a control character. Type its text again."
    head = HEAD.replace("Trial", f"Tri{sign}al")

    assert problems_of(f"{head}{SAFE.replace('Safe', f'Sa{sign}fe')}") == [(2, sentence), (5, sentence)]


def test_line_break_and_tab_are_no_control_characters() -> None:
    assert problems_of(f'{HEAD}AA1;"Sa\tfe\r\nand\nsound?";yes_no;safety;civils\n') == []


def test_control_character_of_an_older_edition_is_left_out_of_the_sheet() -> None:
    raw = write_xlsx(
        [["code", "text"], ["AA1", "".join(map(chr, range(1, 33))) + "Safe?\ufffe"]], title="Matrix"
    )

    assert read_sheet(raw)[1] == ["AA1", "Safe?"]


def archive(**parts: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in parts.items():
            packed.writestr(name, content)
    return file.getvalue()


@pytest.mark.parametrize(
    ("raw", "sentence"),
    [
        (b"", "No row begins with"),
        (b"\r\n", "No row begins with"),
        (b"name;shoe size", "No row begins with"),
        (b"code;shoe size", "Unknown columns: shoe_size."),
        (b"code;text;text", "named twice"),
        (b"code;text\nAA1;\x81", "not a text file"),
        (b"code\0", "not a text file"),
        (b"\xff\xfec", "not a text file"),
        (b"code;text\n" + b"A\n" * 2000, "more than 2000 rows"),
        (b"code;text\nAA1;" + b"x" * 5001, "cell of more than 5000"),
        (b"code;" + b";" * 200, "too many columns"),
        (b'code;text\n"' + b"x" * 140_000, "can't be read as CSV"),
        (b"x" * 2_000_001, "larger than 2 MB"),
        (b"PK\x03\x04 no zip", "not a readable XLSX"),
        (archive(book=b"x"), "not a readable XLSX"),
        (archive(book=b"0" * 20_000_001), "too large when unpacked"),
        (xlsx(*[["x" * 30_000]] * 700), "too large when unpacked"),
        (archive(book=b'<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "c">]>'), "not a readable XLSX"),
    ],
)
def test_file_that_is_none_is_refused(raw: bytes, sentence: str) -> None:
    with pytest.raises(UnreadableSheet, match=sentence):
        read_matrix(read_sheet(raw))


@pytest.mark.parametrize("delimiter", [";", ",", "\t"])
@pytest.mark.parametrize("edition", ["5, draft, July", "5; draft; July", "5\tdraft\tJuly"])
def test_delimiters_in_the_name_of_an_edition_are_none_of_the_table(edition: str, delimiter: str) -> None:
    whole = {**json.loads(SAMPLES[0].read_text()), "edition": edition}

    raw = write_csv(write_rows(whole), delimiter=delimiter)

    assert json.loads(read_matrix(read_sheet(raw)).content) == whole
