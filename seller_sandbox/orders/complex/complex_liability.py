"""Who pays for the survey of a complex order that is cancelled (order-provisioning.md, Complex-order rules 3; D20)."""

from seller_sandbox.orders.models import ComplexOrder, Course, Order


def settle(order: Order) -> None:
    """The order is about to be cancelled: keep what its buyer owes, which no message carries."""
    progress = ComplexOrder.objects.filter(order=order).first() if order.course == Course.COMPLEX else None
    if progress and _is_liable(progress):
        progress.survey_liability_pence = progress.survey_cost_pence
        progress.save(update_fields=["survey_liability_pence"])


def _is_liable(progress: ComplexOrder) -> bool:
    """The finalised cost is known after the physical survey only; without an estimate there is nothing to keep to."""
    if progress.is_desktop_survey_skipped or progress.estimate_pence is None:
        return False
    return progress.cost_pence is not None and progress.cost_pence <= progress.estimate_pence
