"""A port of this machine on which nobody listens."""

from demo.ports import free_ports


def free_port() -> int:
    return free_ports().people
