"""Closure codes: our data against the document's tables, row by row."""

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from closures import codes
from closures.codes import OTHER
from closures.question_matrix.matrix import configured_matrix
from dispatch.states import JobType
from tests.closures.finished import failures_of
from tests.conventions.sources import ROOT

EXCERPT = Path(__file__).parent.parent / "data" / "closure_tables.md"
SHARED = Path(os.environ.get("SHARED_DIR") or Path(__file__).parents[3] / "shared")
DOCUMENT = SHARED / "interfaces" / "installation-jobs.md"

TABLES = EXCERPT.read_text(encoding="utf-8")
PRIMARY = re.findall(r"^\| ([A-Z/]+) \| (.+) \|$", TABLES, re.MULTILINE)
BLOCKS = re.findall(r"^([A-Z/]+):\n((?:- .+\n)+)", TABLES, re.MULTILINE)
SECONDARY = [
    (primary, code, description)
    for primary, lines in BLOCKS
    for code, description in re.findall(r"^- (\S+) (.+)$", lines, re.MULTILINE)
]


def test_excerpt_is_the_documents_own() -> None:
    if not DOCUMENT.exists():
        pytest.skip(f"{DOCUMENT} is not here; set SHARED_DIR")

    assert TABLES in DOCUMENT.read_text(encoding="utf-8")


def test_sandbox_takes_the_same_codes() -> None:
    table = json.loads((ROOT / "seller_sandbox" / "jobs" / "data" / "closure_codes.json").read_text())
    theirs = {
        code: (row["description"], row["secondary_codes"]) for code, row in table["closure_codes"].items()
    }

    assert theirs == {
        code.code: (code.description, {each.code: each.description for each in code.secondaries})
        for code in codes.list_codes().values()
    }


def test_excerpt_is_read_whole() -> None:
    bullets = TABLES.count("\n- ")

    assert (len(PRIMARY), len(SECONDARY), bullets) == (34, 80, 80)


@pytest.mark.parametrize(("code", "description"), PRIMARY)
def test_closure_code_has_the_document_s_description(code: str, description: str) -> None:
    assert codes.list_codes()[code].description == description


@pytest.mark.parametrize(("primary", "code", "description"), SECONDARY)
def test_secondary_code_has_the_document_s_description(primary: str, code: str, description: str) -> None:
    assert codes.find_code(primary).secondary(code).description == description


def test_codes_are_the_documents_in_its_order() -> None:
    assert [*codes.list_codes()] == [code for code, _ in PRIMARY]


def test_secondaries_are_the_documents_in_its_order() -> None:
    ours = [(code.code, two.code) for code in codes.list_codes().values() for two in code.secondaries]

    # the document lists its blocks in the order of the primary codes
    assert ours == [(primary, code) for primary, code, _ in SECONDARY]


@pytest.mark.parametrize("code", [code for code, _ in PRIMARY])
def test_family_is_the_beginning_of_the_code(code: str) -> None:
    family = next((family for family in ("REV", "EXT", "CIV") if code.startswith(family)), "")

    assert codes.find_code(code).family == family


def test_only_con_and_pop_need_a_secondary() -> None:
    assert {code.code for code in codes.list_codes().values() if code.secondary_required} == {"CON", "POP"}


@pytest.mark.parametrize(
    ("job_type", "family", "count", "success"),
    [
        (JobType.INSTALLATION, "", 14, "SP"),
        (JobType.REVISIT, "REV", 10, "REVCOMP"),
        (JobType.EXTERNAL, "EXT", 5, "EXTCOMP"),
        (JobType.CIVILS, "CIV", 5, "CIVCOMP"),
    ],
)
def test_job_type_takes_the_codes_of_its_family(
    job_type: JobType, family: str, count: int, success: str
) -> None:
    codes_of_type = codes.codes_for(job_type)

    assert codes.family_of(job_type) == family
    assert (len(codes_of_type), {code.family for code in codes_of_type}) == (count, {family})
    assert [code.code for code in codes_of_type if code.succeeds] == [success]


def test_every_code_belongs_to_one_job_type() -> None:
    all_codes = [code.code for job_type in JobType for code in codes.codes_for(job_type)]

    assert sorted(all_codes) == sorted(codes.list_codes())


@pytest.mark.parametrize("job_type", JobType)
def test_code_is_a_success_a_failure_or_without_a_visit(job_type: JobType) -> None:
    success = [code for code in codes.codes_for(job_type) if code.succeeds]
    offered = success + failures_of(job_type) + codes.without_visit(job_type)

    # Other reason is offered to the engineer and to the office
    every = [*codes.outcomes_of(job_type), OTHER]
    assert sorted(code.code for code in offered) == sorted(code.code for code in every)


def test_nobody_went_has_codes_of_its_own_for_installations_only() -> None:
    found = {job_type: [code.code for code in codes.without_visit(job_type)] for job_type in JobType}

    assert found == {
        JobType.INSTALLATION: ["MBORC", "FTA", "NTR", "OTHER"],
        JobType.REVISIT: ["OTHER"],
        JobType.EXTERNAL: ["OTHER"],
        JobType.CIVILS: ["OTHER"],
    }


@pytest.mark.parametrize("job_type", JobType)
def test_signs_ask_what_the_job_is_asked(job_type: JobType) -> None:
    asked = {question.code for question in configured_matrix().questions if job_type in question.job_types}
    signs = [sign for code in codes.codes_for(job_type) for sign in code.signs]

    assert {sign.question for sign in signs if not sign.fact} <= asked
    assert {sign.fact for sign in signs if not sign.question} <= {"light_outside", "ont_refused"}
    assert all(bool(sign.fact) != bool(sign.question and sign.equals) for sign in signs)


@given(st.text())
def test_any_other_code_is_other_reason(code: str) -> None:
    if code not in codes.list_codes():
        assert codes.find_code(code) is OTHER
        assert codes.find_code(code).secondaries == ()


@pytest.mark.parametrize("code", ["", "sp", "SP ", "XYZ", "OTHER", "CON01", "REV"])
def test_code_that_looks_like_another_is_other_reason(code: str) -> None:
    assert codes.find_code(code).description == "Other reason"


def test_every_code_has_trade_terms() -> None:
    assert [code.code for code in codes.list_codes().values() if not code.in_trade_words] == []
