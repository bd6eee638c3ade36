"""Finding jobs by each thing that a caller may say, over all jobs and on each database."""

import dataclasses
from datetime import timedelta

import pytest

from dispatch import job_search, jobs, retention
from dispatch.job_pack import SiteAddress, SiteContact
from dispatch.models import Job, JobSearchText
from dispatch.states import JobState
from tests import make

pytestmark = pytest.mark.django_db
NEAR = make.at("10:00")
YEARS_LATER = NEAR + timedelta(days=800)


def known_job() -> Job:
    pack = make.pack(uprn="200098765432")
    address = SiteAddress(("Flat 3", "41 Saint Hilda's Mount"), "Łódź", "YO1 7HH")
    return jobs.create_job(
        pack=dataclasses.replace(
            pack,
            seller_job_id="S-KNOWN-1",
            buyer_order_reference="BX-7733",
            seller_order_reference="OQ-9921",
            premises=dataclasses.replace(pack.premises, address=address),
            contact=SiteContact("Zoë Brontë-O'Hara", "+44 (0)1904 555 321"),
            ont=dataclasses.replace(pack.ont, fsan="HWTC99AABBCC", serial_number="S7788990011"),
        )
    ).job


def found(text: str, *, now: object = YEARS_LATER, limit: int = 12) -> list[Job]:
    return job_search.find_jobs(job_search.read_terms(text), now=now, limit=limit)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        *("BX-7733", "bx7733", "7733", "oq-99", "200098765432", "2000987", "S-KNOWN-1", "known", "nown1"),
        *(
            "YO1 7HH",
            "yo17hh",
            "yo1",
            "YO",
            "7hh",
            "hilda",
            "saint hildas",
            "mount 41",
            "flat hilda's",
            "łódź",
        ),
        *("zoe", "Zoë", "bronte", "o'hara", "ohara", "bronte ohara", "Bronte-O'Hara", "zo"),
        *(
            "01904555321",
            "+44 1904 555321",
            "0044 1904-555-321",
            "441904555321",
            "1904 55",
            "(01904) 555 321",
        ),
        *("HWTC99AABBCC", "hwtc", "99aabb", "S7788990011", "zzzz, bx-7733", " 7733 ,,"),
    ],
)
def test_job_is_found_by(text: str) -> None:
    make.job()
    job = known_job()

    assert found(text) == [job]
    assert found(text, now=NEAR) == [job]


@pytest.mark.parametrize(
    ("stored", "typed"),
    [
        ("Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch",) * 2,
        ("Donaudampfschifffahrtsgesellschaft-Elektrizitätenhaus",) * 2,
        # a word of PostgreSQL's text search has 2046 bytes at most
        ("ł" * 60, "ł" * 1000),
    ],
    ids=["village", "compound", "bytes"],
)
def test_long_word_is_found_as_it_is_written(stored: str, typed: str) -> None:
    make.job()
    pack = make.pack()
    address = dataclasses.replace(pack.premises.address, town=stored)
    premises = dataclasses.replace(pack.premises, address=address)
    job = jobs.create_job(pack=dataclasses.replace(pack, premises=premises)).job

    assert found(typed) == [job]
    assert found(typed, now=NEAR) == [job]


@pytest.mark.parametrize("digits", [60, 1000])
def test_long_telephone_number_is_found_as_it_is_written(digits: int) -> None:
    make.job()
    pack = make.pack()
    contact = dataclasses.replace(pack.contact, phone="+44 " + "7" * 60)
    job = jobs.create_job(pack=dataclasses.replace(pack, contact=contact)).job

    assert found("0" + "7" * digits) == [job]


@pytest.mark.parametrize(
    # a number of a job is random: digits here are more than it has
    "text",
    [
        "",
        " ",
        "y",
        "zzzz",
        "hilda 888888888",
        '"',
        "'",
        "* OR *",
        "%",
        "_",
        "a:*&!",
        "\\",
        "\x00",
        "²³²³²³²³²³",
    ],
)
def test_nothing_is_found_by(text: str) -> None:
    known_job()

    assert (found(text), found(text, now=NEAR)) == ([], [])


@pytest.mark.parametrize("start", range(7))
def test_each_part_of_our_number_finds_a_job_of_long_ago(start: int) -> None:
    make.job()
    job = known_job()
    number = str(job).replace("-", "")

    assert job in found(number[start : start + 3])
    assert found(str(job).lower()) == [job]


def test_middle_of_a_word_is_found_in_the_jobs_of_these_days() -> None:
    job = known_job()

    assert (found("555321", now=NEAR), found("321", now=NEAR)) == ([job], [job])
    assert found("il", now=NEAR) == []


def test_scanned_device_is_found() -> None:
    job = make.job(at_state=JobState.ON_SITE)
    make.scan(job, fsan="CXNK00FEDCBA", serial_number="777700001111")

    assert (found("00fedc"), found("7777")) == ([job], [job])


def test_order_is_by_nearness_and_state() -> None:
    today, tomorrow = make.job(), make.job(day=make.DAY + timedelta(days=1))
    done = make.job(at_state=JobState.CANCELLED)
    later, past = make.job(day=make.DAY + timedelta(days=9)), make.job(day=make.DAY - timedelta(days=9))

    assert found("LS6", now=NEAR) == [today, tomorrow, done, later, past]
    assert found("LS6", now=NEAR, limit=4) == [today, tomorrow, done, later] or past in found(
        "LS6", now=NEAR, limit=4
    )


def test_limit_holds_for_what_all_jobs_have() -> None:
    for _ in range(5):
        make.job()

    assert [len(found("leeds", now=moment, limit=3)) for moment in (NEAR, YEARS_LATER)] == [3, 3]


def test_anonymised_job_is_found_by_what_stays() -> None:
    job = known_job()
    make.walk(job, at_state=JobState.CANCELLED)

    retention.anonymise_jobs(Job.objects.all())

    assert [found(text) for text in ("bronte", "01904555321", "hilda", "yo1", "2000987")] == [[]] * 5
    assert [found(text) for text in ("7733", "hwtc99", str(job))] == [[job]] * 3


def test_index_follows_the_words() -> None:
    """The triggers of SQLite are lost when a migration makes the table anew."""
    job = known_job()
    JobSearchText.objects.filter(job=job).update(keywords=" replaced")
    assert (found("replaced"), found("bronte")) == ([job], [])

    JobSearchText.objects.all().delete()
    assert found("replaced") == []


@pytest.mark.timeout(60)
@pytest.mark.parametrize("run", [" ", "\n", "a-", "4", "+44 ", "00 ", "é́ "], ids=repr)
def test_texts_without_end_are_stored_at_once(run: str) -> None:
    """A pack may be 1 MiB: what looks at its texts must not take the square of that, with the database locked."""
    text = run * (200_000 // len(run)) + "x"
    pack = make.pack()
    address = dataclasses.replace(pack.premises.address, lines=(text, *["12"] * 20_000), town=text)
    job = jobs.create_job(
        pack=dataclasses.replace(
            pack,
            service_identifier=text,
            premises=dataclasses.replace(pack.premises, address=address),
            contact=SiteContact(text, text, text),
            ont=dataclasses.replace(pack.ont, fsan=text, serial_number=text),
        )
    ).job

    assert len(JobSearchText.objects.get(job=job).keywords.split()) <= 500
    assert found(job.provider_job_id, now=job.window_start) == [job]
