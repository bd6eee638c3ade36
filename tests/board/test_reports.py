"""Looking back: figures, codes, missed appointments with whose fault it is, and CSV."""

from datetime import timedelta

import pytest
import time_machine

from board.reports import report_presenter
from board.reports.figures import build_group, mean_difference
from board.reports.report_presenter import Table, table_as_csv
from closures.fault_parties import FaultParty, party_of
from closures.models import Closure
from dispatch import jobs, visits
from dispatch.models import Job, JobEvent, RecordedForecast
from dispatch.states import EventKind, JobState
from engineers.models import Area, Engineer
from seller_link.models import OutboundMessage, OutboundState
from tests import make
from tests.board.office import signed_in

pytestmark = pytest.mark.django_db
FORM = "first=2026-11-01&last=2026-11-30"


def worked(engineer: Engineer, code: str, *, at: str = "08:10", failures: int = 0) -> Job:
    """A job of make.DAY that this engineer drove to, reached at that time and closed 30 minutes later."""
    arrived = make.at(at)
    with time_machine.travel(arrived - timedelta(minutes=20)):
        job = make.job(duration_minutes=15)
        start = max(make.at("08:00"), min(arrived, make.at("12:30")) - timedelta(minutes=10))
        visits.assign(job=job, engineer=engineer, starts_at=start, by=make.office())
        make.start_travel(job)
    with time_machine.travel(arrived):
        make.arrive(job)
        job.refresh_from_db()
        if code == "SP":
            make.scan(job, fsan=f"CXNK0000{job.pk:04}")
            for _ in range(failures):
                make.result(job, 3)
            make.result(job, 2)
        make.answer_all(job, code=code)
    with time_machine.travel(arrived + timedelta(minutes=30)):
        make.close(job, code)
    return job


def tables(query: str = FORM) -> dict[str, Table]:
    page = signed_in().get(f"/board/reports/?{query}").context["page"]
    return {table.key: table for table in page.tables}


def test_figures_of_a_day() -> None:
    engineer = make.engineer(name="Bea Okafor")
    worked(engineer, "SP", failures=1)
    worked(engineer, "RNA/NA", at="14:10")

    with time_machine.travel(make.at("20:00")):
        found = tables()

    row = found["figures"].rows[0]
    assert row[:4] == ["Mon 23 Nov", "2", "50 % (1/2)", "50 % (1/2)"]
    assert row[4:7] == ["20 min", "30 min", "1"]
    assert row[7].startswith("100 % (")
    assert {row[0]: row[3] for row in found["closures"].rows} == {"SP": "1", "RNA/NA": "1"}
    assert found["failures"].rows == [["Result 3: Failed, contact the order desk", "1"]]


def test_time_on_site_ends_when_the_phone_closed_and_leaves_out_what_was_sent_back() -> None:
    engineer = make.engineer()
    late, again = worked(engineer, "SP"), worked(engineer, "RNA/NA", at="09:10")
    late.visits.update(ended_at=make.at("17:00"))
    JobEvent.objects.filter(job=again, kind=EventKind.ON_SITE).update(kind=EventKind.SENT_BACK)
    again.visits.update(ended_at=make.at("18:00"))
    Closure.objects.filter(job=again).update(closed_at=make.at("18:00"))

    with time_machine.travel(make.at("20:00")):
        (row,) = tables()["figures"].rows

    assert row[5] == "30 min"


@pytest.mark.parametrize(("seconds", "text"), [(42, "42 s"), (59.7, "1 min"), (4512, "1 h 15")])
def test_message_delay_is_from_the_event_to_its_sending(seconds: float, text: str) -> None:
    job = worked(make.engineer(), "SP")
    for message in OutboundMessage.objects.select_related("event"):
        OutboundMessage.objects.filter(pk=message.pk).update(
            sent_at=message.event.occurred_at + timedelta(seconds=seconds), state=OutboundState.SENT
        )

    with time_machine.travel(make.at("20:00")):
        (row,) = tables()["figures"].rows

    assert job.outbound_messages.count() > 1
    assert row[8] == text


