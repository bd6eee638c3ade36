"""The two values on an ONT's label: FSAN (4 letters, 8 hex digits) and the maker's serial number."""

import json
import re
from dataclasses import dataclass
from pathlib import Path

from dispatch.models import OPEN_STATES, Job, OntScan, ProvisioningResult
from dispatch.problems import Problem, Refused

FSAN = re.compile(r"[A-Z]{4}[0-9A-F]{8}")
FSAN_AS_HEX = re.compile(r"[0-9A-F]{16}")
SERIAL_NUMBER = re.compile(r"[A-Z0-9\-]{4,40}")
VENDOR_FILE = Path(__file__).parent / "data" / "vendors.json"
# what the four letters stand for; the phone reads the same file (engineers/phone/shell.py)
VENDORS: dict[str, str] = {
    letters: vendor["name"] for letters, vendor in json.loads(VENDOR_FILE.read_text())["vendors"].items()
}
SUCCESSFUL_RESULTS = frozenset({1, 2})


class BadScan(Refused):
    """The values cannot be from an ONT's label, or the device is on another of our open jobs."""


@dataclass(frozen=True)
class Reading:
    fsan: str
    serial_number: str


def squeeze(text: str) -> str:
    """Upper case without the blanks, dashes and colons that people and labels put in between."""
    return re.sub(r"[\s:\-]", "", text).upper()


def turn_hex_fsan(text: str) -> str:
    """`43584E4B12345678` is CXNK12345678 with its four letters written as ASCII codes; else unchanged."""
    if not FSAN_AS_HEX.fullmatch(text):
        return text
    try:
        letters = bytes.fromhex(text[:8]).decode("ascii")
    except UnicodeDecodeError:
        return text
    return letters + text[8:] if letters.isalpha() and letters.isupper() else text


def fsan_problems(fsan: str) -> list[Problem]:
    """Why this is not an FSAN, character by character where that helps."""
    if FSAN.fullmatch(fsan):
        return []
    if len(fsan) != 12:
        return [_fsan_problem(f"An FSAN has 12 characters; this has {len(fsan)}.")]
    if not fsan[:4].isalpha():
        return [_fsan_problem(f"An FSAN begins with four letters; this begins with {fsan[:4]}.")]
    wrong = "".join(dict.fromkeys(letter for letter in fsan[4:] if letter not in "0123456789ABCDEF"))
    hint = " Letter O is often digit 0." if "O" in wrong else ""
    return [
        _fsan_problem(f"The last eight characters are 0 to 9 and A to F; {' '.join(wrong)} is neither.{hint}")
    ]


def _fsan_problem(message: str) -> Problem:
    return Problem("bad_fsan", "fsan", message)


def serial_number_problems(serial_number: str) -> list[Problem]:
    """The seller asks for both values (job-messages.md, ontScanned), so an empty one would only come back."""
    if SERIAL_NUMBER.fullmatch(serial_number):
        return []
    message = "Type the serial number from the label (S/N): 4 to 40 letters and digits."
    return [Problem("bad_serial_number", "serial_number", message)]


def read(*, fsan: str, serial_number: str) -> Reading:
    """The two values cleaned, or BadScan with every problem."""
    reading = Reading(turn_hex_fsan(squeeze(fsan)), serial_number.strip().upper())
    problems = [*fsan_problems(reading.fsan), *serial_number_problems(reading.serial_number)]
    if problems:
        raise BadScan(problems)
    return reading


def other_job_with(*, job: Job, fsan: str) -> Job | None:
    """Another open job of ours that this device was scanned for, newest first."""
    others = OntScan.objects.filter(fsan=fsan, job__state__in=OPEN_STATES).exclude(job=job)
    newest = others.select_related("job").order_by("-recorded_at").first()
    return newest.job if newest else None


def refuse_duplicate(*, job: Job, fsan: str) -> None:
    other = other_job_with(job=job, fsan=fsan)
    if other:
        message = f"{fsan} was scanned for our open job {other} at {other.postcode or other.address}."
        raise BadScan([Problem("duplicate_device", "fsan", message)])


def newest_scan(job: Job) -> OntScan | None:
    return job.scans.order_by("-recorded_at").first()


def newest_result(job: Job) -> ProvisioningResult | None:
    """The last answer to the newest scan; an answer to an older device says nothing about this one."""
    scan = newest_scan(job)
    return scan.results.order_by("-recorded_at", "-pk").first() if scan else None


def is_provisioned(job: Job) -> bool:
    """Result 1 or 2 for the newest scan (installation-jobs.md, ONT provisioning results)."""
    result = newest_result(job)
    return bool(result and result.success and result.result_id in SUCCESSFUL_RESULTS)
