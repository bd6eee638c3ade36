"""Situations of a line that another provider takes over (order-provisioning.md, Switch and WLTO rules)."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from tests.acceptance.orders.parties import LOCAL_160, PlacedOrder, Seller, next_working_day
from tests.acceptance.orders.situations import NATIONAL_160, situation
from tests.acceptance.orders.wire import element

LONDON = ZoneInfo("Europe/London")
PONR_HOUR = 18


def _take_over(seller: Seller, kind: str = "WLTO", content: str = "") -> tuple[PlacedOrder, PlacedOrder]:
    """BUYERA's order for the line of BUYERB on the earliest date, and the cease of it, both committed."""
    uprn = seller.unused_uprn(24)
    wanted = element("newOrderType", kind) + content
    order = seller.buyer().install(uprn, wanted, product=NATIONAL_160)
    seller.move()
    (cease,) = seller.orders_of(uprn=uprn, buyer="BUYERB")
    assert (order.state, cease.state) == ("committed", "committed"), (order.kinds, cease.kinds)
    return order, cease


def _day_of(order: PlacedOrder) -> date:
    return date.fromisoformat(order.report["requestedDate"])


def _amend_date(seller: Seller, order: PlacedOrder, day: date, *, short_name: str) -> None:
    seller.buyer(short_name).amend(order, element("requestedDate", day.isoformat()))


def _pass_the_point_of_no_return(seller: Seller, day: date) -> None:
    """18:00 on the business day before."""
    before = day - timedelta(days=1)
    while before.weekday() > 4:
        before -= timedelta(days=1)
    seller.move_to_instant(datetime.combine(before, time(PONR_HOUR, 1), tzinfo=LONDON))


@situation
def wlto_date_controlled_by_the_losing_provider(seller: Seller) -> None:
    """Switch and WLTO rules 3."""
    order, cease = _take_over(seller)
    day = next_working_day(_day_of(order), 5)
    _amend_date(seller, cease, day, short_name="b")
    assert (_day_of(order), order.kinds[-1]) == (day, "linkedDateChanged")
    _amend_date(seller, order, day, short_name="a")
    assert order.kinds[-1] == "amendRequestedDateRejected"
    later = next_working_day(day)
    _amend_date(seller, order, later, short_name="a")
    assert (order.kinds[-1], _day_of(order), _day_of(cease)) == ("amendmentAccepted", later, day)
    seller.move_to(later + timedelta(days=1))
    assert (order.state, cease.state) == ("completed", "completed")


@situation
def wlto_is_fixed_at_the_point_of_no_return(seller: Seller) -> None:
    """Switch and WLTO rules 4."""
    order, _ = _take_over(seller)
    day = _day_of(order)
    _pass_the_point_of_no_return(seller, day)
    _amend_date(seller, order, next_working_day(day, 15), short_name="a")
    assert (order.kinds[-1], _day_of(order)) == ("amendRequestedDateRejected", day)
    seller.move_to(day + timedelta(days=1))
    assert order.state == "completed"


@situation
def end_user_of_a_wlto_is_not_moving(seller: Seller) -> None:
    """Other codes, 9190."""
    order, cease = _take_over(seller)
    seller.buyer("b").cancel(cease, "300")
    assert cease.state == "committed", "only 9190 cancels an unsolicited cease"
    seller.buyer("b").cancel(cease, "9190")
    assert (order.state, cease.state) == ("cancelled", "cancelled")
    assert order.members("cancelled")["reason"]["code"] == "9190"


@situation
def own_cease_of_the_losing_provider_is_not_overtaken(seller: Seller) -> None:
    """Switch and WLTO rules 1 to 3: linked, and the WLTO waits for its later date."""
    uprn = seller.unused_uprn(24)
    service = seller.control.get(f"network/{uprn}")["service"]["serviceIdentifier"]
    day = next_working_day(seller.today(), 30)
    wanted = element("serviceIdentifier", service) + element("requestedDate", day.isoformat())
    own = seller.buyer("b").order(element("alaCease", wanted), path="ceaseOrder")
    order = seller.buyer().install(uprn, element("newOrderType", "WLTO"), product=NATIONAL_160)
    ceases = seller.orders_of(uprn=uprn, buyer="BUYERB")
    assert [cease.reference for cease in ceases] == [own.reference], "no second cease for the premises"
    assert _day_of(order) == day
    seller.buyer().cancel(order)
    assert (order.state, own.state) == ("cancelled", "committed")


@situation
def switch_on_the_next_business_day(seller: Seller) -> None:
    """Limits, One Touch Switch change: without an engineer the next business day is soon enough, and today is not."""
    uprn = seller.unused_uprn(24)
    today = seller.today()
    for day, is_taken in ((today, False), (next_working_day(today, 2), True)):
        wanted = element("newOrderType", "Switch") + element("requestedDate", day.isoformat())
        order = seller.buyer().install(uprn, wanted, product=NATIONAL_160)
        assert (order.state == "committed") == is_taken, (day, order.kinds)
    managed = element("newOrderType", "Switch") + element("requestedDate", today.isoformat())
    assert seller.buyer().install(seller.unused_uprn(24), managed, product=LOCAL_160).state == "rejected"


@situation
def losing_provider_delays_a_managed_wlto(seller: Seller) -> None:
    """Switch and WLTO rules 6: after the point of no return the gaining provider gets Delay Reappoint."""
    uprn, buyer = seller.unused_uprn(24), seller.buyer()
    key = buyer.reserve(uprn, product=NATIONAL_160, first=next_working_day(seller.today(), 15))
    wanted = element("newOrderType", "WLTO") + key + "<engineerInstall/>"
    order = buyer.install(uprn, wanted, product=NATIONAL_160)
    seller.move()
    (cease,) = seller.orders_of(uprn=uprn, buyer="BUYERB")
    seller.partner().accepted_job(order)
    day = date.fromisoformat(order.report["appointment"]["starts_at"][:10])
    _pass_the_point_of_no_return(seller, day)
    _amend_date(seller, cease, next_working_day(day, 5), short_name="b")
    assert (cease.kinds[-1], order.kinds[-1]) == ("amendmentAccepted", "delayReappoint")
    assert order.members("delayReappoint")["delay"]["code"] == "232"
    seller.partner().accepted_job(order)
    buyer.amend(order, buyer.reserve(uprn, product=NATIONAL_160, first=next_working_day(day, 7)))
    assert (order.state, order.kinds[-1]) == ("committed", "amendmentAccepted")
