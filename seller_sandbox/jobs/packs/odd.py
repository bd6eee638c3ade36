"""Packs as real operators send them: nulls, odd windows, strange texts, each with the answer that is due.

Each case changes a usual pack. The bounds are those of job-messages.md, createJob.
"""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from seller_sandbox.jobs.expected_answers import invalid
from seller_sandbox.messages.expectations import ACCEPTED, Expected

Pack = dict[str, Any]
Change = Callable[[Pack, datetime, Random], None]

RIGHT_TO_LEFT = "\u200fرقم ٧ شارع النخيل\u200f \u202edlrow olleh\u202c"
STRANGE = (
    RIGHT_TO_LEFT,
    "👩🏽‍🔧🏠 Zoë O’Neil‑Ångström",
    "T̸̨̛͎͓̓h̵͇̀e̷͖̅ ̶̱̈g̵̢͠a̴̲̍t̵̬͑e̴̛̠",
    "<script>alert('pack')</script> & \"quoted\" {{ 7*7 }} ${x} %s",
    "line one\nline two\ttabbed\u2028separated\u200bzero width",
    "'; DROP TABLE dispatch_job; --",
    '=HYPERLINK("http://x.example")',
)
UNKNOWN_FLAGS = ["BP", "ZZ-9", "sur", "☃", "MDU ", "X" * 40, "CHP"]


@dataclass(frozen=True)
class OddPack:
    """`is_workable`: an engineer can be sent there today as to any other job."""

    name: str
    description: str
    change: Change
    expected: Expected = ACCEPTED
    is_workable: bool = False


def make_odd(pack: Pack, *, name: str, now: datetime, rng: Random) -> Pack:
    """The usual pack changed as this case wants."""
    changed = deepcopy(pack)
    ODD_PACKS[name].change(changed, now, rng)
    return changed


# --- members --------------------------------------------------------------------------------------------------
OPTIONAL = (
    "serviceIdentifier",
    "expectedDurationMinutes",
    "ont",
    "network",
    "previousProviderJobId",
    "fault",
)


def _null_members(pack: Pack, _: datetime, __: Random) -> None:
    pack.update(dict.fromkeys(OPTIONAL))
    pack["siteContact"]["email"] = None
    pack["product"]["lineProfile"] = None
    pack["appointment"]["reservationKey"] = None
    pack["orderReferences"]["buyerOrderReference"] = None
    pack["site"] = {"accessRestrictions": None, "notes": None}
    pack["property"].update(latitude=None, longitude=None, classification=None, flags=None)


def _minimal(pack: Pack, _: datetime, __: Random) -> None:
    for name in (*OPTIONAL, "site"):
        pack.pop(name, None)
    pack["product"] = {"productName": pack["product"]["productName"]}
    pack["property"] = {name: pack["property"][name] for name in ("uprn", "address")}
    pack["siteContact"] = {name: pack["siteContact"][name] for name in ("name", "phone")}


def _null_phone(pack: Pack, _: datetime, __: Random) -> None:
    pack["siteContact"]["phone"] = None


def _unknown_members(pack: Pack, _: datetime, __: Random) -> None:
    pack.update(priority="gold", siteVisits=[{"at": None}], x={"deep": {"er": [1, 2.5, True]}})
    pack["network"] = {
        "olt": "OLT-9",
        "path": {"node": {"splitter": ["1:8", "1:4"], "port": 7}},
        "note": None,
    }
    pack["property"]["flags"] = UNKNOWN_FLAGS


def _long_texts(pack: Pack, _: datetime, __: Random) -> None:
    pack["siteContact"]["name"] = "Maximiliane " * 416 + "Long"
    pack["property"]["address"]["lines"] = [f"Line {number} of the address" for number in range(1, 101)]
    pack["site"] = {"hazards": "Loose dog. " * 454, "notes": "x" * 5000, "accessRestrictions": "Key. " * 1000}


