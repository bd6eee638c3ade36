"""Names, days and moments in forms and addresses.

At the ends of the calendar nothing can be added or turned into local time, so only usual years are taken; and a browser
takes a value in one way of writing only, whatever the reader's language.
"""

from datetime import UTC, date, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.forms import UsernameField
from django.contrib.auth.validators import UnicodeUsernameValidator
from django.http import HttpRequest
from django.utils import timezone
from django.utils.dateparse import parse_date
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from engineers.input_values import is_usual, is_usual_day

DAY_INPUT = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
MOMENT_INPUT = forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"})
UNUSUAL_YEAR = _("Choose a year from 2000 to 2199.")
CLOCK_CHANGE = _(
    "The clocks change in this hour, so this time occurs twice or not at all. Choose an earlier or later one."
)
# blanks without a width, and marks that turn the text behind them round; joiners stay, which some scripts need
INVISIBLE = dict.fromkeys(
    [0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), 0x2060, *range(0x2066, 0x206A), 0xFEFF]
)
# no window of the seller's lies further away (wire profile 1.1: five years), and no visit of ours
MAX_DAYS_AWAY = timedelta(days=3653)
TODAY_INSTEAD = _("Showing today instead.")


class SingleLineField(forms.CharField):
    """A text without blanks at its ends or several in a row, and without characters that nobody sees."""

    def to_python(self, value: Any) -> str:
        return " ".join((super().to_python(value) or "").translate(INVISIBLE).split())


class UserNameField(UsernameField):
    """Somebody's user name, stored as the form of the sign-in reads it: a compatibility letter such as ﬁ as what it
    stands for."""

    def __init__(self) -> None:
        super().__init__(
            label=_("User name"),
            max_length=150,
            validators=[UnicodeUsernameValidator()],
            help_text=_("For signing in."),
        )

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        # a browser would fill in the name of whoever enters it
        return {**super().widget_attrs(widget), "autocomplete": "off"}


class DayField(forms.DateField):
    """A day of a usual year."""

    widget = DAY_INPUT
    default_error_messages = {"unusual_year": UNUSUAL_YEAR}

    def to_python(self, value: Any) -> date | None:
        day: date | None = super().to_python(value)
        if day is not None and not is_usual_day(day):
            raise forms.ValidationError(self.error_messages["unusual_year"], code="unusual_year")
        return day


class MomentField(forms.DateTimeField):
    """A date and time of a usual year, which comes once on that day. In UTC: arithmetic inside the site's zone would
    count wall-clock time."""

    default_error_messages = {"unusual_year": UNUSUAL_YEAR, "clock_change": CLOCK_CHANGE}

    def to_python(self, value: Any) -> Any:
        try:
            moment = super().to_python(value)
        except OverflowError as problem:
            raise self._unusual_year() from problem
        except forms.ValidationError as problem:
            if problem.code != "ambiguous_timezone":
                raise
            sentence = self.error_messages["clock_change"]
            raise forms.ValidationError(sentence, code="clock_change") from problem
        if moment is not None and not is_usual(moment):
            raise self._unusual_year()
        return moment and moment.astimezone(UTC)

    def _unusual_year(self) -> forms.ValidationError:
        return forms.ValidationError(self.error_messages["unusual_year"], code="unusual_year")


def can_be_shown(day: date) -> bool:
    return abs(day - timezone.localdate()) <= MAX_DAYS_AWAY


def selected_day(request: HttpRequest, *, instead: Promise = TODAY_INSTEAD) -> date:
    """`?day=`; today where it names none, or none that can be shown, with a warning that ends with `instead`."""
    asked = request.GET.get("day", "")
    try:
        found = parse_date(asked) if asked else timezone.localdate()
    except ValueError:
        found = None
    if found and can_be_shown(found):
        return found
    text = _("“%(asked)s” is more than ten years away.") if found else _("“%(asked)s” is not a valid date.")
    messages.warning(request, f"{text % {'asked': asked}} {instead}")
    return timezone.localdate()
