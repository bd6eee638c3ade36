"""The key with which notices to phones are signed (VAPID, RFC 8292): 32 bytes, written as 43 letters."""

import base64
import binascii

from cryptography.hazmat.primitives.asymmetric import ec
from django.core.exceptions import ImproperlyConfigured

LENGTH = 32
# the makers' services to which browsers subscribe
KNOWN_HOSTS = "fcm.googleapis.com,updates.push.services.mozilla.com,web.push.apple.com,.notify.windows.com"
CURVE = ec.SECP256R1()


def is_key(text: str) -> bool:
    try:
        private_key(text)
    except (ValueError, binascii.Error):
        return False
    return True


def require_valid_key(text: str) -> None:
    """Stops the start of a server whose VAPID_PRIVATE_KEY is set and is none."""
    if text and not is_key(text):
        raise ImproperlyConfigured("VAPID_PRIVATE_KEY: not a key; take what `manage.py vapid_key` prints")


def private_key(text: str) -> ec.EllipticCurvePrivateKey:
    """Raises ValueError for anything but a key of new_key."""
    raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if len(raw) != LENGTH:
        raise ValueError("32 bytes are needed")
    return ec.derive_private_key(int.from_bytes(raw), CURVE)


def new_key() -> str:
    number = ec.generate_private_key(CURVE).private_numbers().private_value
    return base64.urlsafe_b64encode(number.to_bytes(LENGTH)).decode().rstrip("=")
