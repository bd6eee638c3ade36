"""Which TLS 1.2 cipher a server speaks."""

import socket
import ssl

# without authenticated encryption, or without forward secrecy; the certificates of tests are ECDSA's
WEAK_CIPHERS = (
    "ECDHE-ECDSA-AES128-SHA",
    "ECDHE-ECDSA-AES256-SHA384",
    "ECDHE-ECDSA-CAMELLIA128-SHA256",
    "AES256-GCM-SHA384",
)
STRONG_CIPHER = "ECDHE-ECDSA-AES128-GCM-SHA256"


def speaks(port: int, ca: str, cipher: str) -> bool:
    context = ssl.create_default_context(cafile=ca)
    context.check_hostname = False
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers(f"{cipher}:@SECLEVEL=0")
    try:
        with (
            socket.create_connection(("127.0.0.1", port), timeout=10) as plain,
            context.wrap_socket(plain) as line,
        ):
            return line.cipher() is not None
    except (ssl.SSLError, ConnectionError):
        return False
