"""The two values on an ONT's label: FSAN (4 letters, 8 hex digits) and the maker's serial number."""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import zip_longest
from operator import attrgetter
from pathlib import Path
from typing import Any

from django.db.models import F, Min, OuterRef, QuerySet, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from dispatch.models import Job, OntScan, ProvisioningResult
from dispatch.problems import ActionRefused, Problem
from dispatch.states import ENDED_STATES, OPEN_STATES, EventKind

FSAN = re.compile(r"[A-Z]{4}[0-9A-F]{8}")
FSAN_PREFIX = re.compile(r"[A-Z]{4}")
FSAN_AS_HEX = re.compile(r"[0-9A-F]{16}")
SERIAL_NUMBER = re.compile(r"[A-Z0-9\-]{4,40}")
VENDOR_FILE = Path(__file__).parent / "data" / "vendors.json"
# what the four letters stand for; the phone reads the same file (phone/pwa.py)
VENDORS: dict[str, str] = {
    prefix: vendor["name"] for prefix, vendor in json.loads(VENDOR_FILE.read_text())["vendors"].items()
}
VALUE_NAMES = {"fsan": gettext_lazy("FSAN"), "serial_number": gettext_lazy("Serial number")}
# more differing characters are another device, not a slip
MAX_DIFFERENCES = 3
SUCCESSFUL_RESULTS = frozenset({1, 2})
RETRY_RESULT = 4
# the engineer cannot go on alone (installation-jobs.md, ONT provisioning results)
FAILED_RESULTS = frozenset({3, 5, 6, 7})
RETRY_AFTER, RETRY_WINDOW = timedelta(minutes=5), timedelta(minutes=3)
# the device that was recorded last counts
scan_order = attrgetter("recorded_at")
CLOCK_TOLERANCE = timedelta(minutes=1)
# a clock that is so much ahead at most still tells what came before what
MOST_AHEAD = timedelta(minutes=15)
RESULT_ORDER = ("counts_from", "recorded_at", "pk")
NEWEST_FIRST = tuple(f"-{name}" for name in RESULT_ORDER)


class BadScan(ActionRefused):
    """The values cannot be from an ONT's label, or the device is on another of our open jobs."""


@dataclass(frozen=True)
class LabelReading:
    fsan: str
    serial_number: str


def normalize_code(text: str) -> str:
    """Upper case without the blanks, dashes and colons that people and labels put in between."""
    return re.sub(r"[\s:\-]", "", text).upper()


def normalize_serial_number(text: str) -> str:
    """Upper case without blanks, by which a label only groups it; dashes belong to it."""
    return re.sub(r"\s", "", text).upper()


def turn_hex_fsan(text: str) -> str:
    """`43584E4B12345678` is CXNK12345678 with its four letters written as ASCII codes; else unchanged."""
    if not FSAN_AS_HEX.fullmatch(text):
        return text
    try:
        prefix = bytes.fromhex(text[:8]).decode("ascii")
    except UnicodeDecodeError:
        return text
    return prefix + text[8:] if FSAN_PREFIX.fullmatch(prefix) else text


def fsan_problems(fsan: str) -> list[Problem]:
    """Why this is not an FSAN, character by character where that helps."""
    if FSAN.fullmatch(fsan):
        return []
    if len(fsan) != 12:
        sentence = _("An FSAN has 12 characters; this has %(length)s.")
        return [_fsan_problem(sentence % {"length": len(fsan)})]
    if not FSAN_PREFIX.match(fsan):
        sentence = _("An FSAN begins with four letters; this begins with %(start)s.")
        return [_fsan_problem(sentence % {"start": fsan[:4]})]
    wrong = "".join(dict.fromkeys(character for character in fsan[4:] if character not in "0123456789ABCDEF"))
    sentence = _("The last eight characters must be 0 to 9 or A to F; %(wrong)s is not.")
    hint = _("Letter O is often digit 0.") if "O" in wrong else ""
    return [_fsan_problem(f"{sentence % {'wrong': ' '.join(wrong)}} {hint}".strip())]


def _fsan_problem(message: str) -> Problem:
    return Problem("bad_fsan", "fsan", message)


