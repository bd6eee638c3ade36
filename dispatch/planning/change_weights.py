"""How much of a plan may change: what it must save to take a visit from its engineer, or to begin it at another
time, in minutes of driving. Apart from the engine, since the pages name it and know nothing of numpy."""

from collections.abc import Mapping

from django.db import models
from django.utils.translation import gettext_lazy as _

from dispatch.models import PlanOption


class ChangeWeight(models.TextChoices):
    FEW = "few", _("Few: to save at least 30 min")
    BALANCED = "balanced", _("Balanced: to save at least 10 min")
    AS_NEEDED = "needed", _("As needed: to save at least 1 min")


CHANGE_MINUTES: Mapping[ChangeWeight, int] = {
    ChangeWeight.FEW: 30,
    ChangeWeight.BALANCED: 10,
    ChangeWeight.AS_NEEDED: 1,
}


def minutes_by_option(weight: ChangeWeight) -> Mapping[PlanOption, int]:
    """The option that may move everybody is there to show what that would bring: it weighs changes a third as much."""
    minutes = CHANGE_MINUTES[weight]
    return {
        PlanOption.NEAREST: minutes,
        PlanOption.WIDER: minutes,
        PlanOption.EVERYBODY: max(minutes // 3, 1),
    }
