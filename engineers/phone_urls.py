"""Numbers as a telephone dials them."""


def phone_url(number: str, *, scheme: str = "tel") -> str:
    """`tel:` (or `sms:`) with what can be dialled; empty without a number."""
    dialled = "".join(character for character in number if character in "+0123456789")
    return f"{scheme}:{dialled}" if dialled else ""
