"""Engineers from a CSV file: nothing before the confirmation, all or nothing, and the second time changes nothing."""

import re
from dataclasses import replace

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client

from board.people.engineer_import import COLUMNS, export_csv, plan_import
from board.spreadsheets import decode
from closures.safe_csv import UnreadableSheet, read_csv
from engineers.engineer_records import read_record, update_engineer
from engineers.models import Area, AuditEntry, Engineer, Role, Skill, User
from engineers.office_accounts import AccountRefused
from tests import make
from tests.board.test_people import client_of

pytestmark = pytest.mark.django_db
HEADER = "user_name;name;staff_number;phone;areas;skills;latitude;longitude;" + ";".join(COLUMNS[10:24])
WEEK = "08:00-16:00;" * 5 + ";;"
ERIN = f"erin;Erin Moss;E900;07700 900123;Leeds;mdu 31.03.2027, civils;53,8;-1,55;{WEEK}" + ";" * 6
OWEN = "owen;Owen Ash;E901;07700 900124;;;;;06-14;6-14;;;;;;14-22;14-22;;;;;"


@pytest.fixture
def ruth() -> Client:
    Area.objects.create(name="Leeds")
    for code in ("mdu", "civils"):
        Skill.objects.create(code=code, name=code)
    return client_of(make.dispatcher(username="ruth", role=Role.SUPERVISOR))


def upload(client: Client, *lines: str, encoding: str = "utf-8-sig") -> HttpResponse:
    content = "\r\n".join(lines).encode(encoding)
    return client.post("/board/people/import/", {"file": SimpleUploadedFile("e.csv", content)})


def confirm(client: Client, preview: HttpResponse) -> HttpResponse:
    """As the browser sends the form of the preview."""
    page = preview.context["page"]
    return client.post("/board/people/import/", {"content": page.content, "digest": page.plan.digest})


def kinds(preview: HttpResponse) -> list[str]:
    return [row.kind for row in preview.context["page"].plan.rows]


def problems(preview: HttpResponse) -> list[str]:
    return [problem for row in preview.context["page"].plan.rows for problem in row.problems]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_file_is_looked_at_then_imported_and_the_second_time_changes_nothing(
    ruth: Client, encoding: str
) -> None:
    preview = upload(ruth, HEADER, ERIN.replace("Moss", "Müller"), OWEN, "", encoding=encoding)
    assert kinds(preview) == ["new", "new"]
    assert not Engineer.objects.exists()

    assert confirm(ruth, preview).headers["Location"] == "/board/people/"

    erin, owen = Engineer.objects.order_by("staff_number")
    assert (erin.name, erin.area.name, erin.home_latitude, erin.home_longitude) == (
        "Erin Müller",
        "Leeds",
        53.8,
        -1.55,
    )
    assert read_record(erin).skills[0] == ("civils", None)
    assert str(read_record(erin).skills[1][1]) == "2027-03-31"
    assert (erin.shifts.count(), owen.shifts.count()) == (5, 4)
    assert {shift.week for shift in owen.shifts.all()} == {1, 2}
    again = upload(ruth, HEADER, ERIN.replace("Moss", "Müller"), OWEN, encoding=encoding)
    assert kinds(again) == ["unchanged", "unchanged"]
    assert "nothing to import" in again.content.decode()


