"""Whether the files of the SELLER_… certificates can be used: asked before the seller's server starts and by
`check --deploy`. certificate_expiry.py says when they end."""

import ssl
from pathlib import Path

from cryptography import x509
from django.conf import settings

MISMATCH = "KEY_VALUES_MISMATCH"


def server_problems() -> list[str]:
    """What keeps the seller's server from serving under TLS, each with its setting; empty when all is well."""
    pair = _pair_problem("SELLER_SERVER_CERT", "SELLER_SERVER_KEY")
    return [text for text in (pair, _authority_problem(), _revocation_problem()) if text]


def client_problems() -> list[str]:
    """The same of what we show when we call the seller."""
    text = _pair_problem("SELLER_CLIENT_CERT", "SELLER_CLIENT_KEY")
    return [text] if text else []


def _pair_problem(certificate_setting: str, key_setting: str) -> str:
    certificate, key = getattr(settings, certificate_setting), getattr(settings, key_setting)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        # nobody is there to be asked for the password of an encrypted key
        context.load_cert_chain(certificate, key, password=b"")
    except ssl.SSLError as problem:
        if problem.reason == MISMATCH:
            return (
                f"{certificate_setting}, {key_setting}: the key in {key} does not belong to the certificate in "
                f"{certificate}; set the key from which the certificate was requested"
            )
        return (
            f"{certificate_setting}, {key_setting}: {certificate} and {key} are not a certificate and its key; write "
            "both as PEM, the key without a password"
        )
    except OSError as problem:
        return f"{certificate_setting}, {key_setting}: {certificate} or {key} cannot be read ({problem.strerror})"
    return ""


def _authority_problem() -> str:
    path = Path(settings.SELLER_CA)
    try:
        x509.load_pem_x509_certificates(path.read_bytes())
    except (OSError, ValueError):
        return f"SELLER_CA: {path} holds no certificate in PEM; set the file of the authority agreed with the seller"
    return ""


def _revocation_problem() -> str:
    if not settings.SELLER_CRL:
        return ""
    try:
        x509.load_pem_x509_crl(Path(settings.SELLER_CRL).read_bytes())
    except (OSError, ValueError):
        return (
            f"SELLER_CRL: {settings.SELLER_CRL} is no list of revoked certificates in PEM; fetch it again from the "
            "authority"
        )
    return ""
