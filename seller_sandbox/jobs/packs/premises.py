"""Invented premises and people: contacts, flags, texts about the site, at addresses of the network."""

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from seller_sandbox.network import addresses
from seller_sandbox.network.addresses import Street

HERE = Path(__file__).parent
FLAG_SHARES = {"CHP": 1 / 5, "DAN": 1 / 14, "DTL": 1 / 12, "SUR": 1 / 20, "WSD": 1 / 10}
# not in the table: a partner must show what it does not know
UNKNOWN_FLAG = "BP"
UNKNOWN_FLAG_SHARE = 1 / 25
BLOCK_SHARE = 1 / 6
BUSINESS_SHARE = 1 / 8
WITHOUT_COORDINATES_SHARE = 1 / 15


@cache
def names() -> dict[str, Any]:
    return json.loads((HERE / "names.json").read_text())


@cache
def texts() -> dict[str, Any]:
    return json.loads((HERE / "site_texts.json").read_text())


def make_property(rng: Random) -> dict[str, Any]:
    """The `property` member: address, position, classification and flags."""
    street = rng.choice(addresses.streets())
    in_block = rng.random() < BLOCK_SHARE
    is_business = not in_block and rng.random() < BUSINESS_SHARE
    return {
        "uprn": f"9{rng.randrange(10**11):011d}",
        "address": _address(rng, street, in_block=in_block, is_business=is_business),
        **_position(rng, street),
        "classification": _classification(rng, is_business=is_business),
        "flags": _flags(rng, in_block=in_block),
    }


def make_contact(rng: Random, *, is_business: bool) -> dict[str, str]:
    """The `siteContact`; numbers come from the ranges that Ofcom keeps free for drama."""
    first, last = (
        rng.choice(names()["first_names"]),
        rng.choice(names()["last_names"]),
    )
    phone = f"0113 496 0{rng.randrange(1000):03d}" if is_business else f"07700 900{rng.randrange(1000):03d}"
    email = {"email": f"{first}.{last}@example.com".lower()} if rng.random() < 0.8 else {}
    return {"name": f"{first} {last}", "phone": phone, **email}


def make_site(rng: Random, *, flags: list[str], is_business: bool, job_type: str) -> dict[str, str]:
    """The `site` texts: they agree with the flags, and each is left out now and then."""
    kinds = {
        "accessRestrictions": _access(rng, flags),
        "preferredOntLocation": _ont_location(rng, is_business=is_business),
        "hazards": _hazards(rng, flags),
        "notes": _notes(rng, flags, job_type=job_type),
    }
    return {name: text for name, text in kinds.items() if text}


def _address(rng: Random, street: Street, *, in_block: bool, is_business: bool) -> dict[str, Any]:
    front = f"{rng.randrange(1, 148)} {street.name}"
    if in_block:
        lines = [f"Flat {rng.randrange(1, 40)}", rng.choice(addresses.read()["buildings"]), front]
    elif is_business:
        lines = [rng.choice(addresses.read()["businesses"]), front]
    else:
        lines = [front]
    inward_end = "".join(rng.choice(addresses.INWARD_CODE_CHARACTERS) for _ in range(2))
    return {
        "lines": lines,
        "town": addresses.read()["town"],
        "postcode": street.district + inward_end,
    }


def _position(rng: Random, street: Street) -> dict[str, float]:
    along = {
        "latitude": round(street.latitude + rng.uniform(-0.0015, 0.0015), 6),
        "longitude": round(street.longitude + rng.uniform(-0.0022, 0.0022), 6),
    }
    return {} if rng.random() < WITHOUT_COORDINATES_SHARE else along


def _classification(rng: Random, *, is_business: bool) -> str:
    if is_business:
        return "Business"
    return "Other" if rng.random() < 0.02 else "Residential"


def _flags(rng: Random, *, in_block: bool) -> list[str]:
    flags = [flag for flag, share in FLAG_SHARES.items() if rng.random() < share]
    block = ["MDU"] if in_block else []
    unknown = [UNKNOWN_FLAG] if rng.random() < UNKNOWN_FLAG_SHARE else []
    return [*block, *flags, *unknown]


def _access(rng: Random, flags: list[str]) -> str:
    if "MDU" in flags:
        return rng.choice(texts()["access_block"])
    if "WSD" in flags:
        return rng.choice(texts()["access_shared_drive"])
    return rng.choice(texts()["access"]) if rng.random() < 0.35 else ""


def _hazards(rng: Random, flags: list[str]) -> str:
    if "DAN" in flags:
        return rng.choice(texts()["hazards_dangerous"])
    if "CHP" in flags:
        return rng.choice(texts()["hazards_height"])
    return rng.choice(texts()["hazards"]) if rng.random() < 0.2 else ""


def _ont_location(rng: Random, *, is_business: bool) -> str:
    if is_business:
        return rng.choice(texts()["ont_business"])
    return rng.choice(texts()["ont_home"]) if rng.random() < 0.5 else ""


def _notes(rng: Random, flags: list[str], *, job_type: str) -> str:
    if job_type != "installation":
        return rng.choice(texts()[f"{job_type}_notes"])
    notes = [texts()["survey_note"]] if "SUR" in flags else []
    if "DTL" in flags:
        notes.append(texts()["drive_note"].format(metres=rng.randrange(15, 90, 5)))
    if not notes and rng.random() < 0.3:
        notes.append(rng.choice(texts()["notes"]))
    return " ".join(notes)
