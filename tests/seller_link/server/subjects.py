"""Subjects of the seller's certificate that both servers must read alike, by what they show."""

from cryptography import x509
from cryptography.x509.oid import NameOID

COMMON_NAME = x509.NameAttribute(NameOID.COMMON_NAME, "seller")
UNKNOWN_ATTRIBUTE = x509.ObjectIdentifier("1.3.6.1.4.1.55555.7")


def _in(attribute: x509.ObjectIdentifier, value: str) -> x509.NameAttribute[str]:
    return x509.NameAttribute(attribute, value)


ACCEPTED = {
    "with other attributes": x509.Name(
        [
            _in(NameOID.EMAIL_ADDRESS, "jobs@seller.example"),
            COMMON_NAME,
            _in(NameOID.SERIAL_NUMBER, "07"),
            _in(NameOID.POSTAL_CODE, "LS1 4AP"),
            _in(NameOID.ORGANIZATION_NAME, "Größe, Söhne + Co"),
            _in(UNKNOWN_ATTRIBUTE, "ü" * 100),
        ]
    ),
    "in a part of several": x509.Name(
        [x509.RelativeDistinguishedName([COMMON_NAME, _in(NameOID.EMAIL_ADDRESS, "a@b")])]
    ),
    "first of two": x509.Name([COMMON_NAME, _in(NameOID.COMMON_NAME, "somebody-else")]),
}
REJECTED = {
    "none": x509.Name([_in(NameOID.ORGANIZATION_NAME, "seller")]),
    "behind a comma of another": x509.Name([_in(NameOID.ORGANIZATION_NAME, "Example,CN=seller")]),
    "behind a plus of another": x509.Name([_in(NameOID.EMAIL_ADDRESS, "a+CN=seller")]),
    "behind an escape of another": x509.Name([_in(NameOID.ORGANIZATION_NAME, "Example\\,CN=seller")]),
    "behind its own comma": x509.Name([_in(NameOID.COMMON_NAME, "somebody,CN=seller")]),
    "with a blank": x509.Name([_in(NameOID.COMMON_NAME, "seller ")]),
    "cut by a zero": x509.Name([_in(NameOID.COMMON_NAME, "seller\0.example")]),
    "second of two": x509.Name([_in(NameOID.COMMON_NAME, "somebody-else"), COMMON_NAME]),
    "in an unknown attribute": x509.Name([_in(UNKNOWN_ATTRIBUTE, "CN=seller")]),
}
