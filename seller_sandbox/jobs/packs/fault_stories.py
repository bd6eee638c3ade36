"""Invented fault reports behind a revisit (job-messages.md, createJob, `fault`); those of a ticket are in faults/."""

import json
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

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