def test_engineer_is_known_by_staff_number_or_user_name_and_missing_columns_stay(ruth: Client) -> None:
    confirm(ruth, upload(ruth, HEADER, ERIN, OWEN))

    preview = upload(ruth, "staff_number,phone", "e900,111", "E901,222")
    assert kinds(preview) == ["changed", "changed"]
    confirm(ruth, preview)
    confirm(ruth, upload(ruth, "user_name\tname", "ERIN\tErin Marsh"))

    erin = Engineer.objects.get(user__username="ERIN")
    assert (erin.phone, erin.name, erin.shifts.count(), erin.held_skills.count()) == (
        "111",
        "Erin Marsh",
        5,
        2,
    )


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        (("E900", ""), "Staff number: This field is required."),
        (("erin", "er in"), "User name: Enter a valid username."),
        (("erin", "ruth"), "Somebody else has this user name."),
        (("erin", "owen"), "An earlier row has the same"),
        (("E900", "E901"), "An earlier row has the same"),
        (("Leeds", "Atlantis"), "Main area: Select a valid choice."),
        (("mdu 31", "flying 31"), "“flying 31.03.2027” is not a skill"),
        (("31.03.2027", "soon"), "mdu: last day: Enter a valid date."),
        (("53,8", "153,8"), "Latitude: "),
        (("08:00-16:00", "16-8"), "Monday: “16-8”"),
    ],
)
def test_one_wrong_row_stops_the_whole_file(ruth: Client, changed: tuple[str, str], sentence: str) -> None:
    preview = upload(ruth, HEADER, OWEN, ERIN.replace(*changed, 1))

    assert kinds(preview) == ["new", "wrong"]
    assert sentence in " ".join(problems(preview)).replace("Multi-dwelling units", "mdu")
    assert confirm(ruth, preview).status_code == 400
    assert not Engineer.objects.exists()


def test_address_is_imported_and_is_one_person_s(ruth: Client) -> None:
    make.dispatcher(username="olga")
    User.objects.filter(username="olga").update(email="olga@partner.example")
    confirm(ruth, upload(ruth, HEADER, ERIN, OWEN))

    refusal = "Somebody else has this e-mail address. Enter a different one."
    for address, sentence in (
        ("Olga@partner.example", refusal),
        ("erin at partner", "E-mail: Enter a valid email address."),
    ):
        preview = upload(ruth, "staff_number;email", f"E900;{address}")
        assert problems(preview) == [sentence]
    twice = upload(ruth, "staff_number;email", "E900;e@partner.example", "E901;E@partner.example")
    assert problems(twice) == ["An earlier row has the same e-mail address."]
    preview = upload(ruth, "staff_number;email", "E900;erin@partner.example", "E901;")
    rows = preview.context["page"].plan.rows
    assert [[change.text for change in row.changes] for row in rows] == [
        ["E-mail: – → erin@partner.example"],
        [],
    ]
    confirm(ruth, preview)

    assert User.objects.get(username="erin").email == "erin@partner.example"
    entry = AuditEntry.objects.get(action="engineer_changed")
    assert (entry.subject, entry.after) == ("erin", {"fields": ["email"]})
    assert kinds(upload(ruth, *export_csv().decode("utf-8-sig").splitlines())) == ["unchanged"] * 2
    swapped = upload(ruth, "staff_number;email", "E901;erin@partner.example")
    assert problems(swapped) == [refusal]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"\r\n", "The first line must name the columns."),
        (b"name;shoe size\r\nErin;5", "Unknown columns: shoe_size."),
        (b"name;name\r\nErin;5", "named twice"),
        (b"name\r\nErin;5", "Line 2 has more cells"),
        (b"PK\x03\x04\0\0\xff\xfe", "This is not a text file."),
        (b"name\r\n" + b"x\r\n" * 1001, "more than 1000 rows"),
        (b"x" * 500_001, "larger than 500 kB"),
        (b'name\r\n"Erin' + b"x" * 140_000, "can&#x27;t be read as CSV"),
    ],
)
def test_file_that_is_none_is_refused(ruth: Client, content: bytes, sentence: str) -> None:
    answer = ruth.post("/board/people/import/", {"file": SimpleUploadedFile("e.csv", content)})

    assert answer.status_code == 400
    assert sentence in answer.content.decode()


def test_engineer_who_changed_since_the_preview_is_looked_at_again(ruth: Client) -> None:
    confirm(ruth, upload(ruth, HEADER, ERIN, OWEN))
    preview = upload(ruth, "staff_number;phone", "E900;111", "E901;222")
    Engineer.objects.filter(staff_number="E901").update(phone="333")

    answer = confirm(ruth, preview)

    assert answer.status_code == 409
    assert "Nothing was imported" in answer.content.decode()
    assert set(Engineer.objects.values_list("phone", flat=True)) == {"07700 900123", "333"}
    assert confirm(ruth, answer).status_code == 302


