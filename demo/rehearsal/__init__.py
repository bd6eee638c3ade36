"""A whole day without a person: the sandbox sends, an automatic office assigns, simulated engineers work."""
