"""The host and port at which a command shall listen: those that cannot be used are refused with a remedy."""

import errno
import socket

from django.core.management.base import CommandError

HIGHEST_PORT = 65_535
# below it a port is root's
FIRST_FREE_PORT = 1024


def has_ipv6() -> bool:
    """Whether the kernel has it; it may be switched off (ipv6.disable=1)."""
    try:
        socket.socket(socket.AF_INET6).close()
    except OSError:
        return False
    return True


def refuse_unusable(host: str, port: int) -> None:
    """Raises CommandError with the option and the remedy. Binds the address for a moment, and leaves it free."""
    if not 0 <= port <= HIGHEST_PORT:
        raise CommandError(f"--port: {port} is not a port. Write a number from 1 to {HIGHEST_PORT}.")
    try:
        family, kind, protocol, _name, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, UnicodeError) as problem:
        raise CommandError(f"--host: {host!r} is not known. Write an address of this machine.") from problem
    try:
        with socket.socket(family, kind, protocol) as trial:
            # as the servers do: what a former process has left in TIME_WAIT is no obstacle
            trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            trial.bind(address)
    except OSError as problem:
        raise CommandError(_why(problem, host, port)) from problem


def _why(problem: OSError, host: str, port: int) -> str:
    match problem.errno:
        case errno.EADDRINUSE:
            return f"Port {port} of {host} is taken. Stop what uses it (ss -ltnp shows it), or choose another --port."
        case errno.EACCES:
            return f"Port {port} is reserved for root. Choose a --port from {FIRST_FREE_PORT} on."
        case errno.EADDRNOTAVAIL:
            return f"--host: {host} is not an address of this machine (ip address lists them)."
        case errno.EAFNOSUPPORT:
            return f"--host: {host} is an IPv6 address, and this machine has no IPv6. Write an IPv4 address."
    return f"Port {port} of {host} cannot be used: {problem.strerror}."