def test_superuser_is_changed_by_no_file_of_somebody_else(ruth: Client) -> None:
    confirm(ruth, upload(ruth, HEADER, ERIN, OWEN))
    User.objects.filter(username="erin").update(is_superuser=True)
    refusal = "You may not change this account. Remove the row, or ask a superuser to import the file."

    refused = upload(ruth, "staff_number;email", "E900;evil@partner.example", "E901;")
    assert (kinds(refused), problems(refused)) == (["wrong", "unchanged"], [refusal])
    assert confirm(ruth, refused).status_code == 400
    assert kinds(upload(ruth, "staff_number;phone", "E900;07700 900123", "E901;222")) == [
        "unchanged",
        "changed",
    ]
    User.objects.filter(username="ruth").update(is_superuser=True)
    assert confirm(ruth, upload(ruth, "staff_number;email", "E900;erin@partner.example")).status_code == 302
    assert User.objects.get(username="erin").email == "erin@partner.example"


def test_superuser_s_record_is_changed_by_a_superuser_only(ruth: Client) -> None:
    confirm(ruth, upload(ruth, HEADER, ERIN))
    erin = Engineer.objects.get(staff_number="E900")
    User.objects.filter(pk=erin.user_id).update(is_superuser=True)
    stored = read_record(erin)
    record = replace(stored, username="mine")

    with pytest.raises(AccountRefused):
        update_engineer(engineer=erin, record=record, version=stored.version, by=make.dispatcher())
    assert User.objects.get(pk=erin.user_id).username == "erin"


def test_template_names_every_column(ruth: Client) -> None:
    answer = ruth.get("/board/people/import/template.csv")

    assert answer.content.startswith(b"\xef\xbb\xbf")
    assert answer.content.decode("utf-8-sig").strip().split(";") == COLUMNS
    assert "attachment" in answer.headers["Content-Disposition"]


def test_export_holds_no_formula_and_is_read_back_as_it_was(ruth: Client) -> None:
    confirm(ruth, upload(ruth, HEADER, ERIN, OWEN))
    Engineer.objects.filter(staff_number="E900").update(
        phone="+44 7700 900123", home_address="=cmd|'/c calc'!A1"
    )

    text = ruth.get("/board/people/export.csv").content.decode("utf-8-sig")

    assert "'=cmd" in text
    assert "'+44 7700" in text
    assert not re.search(r'(^|;)"?[=+@]', text, re.M)
    assert AuditEntry.objects.get(action="engineers_exported").actor == User.objects.get(username="ruth")
    assert {row.kind for row in plan_import(decode(export_csv()), make.dispatcher()).rows} == {"unchanged"}


def test_line_break_in_an_address_is_a_blank_whatever_the_browser_makes_of_it(ruth: Client) -> None:
    header, row = f"{HEADER};home_address", f'{ERIN};"1 High Street\nLeeds"'
    preview = upload(ruth, header, row)
    page = preview.context["page"]

    content = page.content.replace("\r\n", "\n").replace("\n", "\r\n")
    ruth.post("/board/people/import/", {"content": content, "digest": page.plan.digest})

    assert Engineer.objects.get(staff_number="E900").home_address == "1 High Street Leeds"
    assert kinds(upload(ruth, header, row)) == ["unchanged"]


def test_number_of_queries_does_not_grow_with_the_rows(
    ruth: Client, django_assert_num_queries: object
) -> None:
    rows = [f"u{number};Erin Moss;N{number};1;Leeds;mdu;;;{WEEK}" + ";" * 6 for number in range(30)]
    text = "\n".join([HEADER, *rows])

    by = make.dispatcher()
    with django_assert_num_queries(4):
        plan_import(text, by)


def test_dispatchers_do_not_import() -> None:
    client = client_of(make.dispatcher())

    for path in ("import/", "import/template.csv", "export.csv"):
        assert client.get(f"/board/people/{path}").status_code == 403


def test_line_is_named_where_a_row_begins_and_where_a_quotation_mark_is_open() -> None:
    header, broken = "staff_number,name", 'E1,"a\nb"\nE2,c\n'

    assert [line for line, _cells in read_csv(f"{header}\n{broken}")] == [1, 2, 4]
    with pytest.raises(UnreadableSheet, match="Line 3: a quotation mark is not closed"):
        list(read_csv(f'{header}\nE1,a\nE2,"b\nE3,c\nE4,d\n'))
