"""FSANs as the seller's records have them: four letters of the vendor and eight hexadecimal digits."""

import re

# a scanner may show all of it as hexadecimal digits: 48575443 is HWTC (field-names.md, 3)
WRITTEN = re.compile(r"[A-Za-z]{4}[0-9A-Fa-f]{8}|[0-9A-Fa-f]{16}")
FSAN = re.compile(r"[A-Z]{4}[0-9A-F]{8}")
VENDOR_DIGITS, HEXADECIMAL = 8, 16


def normalize_fsan(text: str) -> str:
    """`hwtc83f7c537` and `4857544383F7C537` are HWTC83F7C537; empty for what is no FSAN."""
    if not WRITTEN.fullmatch(text):
        return ""
    if len(text) == HEXADECIMAL:
        text = bytes.fromhex(text[:VENDOR_DIGITS]).decode("latin-1") + text[VENDOR_DIGITS:]
    fsan = text.upper()
    return fsan if FSAN.fullmatch(fsan) else ""