def test_closures_are_counted_by_area_where_the_report_is() -> None:
    leeds, nowhere = make.engineer(name="Bea Okafor"), make.engineer(name="Ali Khan")
    Engineer.objects.filter(pk=leeds.pk).update(area=Area.objects.create(name="Leeds"))
    for engineer, code in ((leeds, "SP"), (nowhere, "SP"), (nowhere, "RNA/NA")):
        worked(engineer, code, at="14:10" if code == "RNA/NA" else "08:10")

    with time_machine.travel(make.at("20:00")):
        closures = tables(f"{FORM}&by=area")["closures"]

    assert closures.head[0] == "Main area"
    assert sorted((row[0], row[1], row[-1]) for row in closures.rows) == [
        ("Leeds", "SP", "1"),
        ("No area", "RNA/NA", "1"),
        ("No area", "SP", "1"),
    ]


@pytest.mark.parametrize(
    ("language", "names"),
    [
        ("en", {"Service works (SP)", "No one home or no access (RNA/NA)"}),
        ("de", {"Anschluss läuft (SP)", "Niemand da oder kein Zutritt (RNA/NA)"}),
    ],
)
def test_closures_have_the_words_of_the_reader(language: str, names: set[str]) -> None:
    engineer = make.engineer()
    worked(engineer, "SP", at="08:10")
    failed = worked(engineer, "RNA/NA", at="14:10")

    with time_machine.travel(make.at("20:00")):
        office = signed_in()
        headers = {"Accept-Language": language}
        page = office.get(f"/board/reports/?{FORM}", headers=headers).context["page"]
        job_page = office.get(f"/board/jobs/{failed}/", headers=headers).content.decode()

    assert {bar.label for bar in page.charts[-1].bars} == names
    missed = next(table for table in page.tables if table.key == "missed")
    assert [row[3] for row in missed.rows] == [name for name in names if "RNA/NA" in name]
    described = {"en": "No Access (Rectifiable)", "de": "Kein Zutritt (behebbar)"}
    assert described.pop(language) in job_page
    assert not [text for text in described.values() if text in job_page]


@pytest.mark.parametrize(
    ("by", "labels"),
    [
        ("day", ["Mon 23 Nov"]),
        ("engineer", ["Ali Khan", "Bea Okafor"]),
        ("area", ["No area"]),
        ("job_type", ["Installation"]),
    ],
)
def test_figures_are_grouped(by: str, labels: list[str]) -> None:
    for name in ("Bea Okafor", "Ali Khan"):
        make.job(at_state=JobState.ASSIGNED, to=make.engineer(name=name))

    assert [row[0] for row in tables(f"{FORM}&by={by}")["figures"].rows] == labels


def test_filter_by_engineer_and_type() -> None:
    bea, ali = make.engineer(name="Bea Okafor"), make.engineer(name="Ali Khan")
    make.job(at_state=JobState.ASSIGNED, to=bea)
    make.job(at_state=JobState.ASSIGNED, to=ali)

    only = tables(f"{FORM}&by=engineer&engineer={bea.pk}")["figures"].rows
    assert [row[0] for row in only] == ["Bea Okafor"]
    assert tables(f"{FORM}&job_type=civils") == {}


def test_missed_appointments_say_whose_fault_and_what_proves_it() -> None:
    engineer = make.engineer(name="Bea Okafor")
    nobody_home = worked(engineer, "RNA/NA")
    late = worked(engineer, "SP", at="13:30")
    not_reached = make.job(at_state=JobState.ASSIGNED, to=make.engineer())

    with time_machine.travel(make.at("20:00")):
        table = tables()["missed"]

    rows = {row[0]: row for row in table.rows}
    # “Fault” is the name of a kind of job
    assert table.head[4] == "At fault"
    assert rows.keys() == {str(nobody_home), str(late), str(not_reached)}
    assert rows[str(nobody_home)][4] == "End user"
    assert rows[str(nobody_home)][5].startswith("On site Mon 23 Nov 08:10, photos: ")
    assert (rows[str(late)][4], rows[str(not_reached)][5]) == ("Seller's side", "Nobody on site, photos: 0")


