"""One scenario in a process of its own: `python -m tests.faults.run NAME --database sqlite --folder F`; prints JSON."""

import argparse
import json
import os
import sys
import time
import traceback
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path

import django

from tests.faults import databases, fault_system

SEED = 20261121


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--database", choices=list(databases.KINDS), default="sqlite")
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--messages", type=int, default=0)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--seed", type=int, default=SEED)
    wanted = parser.parse_args()
    started = time.monotonic()
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings"
    os.environ["DEPLOYMENT"] = "demo"
    verdict = _verdict(wanted)
    verdict["seconds"] = round(time.monotonic() - started, 1)
    sys.stdout.write(json.dumps(verdict, ensure_ascii=False) + "\n")
    return 0


def _verdict(wanted: argparse.Namespace) -> dict[str, object]:
    with ExitStack() as stack:
        database = stack.enter_context(databases.of(wanted.database, wanted.folder))
        form = {"short": wanted.short, "messages": wanted.messages, "minutes": wanted.minutes}
        here = stack.enter_context(
            fault_system.opened(folder=wanted.folder, database=database, seed=wanted.seed, **form)
        )
        # only now: our models read the settings that it has made
        django.setup()
        catalogue = import_module("tests.faults.catalogue")
        try:
            verdict = catalogue.SCENARIOS[wanted.name].play(here)
        except Exception:
            return {"wrong": traceback.format_exc().splitlines()[-5:], "summary": ""}
        return {"wrong": [*verdict.wrong, *here.keeper.orphans()], "summary": verdict.summary}


if __name__ == "__main__":
    sys.exit(main())
