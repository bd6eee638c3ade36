"""Distances in words, in the reader's language."""

from django.utils.formats import number_format


def format_distance(metres: float) -> str:
    """`120 m` below a kilometre, `6.2 km` below ten, then `12 km`; with a comma where the language has one."""
    if metres < 1000:
        return f"{round(metres, -1):.0f} m" if metres >= 100 else f"{metres:.0f} m"
    decimals = 1 if metres < 10_000 else 0
    return f"{number_format(f'{metres / 1000:.{decimals}f}', decimals)} km"
