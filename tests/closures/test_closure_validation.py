"""What blocks a closure: codes, locations and provisioning, each rule as a table."""

from dataclasses import replace

import pytest

from closures import closure_validation, codes
from dispatch.states import JobState, JobType
from tests.closures.finished import DONE, found


def test_finished_work_has_nothing_in_its_way() -> None:
    assert found(DONE) == []


@pytest.mark.parametrize("job_type", JobType)
@pytest.mark.parametrize("code", codes.list_codes())
def test_code_fits_its_own_job_type_only(job_type: JobType, code: str) -> None:
    problems = found(replace(DONE, job_type=job_type, code=code))

    fits = codes.find_code(code) in codes.codes_for(job_type)
    assert (("wrong_family", "closure") in problems) == (not fits)


@pytest.mark.parametrize("job_type", JobType)
def test_other_reason_fits_every_job_type_and_needs_remarks(job_type: JobType) -> None:
    finding = replace(DONE, job_type=job_type, code="OTHER")

    assert found(finding) == [("remarks_missing", "remarks")]
    assert found(replace(finding, remarks="Flood")) == []


@pytest.mark.parametrize("code", ["XYZ", "sp", "CON01", "REV", "OTHER\n", "other"])
def test_any_other_text_is_no_closure_code(code: str) -> None:
    assert found(replace(DONE, code=code, remarks="Flood")) == [("unknown_code", "closure")]


@pytest.mark.parametrize(
    ("job_type", "text"),
    [
        (JobType.INSTALLATION, "REVCON doesn't fit this job type. Choose a code without REV, EXT or CIV."),
        (JobType.EXTERNAL, "REVCON doesn't fit this job type. Choose a code that starts with EXT."),
        (JobType.CIVILS, "REVCON doesn't fit this job type. Choose a code that starts with CIV."),
    ],
)
def test_wrong_family_says_which_codes_fit(job_type: JobType, text: str) -> None:
    problem = closure_validation.closure_problems(replace(DONE, job_type=job_type, code="REVCON"))[0]

    assert (problem.code, problem.message) == ("wrong_family", text)


@pytest.mark.parametrize(
    ("code", "secondary_code", "expected"),
    [
        ("CON", "", ["secondary_missing"]),
        ("POP", "", ["secondary_missing"]),
        ("CON", "CON09", []),
        ("POP", "POP03", []),
        ("CON", "POP01", ["secondary_of_another_code"]),
        ("POP", "CON01", ["secondary_of_another_code"]),
        ("CON", "CON10", ["secondary_of_another_code"]),
        ("CON", "con01", ["secondary_of_another_code"]),
        ("HAZ", "CON01", ["secondary_of_another_code"]),
        ("HAZ", "", []),
        ("ONT", "REVONT01", ["secondary_of_another_code"]),
        ("OTHER", "CON01", ["secondary_of_another_code"]),
        ("OTHER", "", []),
    ],
)
def test_secondary_belongs_to_its_code(code: str, secondary_code: str, expected: list[str]) -> None:
    problems = closure_validation.closure_problems(replace(DONE, code=code, secondary_code=secondary_code))

    assert [problem.code for problem in problems if problem.where == "secondary"] == expected


@pytest.mark.parametrize(
    ("job_type", "code"),
    [
        (job_type, code.code)
        for job_type in JobType
        for code in codes.codes_for(job_type)
        if code.secondaries and not code.secondary_required
    ],
)
def test_listed_secondary_may_be_given_and_may_be_left_out(job_type: JobType, code: str) -> None:
    finding = replace(DONE, job_type=job_type, code=code)
    listed = [secondary.code for secondary in codes.find_code(code).secondaries]

    assert [found(replace(finding, secondary_code=secondary)) for secondary in ["", *listed]] == [[]] * (
        len(listed) + 1
    )


@pytest.mark.parametrize(
    ("job_type", "code", "scanned", "provisioned", "expected"),
    [
        (JobType.INSTALLATION, "SP", False, False, [("not_scanned", "scan")]),
        (JobType.INSTALLATION, "SP", True, False, [("not_provisioned", "provisioning")]),
        (JobType.INSTALLATION, "SP", True, True, []),
        (JobType.REVISIT, "REVCOMP", False, False, []),
        (JobType.REVISIT, "REVCOMP", True, False, [("not_provisioned", "provisioning")]),
        (JobType.REVISIT, "REVCOMP", True, True, []),
        (JobType.EXTERNAL, "EXTCOMP", False, False, []),
        (JobType.EXTERNAL, "EXTCOMP", True, False, []),
        (JobType.CIVILS, "CIVCOMP", False, False, []),
        (JobType.CIVILS, "CIVCOMP", True, False, []),
        (JobType.INSTALLATION, "PSP", True, False, []),
        (JobType.INSTALLATION, "ONT", True, False, []),
        (JobType.REVISIT, "REVONT", True, False, []),
        (JobType.INSTALLATION, "OTHER", False, False, []),
    ],
)
def test_service_works_only_when_the_ont_is_provisioned(
    job_type: JobType, code: str, scanned: bool, provisioned: bool, expected: list[tuple[str, str]]
) -> None:
    finding = replace(DONE, job_type=job_type, code=code, scanned=scanned, provisioned=provisioned)

    assert [problem for problem in found(finding) if problem[1] in {"scan", "provisioning"}] == expected


ABSENT = [state for state in JobState if state != JobState.ON_SITE]


@pytest.mark.parametrize("state", ABSENT)
@pytest.mark.parametrize("code", ["SP", "HAZ", "RNA/NA", "OTHER"])
def test_what_was_found_on_site_needs_somebody_there(state: JobState, code: str) -> None:
    assert ("not_on_site", "arrive") in found(replace(DONE, state=state, code=code))


@pytest.mark.parametrize("state", ABSENT)
@pytest.mark.parametrize("code", ["NTR", "MBORC", "FTA"])
def test_nobody_went_needs_only_a_reason(state: JobState, code: str) -> None:
    finding = replace(DONE, state=state, code=code, answers={}, scanned=False, provisioned=False)

    assert found(finding) == [("remarks_missing", "remarks")]
    assert found(replace(finding, remarks=" \n")) == [("remarks_missing", "remarks")]
    assert found(replace(finding, remarks="Snow")) == []


@pytest.mark.parametrize("code", ["NTR", "MBORC", "FTA"])
def test_no_visit_is_not_an_outcome_on_site(code: str) -> None:
    assert found(replace(DONE, code=code, remarks="Snow")) == [("engineer_on_site", "closure")]
