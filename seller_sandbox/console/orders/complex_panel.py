"""The course of a complex order on its page: stage, what is awaited, dates, prices, and its survey forms."""

from dataclasses import dataclass
from datetime import datetime

from seller_sandbox.console import text_formats
from seller_sandbox.jobs.exceptions import ActionNotPossible
from seller_sandbox.orders.complex.complex_members import awaited_actions, earliest_appointment_date
from seller_sandbox.orders.models import ComplexOrder, ComplexStage, Order
from seller_sandbox.orders.notification_kinds import BuyerAction
from seller_sandbox.orders.states import OrderState

Fact = tuple[str, str]
AWAITED = {
    BuyerAction.ANSWER_ESTIMATE: "answer to the estimate",
    BuyerAction.BOOK_SURVEY: "appointment of the physical survey",
    BuyerAction.ANSWER_COST: "answer to the finalised cost",
    BuyerAction.BOOK_EXTERNAL: "appointment of the build to wall",
    BuyerAction.BOOK_INTERNAL: "appointment of the standard install",
}
PENCE = 100


@dataclass(frozen=True)
class ComplexPanel:
    """The forms are there while the order waits for the survey's result."""

    facts: list[Fact]
    milestones: list[Fact]
    can_record_desktop: bool
    can_record_physical: bool


def make_complex_panel(order: Order) -> ComplexPanel | None:
    """None for an order that is not complex, or has not begun its course."""
    progress = ComplexOrder.objects.filter(order=order).first()
    if progress is None:
        return None
    is_under_way = order.state == OrderState.ACKNOWLEDGED
    return ComplexPanel(
        facts=[fact for fact in _facts(order, progress) if fact[1]],
        milestones=[
            (text_formats.full_time(datetime.fromisoformat(entry["at"])), entry["name"])
            for entry in progress.milestones
        ],
        can_record_desktop=is_under_way and progress.stage == ComplexStage.DESKTOP_SURVEY,
        can_record_physical=is_under_way and progress.stage == ComplexStage.PHYSICAL_SURVEY_COMPLETED,
    )


def _facts(order: Order, progress: ComplexOrder) -> list[Fact]:
    awaited = awaited_actions(order, progress) if order.state == OrderState.ACKNOWLEDGED else []
    days = [
        ("Earliest survey", progress.earliest_survey_date),
        ("Survey booked for", progress.confirmed_survey_date),
        ("Earliest appointment", earliest_appointment_date(order, progress)),
    ]
    return [
        ("Stage", progress.stage),
        ("Awaited from the buyer", "; ".join(AWAITED[action] for action in awaited)),
        *[(name, text_formats.full_day(day)) for name, day in days if day],
        ("Desktop survey", "skipped" if progress.is_desktop_survey_skipped else ""),
        ("Estimate", _price(progress.estimate_pence, accepted_at=progress.estimate_accepted_at)),
        ("Finalised cost", _price(progress.cost_pence, accepted_at=progress.cost_accepted_at)),
        ("Civils", "needed" if progress.needs_civils else ""),
    ]


def _price(pence: int | None, *, accepted_at: datetime | None) -> str:
    if pence is None:
        return ""
    accepted = f", accepted {text_formats.full_time(accepted_at)}" if accepted_at else ""
    return f"{pounds(pence)}{accepted}"


def pounds(pence: int) -> str:
    return f"£{pence / PENCE:,.2f}"


def read_pounds(name: str, text: str) -> int:
    """Whole pence of `1,800` or `1800.50`. Raises ActionNotPossible."""
    try:
        return round(float(text.replace(",", "").removeprefix("£")) * PENCE)
    except (ValueError, OverflowError) as problem:
        raise ActionNotPossible(f"{name}: give an amount in pounds, like 1800.50.") from problem


def survey_liability(order: Order) -> list[Fact]:
    """What the buyer of a cancelled complex order owes (order-decisions.md, D20)."""
    owed = ComplexOrder.objects.filter(order=order, survey_liability_pence__gt=0)
    return [
        ("Survey liability", pounds(pence)) for pence in owed.values_list("survey_liability_pence", flat=True)
    ]
