"""The one place that knows how the seller writes things down; `v1` is profile 1.1."""

from seller_link.wire.v1 import contract, incoming, openapi, outgoing, refusals, stored_text

__all__ = ["contract", "incoming", "openapi", "outgoing", "refusals", "stored_text"]