def _strange_texts(pack: Pack, _: datetime, rng: Random) -> None:
    pack["siteContact"]["name"] = rng.choice(STRANGE)
    pack["property"]["address"]["lines"] = list(STRANGE)
    pack["site"] = {"hazards": RIGHT_TO_LEFT, "notes": "\n".join(STRANGE), "preferredOntLocation": "🪟"}
    pack["network"] = {"olt": RIGHT_TO_LEFT, "drop": "<b>bold</b>"}


def _fault(pack: Pack, now: datetime, _: Random) -> None:
    pack.update(jobType="revisit", previousProviderJobId="J-0000-0000")
    pack["fault"] = {
        "buyerFaultReference": "BF-1",
        "maintainerFaultReference": None,
        "faultType": "No service",
        "description": "Light lost since the storm",
        "faultStartTime": (now - timedelta(days=2)).isoformat(),
        "triageFindings": ["ONT does not answer", "Light level -38.5"],
        "lastDiagnostics": "LOS",
        "files": [],
    }


# --- windows --------------------------------------------------------------------------------------------------
def _window(start: timedelta, length: timedelta) -> Change:
    def change(pack: Pack, now: datetime, _: Random) -> None:
        begins = now + start
        pack["appointment"].update(start=begins.isoformat(), end=(begins + length).isoformat())

    return change


def _instants(**members: str) -> Change:
    def change(pack: Pack, _: datetime, __: Random) -> None:
        pack["appointment"].update(members)

    return change


def _over_midnight(pack: Pack, now: datetime, _: Random) -> None:
    begins = (now + timedelta(days=1)).replace(hour=22, minute=0, second=0, microsecond=0)
    pack["appointment"].update(start=begins.isoformat(), end=(begins + timedelta(hours=4)).isoformat())


def _backwards(pack: Pack, _: datetime, __: Random) -> None:
    window = pack["appointment"]
    window["start"], window["end"] = window["end"], window["start"]


DAY, HOUR, MINUTE = timedelta(days=1), timedelta(hours=1), timedelta(minutes=1)
START, END = "/appointment/start", "/appointment/end"
CASES = (
    OddPack("null_members", "every optional member is null", _null_members, is_workable=True),
    OddPack("minimal", "nothing but what is required", _minimal, is_workable=True),
    OddPack(
        "unknown_members", "unknown members and flags, nested network", _unknown_members, is_workable=True
    ),
    OddPack("long_texts", "texts of 5000 letters, 100 address lines", _long_texts, is_workable=True),
    OddPack("strange_texts", "right to left, emoji, markup", _strange_texts, is_workable=True),
    OddPack("fault", "a revisit: a fault with a null, and an unknown earlier job", _fault, is_workable=True),
    OddPack("past", "the window was yesterday", _window(-DAY, timedelta(hours=5))),
    OddPack("today", "the window began an hour ago", _window(-HOUR, 5 * HOUR)),
    OddPack("one_minute", "a window of one minute, tomorrow", _window(DAY, MINUTE)),
    OddPack("over_midnight", "a window from 22:00 to 02:00", _over_midnight),
    OddPack("month", "a window of 31 days", _window(DAY, 31 * DAY)),
    OddPack("null_phone", "a required member is null", _null_phone, invalid("/siteContact/phone")),
    OddPack("year_1", "starts in year 1", _instants(start="0001-01-01T00:00:00+00:00"), invalid(START)),
    OddPack("year_9999", "ends in year 9999", _instants(end="9999-12-31T23:59:59+00:00"), invalid(END)),
    OddPack("years", "a window of three years", _window(DAY, 1100 * DAY), invalid(END)),
    OddPack("32_days", "a window of 31 days and a minute", _window(DAY, 31 * DAY + MINUTE), invalid(END)),
    OddPack("far_away", "in six years", _window(2200 * DAY, timedelta(hours=5)), invalid(START)),
    OddPack("backwards", "ends before it starts", _backwards, invalid(START)),
    OddPack("no_offset", "a start without offset", _instants(start="2026-11-23T08:00:00"), invalid(START)),
)
ODD_PACKS = {case.name: case for case in CASES}
