"""Why a position is missing, as a phone or our own code recorded it in English, in the reader's language."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

NO_FIX = _("location not available")

TEXTS: Mapping[str, Promise] = {
    # static/js/phone/app/geolocation.js
    "permission refused": _("location access refused"),
    "position unavailable": NO_FIX,
    "no fix in 20 s": _("no location within 20 s"),
    "not supported": _("this phone gives no location"),
    # static/js/phone/app/actions.js
    "phone closed before a fix": _("the app was closed before there was a location"),
    "no fix when it was sent": _("no location yet when it was sent"),
    # phone/serializers.py
    "position incomplete": NO_FIX,
    # dispatch/visits.py, closures/photos/evidence.py
    "not given": _("no reason given"),
    "not asked": _("not asked for"),
}


def missing_text(reason: str) -> str:
    """A reason that is not known here as it is."""
    return str(TEXTS.get(reason, reason))
