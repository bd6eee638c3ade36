"""The form of an engineer as a page, and the look-up of a home address in it."""

from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _

from board.people.forms import EngineerForm
from dispatch import geocoding
from dispatch.geocoding import GeocoderUnavailable
from engineers.models import Engineer
from engineers.shifts import rota_week


@dataclass(frozen=True)
class FormPage:
    """`pk` and `name` are empty for a new engineer; `home_note` says what a look-up found, `home_problem` why
    nothing."""

    form: EngineerForm
    pk: int | None
    name: str
    can_look_up: bool
    tiles_url: str
    attribution: str
    this_week: str
    home_note: str = ""
    home_problem: str = ""

    @property
    def latitude(self) -> str:
        return self._degrees("home_latitude")

    @property
    def longitude(self) -> str:
        return self._degrees("home_longitude")

    def _degrees(self, name: str) -> str:
        value = self.form[name].value()
        return "" if value is None else str(value)


def build_form_page(
    form: EngineerForm, engineer: Engineer | None = None, *, home_note: str = "", home_problem: str = ""
) -> FormPage:
    return FormPage(
        form=form,
        pk=engineer.pk if engineer else None,
        name=engineer.name if engineer else "",
        can_look_up=bool(settings.GEOCODER),
        tiles_url=settings.MAP_TILES_URL,
        attribution=settings.MAP_TILES_ATTRIBUTION,
        this_week=str(rota_week(timezone.localdate()).label),
        home_note=home_note,
        home_problem=home_problem,
    )


def find_home(request: HttpRequest, engineer: Engineer | None = None) -> FormPage:
    """What was entered so far, with the coordinates of the address if the geocoder knows it. Saves nothing."""
    values = request.POST.copy()
    position, problem = _look_up(values.get("home_address", "").strip()[:200])
    if position:
        values["home_latitude"], values["home_longitude"] = (f"{degrees:.6f}" for degrees in position)
    # as first values, so that nothing that is still empty is called wrong
    further = values.getlist("further_areas")
    form = EngineerForm(initial={**values.dict(), "further_areas": further})
    note = _("Address found. Check the position.") if position else ""
    return build_form_page(form, engineer, home_note=note, home_problem=problem)


def _look_up(address: str) -> tuple[tuple[float, float] | None, str]:
    if not address or not settings.GEOCODER:
        return None, _("Enter the home address first.") if settings.GEOCODER else _("Enter the coordinates.")
    try:
        found = geocoding.geocode_address(address)
    except GeocoderUnavailable:
        return None, _("The address lookup is not responding. Try again, or enter the coordinates.")
    return found, "" if found else _("The address was not found. Enter the coordinates.")
