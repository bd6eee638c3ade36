"""Namespaces that every interface shares, and names in Clark notation ({namespace}name): prefixes do not matter."""

SOAP = "http://schemas.xmlsoap.org/soap/envelope/"
SOAP_NEXT = "http://schemas.xmlsoap.org/soap/actor/next"
SCHEMA = "http://www.w3.org/2001/XMLSchema"


def soap(name: str) -> str:
    return f"{{{SOAP}}}{name}"
