"""Refusals that several kinds of rows share."""


class NameTaken(Exception):
    """`name` is the other row's name or code; upper and lower case do not matter."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name
