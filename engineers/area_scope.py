"""The one rule that says what lies in the areas that somebody, or an access token, is limited to: an engineer by the
main or a further area, a job by its postcode as `areas.find_area` reads it, once as SQL and once for a row that is read
already."""

import re
from collections.abc import Iterable

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.utils.translation import gettext as _

from engineers.current_scope import EVERYWHERE, AreaScope, current_scope
from engineers.models import Area, User


def scope_of(user: User) -> AreaScope:
    """Two queries for somebody who is limited; none for another user of a request, one for another user."""
    if not getattr(user, "is_limited", True):
        return EVERYWHERE
    keys = frozenset(user.area_limits.values_list("area", flat=True))
    return scope_of_areas(keys) if keys else EVERYWHERE


def scope_of_areas(keys: frozenset[int]) -> AreaScope:
    areas = list(Area.objects.all())
    own = [area for area in areas if area.pk in keys]
    return AreaScope(
        areas=keys,
        names=frozenset(area.name for area in own),
        own=_codes(own),
        others=_codes(area for area in areas if area.pk not in keys),
    )


def check_unlimited(scope: AreaScope) -> None:
    """For what is about all areas at once, as what an area is. Raises PermissionDenied."""
    if scope.is_limited:
        raise PermissionDenied(
            _("This page is about all areas, and your account is limited to some. Ask a supervisor.")
        )


def _codes(areas: Iterable[Area]) -> frozenset[str]:
    return frozenset(code for area in areas for code in area.postcodes.split())


def postcode_filter(prefix: str = "") -> Q:
    """The jobs of whoever asks; `prefix` leads to the job (`job__`). A postcode that no area names is in nobody's."""
    return scope_filter(current_scope(), prefix)


def lies_in(areas: Iterable[int], prefix: str = "") -> Q:
    """The jobs of these areas (keys), none for no area. One query now, for the postcodes of all areas."""
    return scope_filter(scope_of_areas(frozenset(areas)), prefix)


def scope_filter(scope: AreaScope, prefix: str = "") -> Q:
    """The same for somebody with this scope."""
    if not scope.is_limited:
        return Q()
    name = f"{prefix}postcode__iregex"
    is_in = Q(**{name: _outward_pattern(scope.own)})
    # a whole postcode area, without what other areas have of it
    in_postcode_area = Q(**{name: _postcode_area_pattern(scope.own)})
    return is_in | (in_postcode_area & ~Q(**{name: _outward_pattern(scope.others)}))


def is_in_scope(postcode: str) -> bool:
    """The same for a job that is read already."""
    scope = current_scope()
    if not scope.is_limited:
        return True

    def fits(pattern: str) -> bool:
        return re.search(pattern, postcode, re.IGNORECASE) is not None

    in_postcode_area = fits(_postcode_area_pattern(scope.own)) and not fits(_outward_pattern(scope.others))
    return fits(_outward_pattern(scope.own)) or in_postcode_area


def title_for_reader(title: str) -> str:
    """`Job.title` in a sentence: whoever is limited to other areas learns that an engineer is busy, and not where."""
    return title if is_in_scope(title) else _("a job of another area")


# what comes after the outward code: a blank and the rest, or without a blank the last three characters
_INWARD = r"( |[^ ]{3}\s*$)"
# no postcode begins so
_NOTHING = "^!$"


def _outward_pattern(codes: Iterable[str]) -> str:
    """For both databases and Python: the outward code is one of these."""
    found = "|".join(sorted(codes))
    return rf"^\s*({found}){_INWARD}" if found else _NOTHING


def _postcode_area_pattern(codes: Iterable[str]) -> str:
    """The letters of the outward code are one of these."""
    found = "|".join(sorted(code for code in codes if code.isalpha()))
    return rf"^\s*({found})([0-9][^ ]*)?{_INWARD}" if found else _NOTHING
