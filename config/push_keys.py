"""The key with which notices to phones are signed (VAPID, RFC 8292): 32 bytes, written as 43 letters."""

import base64
import binascii

from cryptography.hazmat.primitives.asymmetric import ec

LENGTH = 32
CURVE = ec.SECP256R1()


def is_key(text: str) -> bool:
    try:
        private_key(text)
    except (ValueError, binascii.Error):
        return False
    return True


def private_key(text: str) -> ec.EllipticCurvePrivateKey:
    """Raises ValueError for anything but a key of new_key."""
    raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    if len(raw) != LENGTH:
        raise ValueError("32 bytes are needed")
    return ec.derive_private_key(int.from_bytes(raw), CURVE)


def new_key() -> str:
    number = ec.generate_private_key(CURVE).private_numbers().private_value
    return base64.urlsafe_b64encode(number.to_bytes(LENGTH)).decode().rstrip("=")
