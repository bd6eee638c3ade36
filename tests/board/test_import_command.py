"""manage.py import_data: what the import's pages do, for a system that hands over a file each night."""

from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from engineers.models import Area, AuditEntry, Engineer, Role
from tests import make

pytestmark = pytest.mark.django_db
ENGINEERS = (
    "user_name,name,staff_number,phone,areas,monday,tuesday,wednesday,thursday,friday,saturday,sunday\n"
)
AVA = "ava,Ava Ahmed,E-7,0113 496 0001,Leeds,08:00-16:00,08:00-16:00,,,,,\n"


@pytest.fixture
def supervisor() -> str:
    Area.objects.create(name="Leeds", postcodes="LS")
    return make.dispatcher(username="sue", role=Role.SUPERVISOR).username


def run(tmp_path: Path, text: str, *options: str, kind: str = "engineers") -> tuple[str, str]:
    """What it printed: output and problems."""
    file, output, problems = tmp_path / "people.csv", StringIO(), StringIO()
    file.write_text(text)
    try:
        call_command("import_data", kind, str(file), *options, stdout=output, stderr=problems)
    except CommandError as refused:
        problems.write(str(refused))
    return output.getvalue(), problems.getvalue()


def test_same_file_twice_has_one_effect(tmp_path: Path, supervisor: str) -> None:
    assert run(tmp_path, ENGINEERS + AVA, "--by", supervisor) == (
        "0 wrong, 0 changed, 1 new, 0 unchanged\n",
        "",
    )
    assert run(tmp_path, ENGINEERS + AVA, "--by", supervisor)[0].endswith("1 unchanged\n")

    ava = Engineer.objects.get(staff_number="E-7")
    assert ava.shifts.count() == 2
    assert AuditEntry.objects.get(action="hired", subject="ava").actor.username == "sue"


def test_check_says_what_each_row_would_do(tmp_path: Path, supervisor: str) -> None:
    output, problems = run(tmp_path, ENGINEERS + AVA, "--by", supervisor, "--check")
    assert (output.splitlines(), problems) == (
        ["line 2, Ava Ahmed: new", "0 wrong, 0 changed, 1 new, 0 unchanged"],
        "",
    )
    assert not Engineer.objects.exists()


def test_one_wrong_row_leaves_all_as_it_was(tmp_path: Path, supervisor: str) -> None:
    wrong = AVA.replace("ava,Ava Ahmed,E-7", "ben,Ben Brown,E-8").replace("Leeds", "Nowhere")
    output, problems = run(tmp_path, ENGINEERS + AVA + wrong, "--by", supervisor)
    assert "line 3, Ben Brown: " in problems
    assert "Nowhere" in problems
    assert "nothing was imported" in problems
    assert output == "1 wrong, 0 changed, 1 new, 0 unchanged\n"
    assert not Engineer.objects.exists()


def test_areas_come_the_same_way(tmp_path: Path, supervisor: str) -> None:
    assert run(tmp_path, "name,postcodes\nLeeds,LS1 LS2\nYork,YO\n", "--by", supervisor, kind="areas") == (
        "0 wrong, 1 changed, 1 new, 0 unchanged\n",
        "",
    )
    assert dict(Area.objects.values_list("name", "postcodes")) == {"Leeds": "LS1 LS2", "York": "YO"}


@pytest.mark.parametrize("file", ["", "nothing;like;it\n"])
def test_unreadable_file_is_refused_with_its_name(tmp_path: Path, supervisor: str, file: str) -> None:
    assert "people.csv: " in run(tmp_path, file, "--by", supervisor)[1]


def test_missing_file_is_refused_with_its_name(tmp_path: Path, supervisor: str) -> None:
    with pytest.raises(CommandError, match=r"none\.csv: No such file"):
        call_command("import_data", "engineers", str(tmp_path / "none.csv"), "--by", supervisor)


def test_only_who_may_do_it_on_the_page_is_named(tmp_path: Path, supervisor: str) -> None:
    dispatcher = make.dispatcher(username="dan").username
    assert "dan may not change the people" in run(tmp_path, ENGINEERS + AVA, "--by", dispatcher)[1]
    assert "no active user is called 'nobody'" in run(tmp_path, ENGINEERS + AVA, "--by", "nobody")[1]
    assert not Engineer.objects.exists()
