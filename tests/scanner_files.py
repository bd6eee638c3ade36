"""What reads codes on a phone: kept by the worker with the rest, run at the first scan."""

import json

from phone.pwa import BUILT, READER, STATIC, addresses


def scanner_files() -> list[str]:
    """By address."""
    manifest = json.loads((STATIC / BUILT / "MANIFEST.json").read_text())
    made = [f"/static/{BUILT}/{name}" for name in manifest["scanner"]]
    return [*made, *(address for address in addresses() if f"/{READER}/" in address)]
