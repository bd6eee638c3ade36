"""Scenarios of orders, run over the wire: a buyer, the sandbox seller, and our dispatch application as its partner."""
