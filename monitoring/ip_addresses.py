"""IP addresses in one form, so that a caller and a list of addresses can be compared."""

from ipaddress import IPv6Address, ip_address


def plain_address(text: str) -> str:
    """A socket for both families shows the caller 192.0.2.10 as ::ffff:192.0.2.10. What is no address is unchanged."""
    try:
        address = ip_address(text)
    except ValueError:
        return text
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return str(mapped or address)