def serial_number_problems(serial_number: str) -> list[Problem]:
    """The seller asks for both values (job-messages.md, ontScanned), so an empty one would only come back."""
    if SERIAL_NUMBER.fullmatch(serial_number):
        return []
    wrong = " ".join(dict.fromkeys(re.sub(r"[A-Z0-9\-]", "", serial_number)))
    if wrong:
        sentence = _("A serial number has only letters A to Z, digits and dashes; %(wrong)s is not.")
        return [Problem("bad_serial_number", "serial_number", sentence % {"wrong": wrong})]
    message = _("Enter the serial number from the label (S/N): 4 to 40 letters and digits.")
    return [Problem("bad_serial_number", "serial_number", message)]


@dataclass(frozen=True)
class Difference:
    """One character that is not the expected one: `at` counts from 1; "" for a character too few."""

    at: int
    read: str
    expected: str


def differences(value: str, expected: str) -> list[Difference]:
    """Where two values of a label differ, by character; none where nothing is expected.

    static/js/phone/app/label_validation.js does the same, by tests/data/typed_label_vectors.json.
    """
    read, wanted = _bare(value), _bare(expected)
    if not wanted:
        return []
    pairs = enumerate(zip_longest(read, wanted, fillvalue=""), start=1)
    return [Difference(at, mine, theirs) for at, (mine, theirs) in pairs if mine != theirs]


def describe_differences(name: str, value: str, expected: str) -> list[str]:
    """One sentence for each character of a slip, or one for another device. `name` is a member of VALUE_NAMES."""
    found, what, wanted = differences(value, expected), str(VALUE_NAMES[name]), _bare(expected)
    if not found:
        return []
    if len(_bare(value)) != len(wanted) or len(found) > MAX_DIFFERENCES:
        return [_("%(name)s: expected %(whole)s.") % {"name": what, "whole": wanted}]
    sentence = _("%(name)s: character %(at)s is %(is)s, expected %(expected)s.")
    return [
        sentence % {"name": what, "at": difference.at, "is": difference.read, "expected": difference.expected}
        for difference in found
    ]


def _bare(value: str) -> str:
    return turn_hex_fsan(normalize_code(value))


def read_label_codes(*, fsan: str, serial_number: str) -> LabelReading:
    """The two values cleaned, or BadScan with every problem."""
    reading = LabelReading(turn_hex_fsan(normalize_code(fsan)), normalize_serial_number(serial_number))
    problems = [*fsan_problems(reading.fsan), *serial_number_problems(reading.serial_number)]
    if problems:
        raise BadScan(problems)
    return reading


def job_with_same_ont(*, job: Job, fsan: str) -> Job | None:
    """Another open job of ours that this device was scanned for, newest first."""
    return other_than(job, open_jobs_by_ont([fsan])[fsan])


def other_than(job: Job, same_ont: Sequence[Job]) -> Job | None:
    """The first of `open_jobs_by_ont` that is not this one."""
    return next((other for other in same_ont if other.pk != job.pk), None)


def open_jobs_by_ont(fsans: Collection[str]) -> dict[str, list[Job]]:
    """FSAN → our open jobs that this device was scanned for, newest scan first; one query, none for no FSAN."""
    found: dict[str, list[Job]] = {fsan: [] for fsan in fsans}
    if fsans:
        scans = OntScan.objects.filter(fsan__in=fsans, job__state__in=OPEN_STATES).select_related("job")
        for scan in scans.order_by("-recorded_at"):
            found[scan.fsan].append(scan.job)
    return found


def refuse_duplicate(*, job: Job, fsan: str) -> None:
    other = job_with_same_ont(job=job, fsan=fsan)
    if other:
        sentence = _("%(fsan)s was scanned for our open job %(job)s at %(place)s.")
        parameters = {"fsan": fsan, "job": other, "place": other.postcode or other.address}
        raise BadScan([Problem("duplicate_device", "fsan", sentence % parameters)])


def newest_scan(job: Job) -> OntScan | None:
    return max(job.scans.all(), key=scan_order, default=None)


