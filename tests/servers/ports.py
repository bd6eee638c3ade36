"""A port of this machine on which nobody listens, and whether it has IPv6."""

import socket

from demo.ports import free_port

__all__ = ["free_port", "has_ipv6_loopback"]


def has_ipv6_loopback() -> bool:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        return False
    return True
