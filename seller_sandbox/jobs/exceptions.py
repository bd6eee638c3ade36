"""Errors that the console and the control interface show."""


class ActionNotPossible(Exception):
    """The seller cannot do this now; the message says why and what to do."""