def scan_at(job: Job, moment: datetime) -> OntScan | None:
    """The newest scan that a result from that moment can be about, where it names none: one that was made later,
    beyond what two clocks may differ, cannot be meant."""
    known = job.scans.filter(recorded_at__lte=moment + CLOCK_TOLERANCE).order_by("-recorded_at").first()
    return known or job.scans.order_by("recorded_at").first()


def result_counts_from(job: Job, scan: OntScan | None, *, occurred_at: datetime, now: datetime) -> datetime:
    """When a result that arrives now stands in the order of those of its scan: when it happened, and for a clock that
    is ahead, which would outdo every result until then, its receipt; always before those that happened later by a clock
    that is only somewhat ahead."""
    latest = now + CLOCK_TOLERANCE
    later = job.results.filter(scan=scan, occurred_at__gt=occurred_at)
    if occurred_at <= latest:
        later = later.filter(occurred_at__lte=F("recorded_at") + MOST_AHEAD)
    first = later.aggregate(first=Min("counts_from"))["first"]
    moment = min(occurred_at, latest)
    return min(moment, first - timedelta(microseconds=1)) if first else moment


def newest_result(job: Job) -> ProvisioningResult | None:
    """The last answer to the newest scan by the seller's clock, as far as that is not ahead, whenever it arrived
    (job-messages.md, notifyJob); an answer to an older device says nothing about this one."""
    return deciding_result(job) if newest_scan(job) else None


def deciding_result(job: Job) -> ProvisioningResult | None:
    """The same, and of a job without any scan, as one that was closed without a visit, its newest result. Every other
    result of the job changes nothing."""
    scan = newest_scan(job)
    answers = [result for result in job.results.all() if result.scan_id == (scan and scan.pk)]
    return max(answers, key=attrgetter(*RESULT_ORDER), default=None)


def jobs_failed_late(late_events: Iterable[tuple[int, Mapping[str, Any]]]) -> frozenset[int]:
    """Jobs (keys) whose deciding result came after they were over, and says that the service does not work.
    `late_events`: key and facts of events of the kind REPORTED_LATE, in each job's order."""
    newest = {
        job: facts.get("result_id")
        for job, facts in late_events
        if facts.get("what") == EventKind.ONT_PROVISIONED
        and facts.get("state_then") in ENDED_STATES
        and not facts.get("changes_nothing")
    }
    return frozenset(job for job, result in newest.items() if result in FAILED_RESULTS)


def is_successful(result_id: int) -> bool:
    """Result 1 or 2 (installation-jobs.md, ONT provisioning results)."""
    return result_id in SUCCESSFUL_RESULTS


def is_provisioned(job: Job) -> bool:
    """A successful result for the ONT scanned last. static/js/phone/app/workflow.js decides alike:
    tests/data/provisioning_vectors.json."""
    result = newest_result(job)
    return result is not None and is_successful(result.result_id)


def newest_results() -> QuerySet[ProvisioningResult]:
    """Of each open job its newest result, as `newest_result` finds it, with one query."""
    scan = OntScan.objects.filter(job=OuterRef("job")).order_by("-recorded_at").values("pk")
    newest = ProvisioningResult.objects.filter(scan=OuterRef("scan")).order_by(*NEWEST_FIRST).values("pk")
    found = ProvisioningResult.objects.filter(job__state__in=OPEN_STATES)
    return found.filter(scan=Subquery(scan[:1]), pk=Subquery(newest[:1])).select_related("job")


def retry_due_at(result: ProvisioningResult) -> datetime:
    """Result 4 announces a retry in five minutes, counted from when we received it at the latest: the
    seller's time may lie at the end of the calendar in rows from before such times were refused."""
    return min(result.occurred_at, result.recorded_at) + RETRY_AFTER


def is_retry_overdue(result: ProvisioningResult, *, now: datetime) -> bool:
    """Nobody may count on the attempt any more that a result 4 promised. The phone compares alike, with the moment
    that it is sent: tests/data/provisioning_vectors.json."""
    return result.result_id == RETRY_RESULT and now > retry_overdue_at(result)


def retry_overdue_at(result: ProvisioningResult) -> datetime:
    """From then on nobody may count on it."""
    return retry_due_at(result) + RETRY_WINDOW