def test_missed_appointments_have_those_that_nobody_was_assigned_to() -> None:
    never, taken_off, failed, closed_late = (make.job() for _ in range(4))
    engineer = make.engineer()
    visits.assign(job=taken_off, engineer=engineer, starts_at=make.at("08:00"), by=make.office())
    visits.unassign(job=taken_off, by=make.office(), reason="Van broke down")
    make.close_without_visit(failed, "MBORC", closed_at=make.at("07:30"))
    make.close_without_visit(closed_late, closed_at=make.at("14:00"))
    in_time, cancelled = make.job(), make.job()
    make.close_without_visit(in_time, closed_at=make.at("07:30"))
    jobs.cancel_job(job=cancelled)

    def missed(clock: str, query: str = FORM) -> dict[str, list[str]]:
        with time_machine.travel(make.at(clock)):
            found = tables(query)
        return {row[0]: row[2:] for row in found["missed"].rows} if "missed" in found else {}

    nobody = ["–", "", "Seller's side", "Nobody on site, photos: 0"]
    found = missed("20:00")
    assert found.keys() == {str(never), str(taken_off), str(failed), str(closed_late)}
    assert (found[str(never)], found[str(taken_off)]) == (nobody, nobody)
    assert found[str(failed)][2] == "Beyond reasonable control (MBORC)"
    assert found[str(closed_late)][1:3] == ["No visit needed (NTR)", "Seller's side"]
    assert str(never) not in missed("12:00")
    assert missed("20:00", f"{FORM}&engineer={engineer.pk}") == {}
    with time_machine.travel(make.at("20:00")):
        file = signed_in().get(f"/board/reports/missed.csv?{FORM}").content.decode()
    assert len(file.splitlines()) == 1 + len(found)


def test_area_of_a_job_that_nobody_had_is_that_of_its_postcode() -> None:
    leeds, york = (
        Area.objects.create(name=name, postcodes=code) for name, code in (("Leeds", "LS"), ("York", "YO"))
    )
    job = make.job()

    with time_machine.travel(make.at("20:00")):
        assert [row[0] for row in tables(f"{FORM}&area={leeds.pk}")["missed"].rows] == [str(job)]
        assert "missed" not in tables(f"{FORM}&area={york.pk}")


def test_file_has_missed_appointments_that_the_page_leaves_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(report_presenter, "MOST_MISSED", 1)
    older = make.job(at_state=JobState.ASSIGNED)
    newest = make.job(at_state=JobState.ASSIGNED)

    with time_machine.travel(make.at("20:00")):
        page = tables()["missed"]
        file = signed_in().get(f"/board/reports/missed.csv?{FORM}").content.decode()

    assert [row[0] for row in page.rows] == [str(newest)]
    assert "the newest 1 at most" in page.hint
    assert [line.split(",")[0] for line in file.splitlines()[1:]] == [str(newest), str(older)]


def reached(job: Job, at: str) -> None:
    job.visits.update(arrived_at=make.at(at))


def test_agreed_start_is_in_time_and_missed_after_it() -> None:
    punctual, late, absent = (make.agreed_job("15:00") for _ in range(3))
    reached(punctual, "15:05")
    reached(late, "16:00")

    def missed(clock: str) -> set[str]:
        with time_machine.travel(make.at(clock)):
            return {row[0] for row in tables()["missed"].rows}

    assert missed("14:50") == {str(late)}
    assert missed("17:00") == {str(late), str(absent)}
    with time_machine.travel(make.at("17:00")):
        # whom nobody came to counts once his time is over
        assert tables()["figures"].rows[0][2] == "33 % (1/3)"


def test_window_that_somebody_kept_is_not_missed_by_who_goes_on() -> None:
    in_time, late = (make.job(at_state=JobState.ON_SITE, to=make.engineer(name="Ali Khan")) for _ in range(2))
    reached(in_time, "09:00")
    reached(late, "13:10")
    for job in (in_time, late):
        visits.assign(job=job, engineer=make.engineer(), starts_at=make.at("14:00"), by=make.office())

    def missed(clock: str) -> set[str]:
        with time_machine.travel(make.at(clock)):
            return {row[0] for row in tables()["missed"].rows}

    assert missed("13:55") == {str(late)}
    for job in (in_time, late):
        visit = job.visits.active().get()
        visit.arrived_at = make.at("14:05")
        visit.save()
        RecordedForecast.objects.create(
            visit=visit, hour=make.at("09:00"), planned_start=visit.planned_start, probability=1.0
        )
    assert missed("14:10") == {str(late)}
    with time_machine.travel(make.at("14:10")):
        found = tables()
    assert found["figures"].rows[0][2] == "50 % (1/2)"
    assert [row[-1] for row in found["forecasts"].rows] == ["1"]


