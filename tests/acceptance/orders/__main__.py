"""Runs every situation, or those that are named, against a sandbox that is running; ends with 1 when one fails."""

import argparse
import sys
import traceback
from pathlib import Path

from tests.acceptance.orders import (  # they register themselves
    closure_situations,  # noqa: F401
    takeover_situations,  # noqa: F401
    visit_situations,  # noqa: F401
)
from tests.acceptance.orders.parties import Seller
from tests.acceptance.orders.situations import SITUATIONS
from tests.acceptance.orders.wire import ControlCaller


def main() -> int:
    options = _read_options()
    seller = Seller(ControlCaller(options.control), options.endpoint, options.certs)
    # situations close jobs without answers to the seller's questions
    was_strict = seller.control.get("checking")["is_strict"]
    seller.control.post("checking", {"is_strict": False})
    try:
        failed = [name for name in options.situation or SITUATIONS if not _passes(name, seller)]
    finally:
        seller.control.post("checking", {"is_strict": was_strict})
    _say(f"{len(options.situation or SITUATIONS) - len(failed)} passed, {len(failed)} failed")
    return 1 if failed else 0


def _passes(name: str, seller: Seller) -> bool:
    try:
        SITUATIONS[name](seller)
    except Exception:
        _say(f"FAILED {name}\n{traceback.format_exc()}")
        return False
    _say(f"passed {name}")
    return True


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--endpoint", default="https://127.0.0.1:9443")
    parser.add_argument("--control", default="http://127.0.0.1:9000")
    parser.add_argument(
        "--certs", type=Path, default=Path("var/demo/certs"), help="ca, buyer-a to -c, partner"
    )
    parser.add_argument(
        "situation", nargs="*", help=f"one of {', '.join(SITUATIONS)}; all when none is named"
    )
    options = parser.parse_args()
    if unknown := set(options.situation) - set(SITUATIONS):
        parser.error(f"there is no situation {', '.join(sorted(unknown))}")
    if not options.endpoint.startswith("https://"):
        parser.error("--endpoint must begin with https://: the seller is reached in no other way")
    return options


if __name__ == "__main__":
    sys.exit(main())
