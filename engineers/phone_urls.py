"""Numbers as a telephone dials them."""

import re

# the zero in brackets is dialled inside the country only: +44 (0)113 496 0111
TRUNK_ZERO = re.compile(r"^(\s*(?:\+|00)[\d\s.\-]*)\(0\)")
# what parts a number from an extension, from another number and from words
SEPARATORS = re.compile(r"[^\d+\s.\-–]+")
# a shorter part may be an area code: 0341/123456, (0113) 496 0111, +49 34298/12345
WHOLE_NUMBER = 9


def phone_url(text: str, *, scheme: str = "tel") -> str:
    """`tel:` (or `sms:`) with the first number in it, without its extension; empty without a number."""
    dialled = ""
    for part in SEPARATORS.split(without_trunk_zero(text)):
        dialled += "".join(character for character in part if character in "+0123456789")
        if len(dialled) >= WHOLE_NUMBER:
            break
    return f"{scheme}:{dialled}" if dialled else ""


def without_trunk_zero(text: str) -> str:
    """`+44 (0)113 496 0111` as it is dialled from anywhere: `+44 113 496 0111`."""
    return TRUNK_ZERO.sub(r"\1", text)
