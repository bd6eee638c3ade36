"""The one place that knows how the seller writes things down.

The rest of seller_link imports the profile from here: another profile is a second folder and this line.
"""

from seller_link.wire.v1 import contract, faults, incoming, openapi, outgoing, stored_text

__all__ = ["contract", "faults", "incoming", "openapi", "outgoing", "stored_text"]
