"""The survey forms of a complex order: what they say, and the seller's action."""

from datetime import date

from django.http import QueryDict

from seller_sandbox.console.orders.complex_panel import read_pounds
from seller_sandbox.orders import seller_actions

IMPOSSIBLE, SKIP = "impossible", "skip"


def record_desktop(reference: str, data: QueryDict, *, earliest: date | None) -> str:
    """Raises ActionNotPossible."""
    outcome = data.get("outcome")
    if outcome == IMPOSSIBLE:
        seller_actions.record_desktop_survey(reference=reference, is_possible=False)
        return "The survey found that the installation is not possible: the order is cancelled."
    if outcome == SKIP:
        seller_actions.record_desktop_survey(
            reference=reference, is_skipped=True, earliest_survey_date=earliest
        )
        return "The desktop survey is skipped."
    estimate = read_pounds("Estimate", data.get("estimate", ""))
    seller_actions.record_desktop_survey(
        reference=reference, estimate_pence=estimate, earliest_survey_date=earliest
    )
    return "The desktop survey is completed, and the buyer has the estimate."


def record_physical(reference: str, data: QueryDict, *, earliest: date | None) -> str:
    """Raises ActionNotPossible."""
    if data.get("outcome") == IMPOSSIBLE:
        seller_actions.record_physical_survey(reference=reference, is_possible=False)
        return "The survey found that the installation is not possible: the order is cancelled."
    seller_actions.record_physical_survey(
        reference=reference,
        cost_pence=read_pounds("Finalised cost", data.get("cost", "")),
        survey_cost_pence=read_pounds("Cost of the survey", data.get("survey_cost", "")),
        needs_civils=data.get("needs_civils") == "yes",
        earliest_appointment_date=earliest,
    )
    return "The cost is finalised, and the buyer has it."
