"""The fault ticketing interface on the wire: the only place with its element names (docs/fault-messages.md)."""
