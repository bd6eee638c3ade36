"""Puts one job pack together: the members of createJob (job-messages.md) without its envelope."""

import json
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from seller_sandbox.jobs.packs.premises import make_contact, make_property, make_site

HERE = Path(__file__).parent


@cache
def stories() -> list[dict[str, Any]]:
    return json.loads((HERE / "fault_stories.json").read_text())


def make_fault(rng: Random, *, visit_starts_at: datetime, access: str) -> dict[str, Any]:
    """The `fault` member; the fault began one to three days before the visit."""
    began = visit_starts_at - timedelta(hours=rng.randrange(24, 72))
    return {
        "buyerFaultReference": f"BF-{rng.randrange(10**8):08d}",
        "maintainerFaultReference": f"MF-{rng.randrange(10**8):08d}",
        "faultStartTime": began.isoformat(),
        **rng.choice(stories()),
        **({"access": access} if access else {}),
        "files": [],
    }


WINDOWS = ((time(8), time(13)), (time(13), time(18)))
# quarters of an hour: the shortest and the longest that are usual
USUAL_QUARTERS = {"installation": (6, 10), "revisit": (3, 5), "external": (5, 8), "civils": (6, 12)}
WITHOUT_DURATION_SHARE = 1 / 5
JOB_TYPE_SHARES = {"installation": 70, "revisit": 14, "external": 10, "civils": 6}
WITH_ONT = {"installation", "revisit"}
PRODUCTS = {
    "Fibre 150": "FTTP-150-30",
    "Fibre 500": "FTTP-500-75",
    "Fibre 900": "FTTP-900-110",
    "Business Fibre 1000": "FTTP-1000-1000-B",
}
ONT_MODELS = {"Calix": ("CXNK", ["GP1100X", "801Gv2"]), "Nokia": ("ALCL", ["G-010G-R", "XS-010X-Q"])}


@dataclass(frozen=True)
class Premises:
    """Where an earlier job was, for a revisit to go there again."""

    provider_job_id: str
    pack: dict[str, Any]


def make_pack(
    rng: Random, *, day: date, zone: ZoneInfo, job_type: str | None = None, earlier: Premises | None = None
) -> dict[str, Any]:
    """One pack for this day; `earlier` makes a revisit the successor of that job."""
    kind = job_type or choose_job_type(rng)
    premises = earlier.pack["property"] if earlier else make_property(rng)
    is_business = premises.get("classification") == "Business"
    contact = earlier.pack["siteContact"] if earlier else make_contact(rng, is_business=is_business)
    pack = {
        "jobType": kind,
        "orderReferences": _order_references(rng),
        "serviceIdentifier": f"FBR{rng.randrange(10**9):09d}",
        "product": _product(rng, is_business=is_business),
        "property": premises,
        "siteContact": contact,
        "site": make_site(rng, flags=premises.get("flags", []), is_business=is_business, job_type=kind),
        "appointment": _appointment(rng, day=day, zone=zone),
        **_duration(rng, kind),
        **({"ont": _ont(rng)} if kind in WITH_ONT else {}),
        "network": make_network(rng),
        **({"previousProviderJobId": earlier.provider_job_id} if earlier else {}),
    }
    return {**pack, "fault": _fault(pack)} if kind == "revisit" else pack


def choose_job_type(rng: Random) -> str:
    return rng.choices(list(JOB_TYPE_SHARES), weights=list(JOB_TYPE_SHARES.values()))[0]


def window_of(pack: dict[str, Any]) -> tuple[datetime, datetime]:
    """The appointment's start and end."""
    appointment = pack["appointment"]
    return datetime.fromisoformat(appointment["start"]), datetime.fromisoformat(appointment["end"])


def _fault(pack: dict[str, Any]) -> dict[str, Any]:
    """By chances of its own: the packs that follow are the same with and without a story."""
    rng = Random(pack["serviceIdentifier"])  # noqa: S311  # invented test data
    access = pack["site"].get("accessRestrictions", "")
    return make_fault(rng, visit_starts_at=window_of(pack)[0], access=access)


def _order_references(rng: Random) -> dict[str, str]:
    return {
        "buyerOrderReference": f"BO-{rng.randrange(10**8):08d}",
        "sellerOrderReference": f"SO-{rng.randrange(10**8):08d}",
    }


def _product(rng: Random, *, is_business: bool) -> dict[str, str]:
    name = "Business Fibre 1000" if is_business else rng.choice(list(PRODUCTS)[:3])
    return {"productName": name, "lineProfile": PRODUCTS[name]}


def _appointment(rng: Random, *, day: date, zone: ZoneInfo) -> dict[str, str]:
    start, end = (datetime.combine(day, hour, tzinfo=zone) for hour in rng.choice(WINDOWS))
    key = UUID(int=rng.getrandbits(128), version=4)
    return {"reservationKey": str(key), "start": start.isoformat(), "end": end.isoformat()}


def _duration(rng: Random, job_type: str) -> dict[str, int]:
    quarters = rng.randint(*USUAL_QUARTERS[job_type])
    return {} if rng.random() < WITHOUT_DURATION_SHARE else {"expectedDurationMinutes": 15 * quarters}


def _ont(rng: Random) -> dict[str, str]:
    vendor = rng.choice(list(ONT_MODELS))
    prefix, models = ONT_MODELS[vendor]
    return {
        "vendor": vendor,
        "model": rng.choice(models),
        "fsan": f"{prefix}{rng.getrandbits(32):08X}",
        "serialNumber": f"{rng.randrange(10**12):012d}",
    }


def make_network(rng: Random) -> dict[str, str]:
    node = f"KWL-SN{rng.randrange(1, 60):03d}"
    return {
        "olt": f"KWL-OLT-{rng.randrange(1, 5):02d}",
        "ponPort": f"1/1/{rng.randrange(1, 9)}/{rng.randrange(1, 17)}",
        "node": node,
        "splitter": f"{node}-SP{rng.randrange(1, 9)} port {rng.randrange(1, 33)}",
        "drop": rng.choice(["Overhead from pole", "Underground, duct to wall", "Riser, pre-fibred"]),
    }
