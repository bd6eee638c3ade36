"""The expected no to somebody at the console."""


class NotPossible(Exception):
    """The seller would not do this now; the text says why and what to do."""
