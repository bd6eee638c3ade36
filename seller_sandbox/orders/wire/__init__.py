"""The buyer interface on the wire: the only place with its element names (docs/order-messages.md)."""
