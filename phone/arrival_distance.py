"""What an engineer is told who says "on site" far from the premises; the phone says the same without signal
(static/js/phone/app/arrival_distance.js, tests/data/arrival_vectors.json)."""

from django.utils.translation import gettext as _

from dispatch.driving import travel
from dispatch.driving.travel import Coordinates, format_distance


def far_away_text(
    position: Coordinates | None, premises: Coordinates | None, *, accuracy_metres: float | None
) -> str:
    """Empty near the premises, and where either place is unknown. Nothing is refused for it: coordinates of premises
    are wrong, too."""
    if position is None or premises is None:
        return ""
    metres = travel.distance_metres(position, premises)
    if not travel.is_far(metres, accuracy_metres=accuracy_metres):
        return ""
    text = _(
        "You tapped “I'm on site” %(distance)s from the premises. Check that this is the "
        "right job. If it is, continue."
    )
    return text % {"distance": format_distance(metres - (accuracy_metres or 0))}
