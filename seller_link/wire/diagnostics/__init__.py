"""requestServiceDiagnostics 1.1 (faults-and-diagnostics.md): the only XML of this project, and the only place with its
names."""

from seller_link.wire.diagnostics import envelope, messages

__all__ = ["envelope", "messages"]
