"""The day that an address asks for."""

from datetime import date, timedelta

from django.contrib import messages
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

# no window of the seller's lies further away (wire profile 1.1: five years), and no visit of ours
MAX_DAYS_AWAY = timedelta(days=3653)
TODAY_INSTEAD = gettext_lazy("Showing today instead.")


def selected_day(request: HttpRequest, *, instead: Promise = TODAY_INSTEAD) -> date:
    """`?day=`; today where it names none, or none that can be shown, with a warning that ends with `instead`."""
    asked = request.GET.get("day", "")
    try:
        found = parse_date(asked) if asked else timezone.localdate()
    except ValueError:
        found = None
    if found and abs(found - timezone.localdate()) <= MAX_DAYS_AWAY:
        return found
    text = _("“%(asked)s” is more than ten years away.") if found else _("“%(asked)s” is not a valid date.")
    messages.warning(request, f"{text % {'asked': asked}} {instead}")
    return timezone.localdate()
