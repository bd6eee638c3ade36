"""Where in our code something went wrong, for a log that must not name people."""

from traceback import extract_tb


def code_locations(problem: BaseException | None) -> list[str]:
    return [
        f"{place.filename}:{place.lineno} {place.name}"
        for place in extract_tb(problem.__traceback__ if problem else None)
    ]
