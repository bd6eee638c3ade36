"""Sentences that are stored as a key with its values, and made in the language of whoever reads them: alarms, and
reasons that the application itself gives. The reason of a person is stored as the text that it is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from monitoring.alarm_texts import ALARM_TEXTS
from monitoring.reason_texts import REASON_TEXTS

TEXTS: dict[str, Promise | str] = {**ALARM_TEXTS, **REASON_TEXTS}


@dataclass(frozen=True)
class CodedText:
    """A key of TEXTS with its parameters; `str()` is the sentence in the current language. `cause`: what an alarm that
    says so has in common with others, empty where each stands for itself."""

    key: str
    parameters: dict[str, Any] = field(default_factory=dict)
    cause: str = ""

    def __str__(self) -> str:
        """Empty where retention has removed the parameters, or for a key of another version."""
        translate = _translations.get(self.key)
        translated = translate(self.parameters) if translate else {}
        displayed = {name: _display(name, value) for name, value in self.parameters.items()}
        try:
            return str(TEXTS[self.key] % {**displayed, **translated})
        except KeyError:
            return ""

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> "CodedText":
        return cls(stored["text"], stored["parameters"])

    def as_json(self) -> dict[str, Any]:
        """As a row keeps it in one column."""
        return {"text": self.key, "parameters": self.parameters_json()}

    def parameters_json(self) -> dict[str, Any]:
        return {name: _json_value(value) for name, value in self.parameters.items()}

    def log_text(self) -> str:
        """Without a language."""
        values = (f"{name}={_log_value(value)}" for name, value in self.parameters.items())
        return " ".join([self.key, *values])


# why something is as it is: our own reason, or the words of a person
Reason = CodedText | str


def coded_text(key: str, **parameters: Any) -> CodedText:
    """`parameters`: those that the text of this key names; texts, numbers, aware moments, and coded texts or lists of
    them."""
    return CodedText(key, parameters)


def technical_reason(detail: object) -> CodedText:
    """What another program says, which nobody translates; PostgreSQL stores no NUL."""
    return coded_text("technical", detail=str(detail)[:1000].replace("\0", "␀"))


def reason_json(reason: Reason) -> Any:
    """As a fact of a job event keeps it."""
    return reason if isinstance(reason, str) else reason.as_json()


def stored_reason(stored: Any) -> Reason:
    """What `reason_json` made of it; nothing for a column that keeps none."""
    return CodedText.from_json(stored) if isinstance(stored, Mapping) and stored else str(stored or "")


def reason_text(stored: Any) -> str:
    """A stored reason in the language of whoever reads it."""
    return str(stored_reason(stored))


# by the name of a parameter: how a key that a row keeps is written in the reader's language
_displays: dict[str, Callable[[Any], str]] = {}


def register_display(parameter: str, display: Callable[[Any], str]) -> None:
    """For an app that knows what the values of this parameter stand for; from its `apps.ready()`."""
    _displays[parameter] = display


# by the key of a text: those of its parameters that need several others to be written in the reader's language
_translations: dict[str, Callable[[Mapping[str, Any]], Mapping[str, str]]] = {}


def register_translation(key: str, translate: Callable[[Mapping[str, Any]], Mapping[str, str]]) -> None:
    """`translate` gets the parameters as the row keeps them and returns those that read differently."""
    _translations[key] = translate


def _display(name: str, value: Any) -> Any:
    if isinstance(value, list):
        return "; ".join(str(_display(name, part)) for part in value)
    if isinstance(value, Mapping):
        return reason_text(value)
    if name in _displays:
        return _displays[name](value)
    moment = parse_datetime(value) if name.endswith("_at") and isinstance(value, str) else value
    if isinstance(moment, datetime):
        return date_format(timezone.localtime(moment), _("D j M, H:i"))
    return value


def _json_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_json_value(part) for part in value]
    if isinstance(value, CodedText):
        return value.as_json()
    return value.isoformat() if isinstance(value, datetime) else value


def _log_value(value: Any) -> str:
    return value.log_text() if isinstance(value, CodedText) else str(value)
