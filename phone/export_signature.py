"""Who wrote an export: a phone signs it with a key that only the engineer's own signed-in phone was given."""

import hmac

from django.utils.crypto import constant_time_compare, salted_hmac

from engineers.models import Engineer

SALT = "phone.export"


def key_of(engineer: Engineer) -> str:
    """32 bytes in hex; it goes to the phone with each day.json and nowhere else."""
    return salted_hmac(SALT, f"{engineer.pk}:{engineer.staff_number}", algorithm="sha256").hexdigest()


def sign(text: str, engineer: Engineer) -> str:
    """As static/js/phone/app/offline_export.js does it."""
    key = bytes.fromhex(key_of(engineer))
    return hmac.new(key, text.encode("utf-8", "surrogatepass"), "sha256").hexdigest()


def is_signed(text: str, signature: str, engineer: Engineer) -> bool:
    return signature.isascii() and constant_time_compare(sign(text, engineer), signature)
