"""The numbers of order-provisioning.md (Limits), one name each, and the instants that follow from them.

Dates are Europe/London (D7): "midnight of a day" is its first instant; a window that opens on day D ends at 00:00 of
the day after D + its length (D9).
"""

from datetime import date, datetime, time, timedelta

from django.conf import settings

from seller_sandbox import clock
from seller_sandbox.network import business_days

REFERENCE_CHARACTERS = 36
APPOINTMENT_WINDOW_DAYS = 30
REGRADE_WINDOW_DAYS = 30
REAPPOINTMENT_WINDOW_DAYS = 30
REMOTE_SURVEY_WORKING_DAYS = 10
ESTIMATE_WINDOW_DAYS = 45
COST_WINDOW_DAYS = 45
INTERNAL_WINDOW_DAYS = 30
SWITCH_DATE_WORKING_DAYS = 1
SWITCH_APPOINTMENT_WORKING_DAYS = 2
WLTO_WORKING_DAYS = 10
OWN_WLTO_DAYS = 2
LATE_HOUR = time(13)
MISSED_APPOINTMENT_LAST_DAY = 9
LATE_PROVISION_FIRST_DAY = 15
LATE_PROVISION_LAST_DAY = 21
VLANS = range(1, 4095)


def midnight(day: date) -> datetime:
    """The first instant of a day."""
    return datetime.combine(day, time(), tzinfo=settings.LOCAL_ZONE)


def local(moment: datetime) -> datetime:
    return moment.astimezone(settings.LOCAL_ZONE)


def local_day(moment: datetime) -> date:
    return local(moment).date()


def window_end(days: int) -> datetime:
    """When a window that opens now has ended."""
    return midnight(clock.today() + timedelta(days=days + 1))


def late_from(appointment_start: datetime) -> datetime:
    """1 pm on the calendar day before the slot: exactly then is not late yet (D17)."""
    day = local_day(appointment_start) - timedelta(days=1)
    return datetime.combine(day, LATE_HOUR, tzinfo=settings.LOCAL_ZONE)


def no_return(day: date) -> datetime:
    """The point of no return: by setting 18:00 on the business day before (D14)."""
    before = business_days.business_day_before(day)
    return datetime.combine(before, time(settings.PONR_HOUR), tzinfo=settings.LOCAL_ZONE)


def earliest_activation(ordered_on: date) -> date:
    """Remote activation: from the next working day (Endpoints 3)."""
    return business_days.add_business_days(ordered_on, 1)


def earliest_regrade(ordered_on: date) -> date:
    """An order placed on a day is processed at midnight of the following day (Limits)."""
    return ordered_on + timedelta(days=1)


def regrade_day(wanted: date, *, ordered_on: date) -> date:
    """A date of the day itself is processed at the next midnight, and not rejected (D7)."""
    return earliest_regrade(ordered_on) if wanted == ordered_on else wanted


def earliest_takeover(ordered_on: date, *, is_wlto: bool, is_appointed: bool, is_own: bool) -> date:
    """Switch: next business day, two for a managed install; WLTO: ten business days, own service two days (D11)."""
    if is_wlto:
        if is_own:
            return ordered_on + timedelta(days=OWN_WLTO_DAYS)
        return business_days.add_business_days(ordered_on, WLTO_WORKING_DAYS)
    if not is_appointed and not settings.ONE_TOUCH_SWITCH:
        # before the One Touch Switch change a non-appointed switch had the lead time of a WLTO
        return business_days.add_business_days(ordered_on, WLTO_WORKING_DAYS)
    days = SWITCH_APPOINTMENT_WORKING_DAYS if is_appointed else SWITCH_DATE_WORKING_DAYS
    return business_days.add_business_days(ordered_on, days)


def notice_charge(wanted: date | None, *, asked_at: datetime, notice_days: int) -> int:
    """The days charged for a cease: the whole notice period when its date is closer than that, or it has none."""
    days = (wanted - local_day(asked_at)).days if wanted else 0
    return notice_days if days < notice_days else 0
