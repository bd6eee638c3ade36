"""The diagnostics interface on the wire: the only place with its element names (docs/diagnostics-messages.md)."""
