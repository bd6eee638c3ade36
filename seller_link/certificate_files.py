"""Whether the files of the SELLER_… certificates can be used: asked before the seller's server starts and by
`check --deploy`. certificate_expiry.py says when they end."""

import os
import re
import ssl
from pathlib import Path

from cryptography import x509
from django.conf import settings

MISMATCH = "KEY_VALUES_MISMATCH"
LIST_BEGINS = b"-----BEGIN X509 CRL-----"
REVOCATION_LIST = re.compile(LIST_BEGINS + b".+?-----END X509 CRL-----", re.DOTALL)


def load_revocation_lists(content: bytes) -> list[x509.CertificateRevocationList]:
    """Every list of a PEM file, which holds one for each authority. Raises ValueError for a file without any, or with
    one that cannot be read."""
    found = [x509.load_pem_x509_crl(part) for part in REVOCATION_LIST.findall(content)]
    # a file that is being written may end in the middle of one
    if not found or len(found) < content.count(LIST_BEGINS):
        raise ValueError("no list of revoked certificates, or half of one")
    return found


def missing_server_files() -> list[str]:
    """The files of the seller's server that cannot be read, each with its setting."""
    paths = {
        name: getattr(settings, name) for name in ("SELLER_SERVER_CERT", "SELLER_SERVER_KEY", "SELLER_CA")
    }
    return [
        f"{name}: cannot read the file {path}" for name, path in paths.items() if not os.access(path, os.R_OK)
    ]


def server_problems() -> list[str]:
    """What keeps the seller's server from serving under TLS, each with its setting. Files that cannot be read are
    left out."""
    pair = _pair_problem("SELLER_SERVER_CERT", "SELLER_SERVER_KEY")
    return [text for text in (pair, _authority_problem(), _revocation_problem()) if text]


def client_problems() -> list[str]:
    """The same of what we show when we call the seller."""
    text = _pair_problem("SELLER_CLIENT_CERT", "SELLER_CLIENT_KEY")
    return [text] if text else []


def _pair_problem(certificate_setting: str, key_setting: str) -> str:
    certificate, key = getattr(settings, certificate_setting), getattr(settings, key_setting)
    names = f"{certificate_setting}, {key_setting}"
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # nobody is there to be asked for the password of an encrypted key
        context.load_cert_chain(certificate, key, password=b"")
    except ssl.SSLError as problem:
        if problem.reason == MISMATCH:
            return (
                f"{names}: the key in {key} does not belong to the certificate in {certificate}; set the key from "
                "which the certificate was requested"
            )
        return (
            f"{names}: {certificate} and {key} are not a certificate and its key; write both as PEM, the key without "
            "a password"
        )
    except OSError:
        return ""
    return ""


def _authority_problem() -> str:
    path = Path(settings.SELLER_CA)
    try:
        x509.load_pem_x509_certificates(path.read_bytes())
    except ValueError:
        return f"SELLER_CA: {path} holds no certificate in PEM; set the file of the authority agreed with the seller"
    except OSError:
        return ""
    return ""


def _revocation_problem() -> str:
    path = Path(settings.SELLER_CRL)
    try:
        load_revocation_lists(path.read_bytes())
    except ValueError:
        return (
            f"SELLER_CRL: {path} is no list of revoked certificates in PEM; fetch it again from the authority"
        )
    except OSError:
        # also without a list
        return ""
    return ""