@pytest.mark.parametrize(
    ("code", "party"),
    [
        ("SP", None),
        ("NTR", None),
        ("EXTHAZ", FaultParty.HAZARD),
        ("REVNA", FaultParty.END_USER),
        ("MBORC", FaultParty.MBORC),
        ("FTA", FaultParty.SELLER),
        ("POP", FaultParty.SELLER),
        ("NEW-CODE", FaultParty.SELLER),
    ],
)
def test_each_code_has_its_party(code: str, party: FaultParty | None) -> None:
    assert party_of(code) is party


@pytest.mark.parametrize("key", ["figures", "closures", "failures", "missed"])
def test_each_table_comes_as_csv(key: str) -> None:
    make.job(at_state=JobState.ASSIGNED)

    answer = signed_in().get(f"/board/reports/{key}.csv?{FORM}")

    assert answer.headers["Content-Disposition"].endswith(f'"{key}_2026-11-01_2026-11-30.csv"')
    assert answer.content.decode().startswith("\ufeff")
    assert signed_in().get("/board/reports/nothing.csv").status_code == 404


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t"])
def test_csv_keeps_a_formula_as_text(start: str) -> None:
    table = Table("k", "K", ["Name"], [[f"{start}HYPERLINK(1)"]], "")

    assert table_as_csv(table).decode().splitlines()[1].strip('"').startswith(f"'{start}")


@pytest.mark.parametrize(
    "query",
    [
        "first=2026-11-30&last=2026-11-01",
        "first=x&last=y",
        "first=2020-01-01&last=2026-01-01",
        "first=0001-01-01&last=0001-01-01",
        "first=9999-12-31&last=9999-12-31",
        "by=moon",
    ],
)
def test_wrong_filter_is_shown_with_its_errors(query: str) -> None:
    page = signed_in().get(f"/board/reports/?{query}").context["page"]

    assert page.tables == []
    assert page.form.errors
    assert signed_in().get(f"/board/reports/figures.csv?{query}").status_code == 302


@pytest.mark.parametrize("rows", [1, 3])
def test_report_costs_the_same_for_one_row_and_for_three(
    rows: int, django_assert_num_queries: object
) -> None:
    for _ in range(rows):
        make.job(at_state=JobState.ASSIGNED, to=make.engineer())
    client = signed_in()

    with django_assert_num_queries(18):  # type: ignore[operator]
        client.get(f"/board/reports/?{FORM}")


def test_forecasts_are_compared_with_what_happened() -> None:
    engineer = make.engineer()
    for at, probability in (("08:10", 0.92), ("13:20", 0.15)):
        visit = worked(engineer, "RNA/NA", at=at).visits.get()
        RecordedForecast.objects.create(
            visit=visit, hour=make.at("08:00"), planned_start=visit.planned_start, probability=probability
        )
        moved_later = {"visit": visit, "hour": make.at("07:00"), "planned_start": make.at("05:00")}
        RecordedForecast.objects.create(**moved_later, probability=0.5)

    with time_machine.travel(make.at("20:00")):
        found = tables()["forecasts"]

    assert found.rows == [["10–20 %", "15 %", "0 %", "1"], ["90–100 %", "92 %", "100 %", "1"]]
    assert "11.5 points" in found.hint


def test_form_shows_the_four_weeks_that_nobody_asked_for_as_a_browser_reads_them() -> None:
    with time_machine.travel(make.at("20:00")):
        page = signed_in().get("/board/reports/").content.decode()

    assert 'value="2026-10-27"' in page
    assert 'value="2026-11-23"' in page


def test_calibration_compares_what_was_forecast_with_what_happened() -> None:
    likely, certain = build_group(8, 100, 80.0, 80), build_group(9, 20, 20.0, 20)
    groups = [likely, certain]

    assert [
        (group.lowest, group.number, round(group.forecast), round(group.happened)) for group in groups
    ] == [
        (80, 100, 80, 80),
        (90, 20, 100, 100),
    ]
    assert mean_difference(groups) == pytest.approx(0)
    assert mean_difference([]) == 0
