"""Every measurement in full and, with smaller samples, in its quick form. docs/numbers.md says what each row is."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from tests.bench import (
    back_online,
    board,
    board_browser,
    board_live,
    capacity,
    deadline,
    diagnostics,
    drain,
    forecast,
    idle,
    inbound,
    latency,
    lighthouse,
    load,
    map_pins,
    memory,
    message_tables,
    orders,
    orders_parse,
    phone,
    photo,
    plan,
    plan_compare,
    plan_days,
    plan_few_changes,
    plan_public,
    plan_sick,
    plan_urgent,
    races,
    reports,
    scan,
    scan_webkit,
    search,
    tap,
    tickets,
    timeline_libraries,
    weight,
    worst_pack,
)
from tests.bench.rows import Row
from tests.bench.runner import Measure, Measurement, Shared
from tests.servers.browser import CHROMIUM
from tests.servers.system import running
from tools.check import POSTGRESQL, postgresql_missing

# what quick forms share, since each of these systems takes a quarter of a minute to start
SYSTEM: Shared = running
SHIPPED_SYSTEM: Shared = partial(running, shipped=True)


def on_sqlite(
    name: str, measure: Callable[..., list[Row]], *, quick: dict[str, Any], **options: Any
) -> Measurement:
    """On a database in the measurement's folder."""

    def rows(folder: Path, **sizes: Any) -> list[Row]:
        return measure(name, url=f"sqlite:///{folder / 'bench.sqlite3'}", folder=folder, **options, **sizes)

    return Measurement(name, full=rows, quick=partial(rows, **quick))


def on_postgresql(
    name: str, measure: Callable[..., list[Row]], *, quick: dict[str, Any], **options: Any
) -> Measurement:
    """On a database of its own on the server."""

    def rows(folder: Path, **sizes: Any) -> list[Row]:
        with inbound.postgresql_database(POSTGRESQL) as url:
            return measure(name, url=url, folder=folder, **options, **sizes)

    return Measurement(name, full=rows, quick=partial(rows, **quick), missing=postgresql_missing)


def of(name: str, measure: Measure, *, quick: dict[str, Any], **more: Any) -> Measurement:
    """One function for both forms; `quick` holds the smaller sizes."""
    return Measurement(name, full=measure, quick=partial(measure, **quick), **more)


def chromium_missing() -> str:
    return "" if CHROMIUM else "no chromium is installed"


INBOUND = {"rounds": 1, "seconds": (3.0, 1.5)}
LATENCY = {"seconds": 3}
DRAIN = {"rounds": 1, "messages": 3000, "bare_seconds": 2.0}
DIAGNOSTICS = {"seconds": 2, "premises": 50}
COMMIT_TO_SELLER = {"samples": 25}


def message_tables_of(rows: int) -> Measurement:
    """Daily work on the tables of messages and events with so many rows."""
    measure = partial(message_tables.measure, rows=rows)
    return on_postgresql(f"message_tables_{rows // 1_000_000}m", measure, quick={"rows": 20_000})


PLAN = {"seeds": (1,), "goals": {2.0: 0.0}}


def planned(engineers: int, jobs: int, goals: dict[float, float]) -> Measurement:
    """The planner on days of this size; `goals` as in plan.measure."""
    measure = partial(plan.measure, engineers=engineers, jobs=jobs, goals=goals)
    return of(f"plan_{engineers}x{jobs}", measure, quick=PLAN)


MEASUREMENTS = [
    on_sqlite("inbound_sqlite", inbound.measure, quick=INBOUND),
    on_postgresql("inbound_postgresql", inbound.measure, quick=INBOUND),
    on_sqlite("inbound_latency_sqlite", latency.measure, quick=LATENCY),
    on_postgresql("inbound_latency_postgresql", latency.measure, quick=LATENCY),
    on_sqlite("relay_drain_sqlite", drain.measure, quick=DRAIN, number=1),
    on_postgresql("relay_drain_postgresql", drain.measure, quick=DRAIN, number=1),
    on_postgresql("relay_drain_two_relays", drain.measure, quick=DRAIN, number=2),
    on_sqlite("commit_to_seller_sqlite", idle.measure, quick=COMMIT_TO_SELLER, goal_milliseconds=80),
    on_postgresql("commit_to_seller_postgresql", idle.measure, quick=COMMIT_TO_SELLER, goal_milliseconds=20),
    Measurement("memory_flat", memory.measure, partial(memory.measure_start, warm_up=500, measured=1500)),
    of("orders_parse", orders_parse.measure, quick={"rounds": 10}),
    on_postgresql("orders_rate", orders.rate, quick={"orders": 50}),
    on_postgresql("tickets_rate", tickets.rate, quick={"tickets": 50}),
    on_postgresql("clock_year", orders.year, quick={"orders": 100}),
    on_sqlite("diagnostics_rate", diagnostics.measure, quick=DIAGNOSTICS),
    on_postgresql("diagnostics_rate_postgresql", diagnostics.measure, quick=DIAGNOSTICS),
    of("order_lives", orders.lives, quick={"orders": 100}),
    of("plan_days", plan_days.measure, quick={"days": 20}),
    of("ticket_lives", tickets.lives, quick={"tickets": 20}),
    of("deadline_overshoot", deadline.measure, quick={"rounds": 1}),
    of("board_60x300", board.measure, quick={"engineers": 15, "jobs": 75}),
    of("board_road_drives", board.measure_road_drives, quick={"engineers": 15, "jobs": 75}),
    of("capacity_200", capacity.measure, quick={"engineers": 20, "jobs": 500}),
    on_sqlite("search_200k_sqlite", search.measure, quick={"jobs": 10_000}),
    on_postgresql("search_200k_postgresql", search.measure, quick={"jobs": 10_000}),
    on_sqlite("reports_200k_sqlite", reports.measure, quick={"jobs": 20_000}),
    on_postgresql("reports_200k_postgresql", reports.measure, quick={"jobs": 20_000}),
    message_tables_of(message_tables.ROWS),
    of("map_pins", map_pins.measure, quick={"pins": 500, "rounds": 1}, missing=chromium_missing),
    of(
        "board_change_seen",
        board_live.measure,
        quick={"engineers": 15, "jobs": 75, "boards": 50, "changes": 5},
    ),
    planned(20, 100, {5.0: 96.3}),
    planned(60, 300, {5.0: 97.7, 60.0: 98.2}),
    # as many jobs for each engineer as in the others; 150 x 900 is more work than 97.5 % of it fits into the shifts
    planned(150, 750, {20.0: 97.5}),
    planned(150, 900, {20.0: 97.5}),
    planned(500, 2500, {5.0: 96.0, 60.0: 97.4}),
    of(
        "plan_against",
        partial(plan_compare.measure, sizes={(20, 100): 5.0, (60, 300): 20.0, (150, 900): 60.0}),
        quick={"sizes": {(20, 100): 2.0}, "seeds": (1,)},
        missing=plan_compare.compare_missing,
    ),
    of(
        "plan_public", plan_public.measure, quick={"seconds": 2, "most": 2}, missing=plan_public.files_missing
    ),
    of(
        "plan_few_changes",
        plan_few_changes.measure,
        quick={"engineers": 8, "jobs": 40, "seeds": (3,), "neighbourhoods": 30, "present": (1,)},
    ),
    of("plan_urgent", plan_urgent.measure, quick={"engineers": 20, "jobs": 100, "seeds": (1,)}),
    of("plan_sick", plan_sick.measure, quick={"engineers": 20, "jobs": 100, "seeds": (1,)}),
    of("forecast", forecast.measure, quick={"engineers": 20, "jobs": 100, "days": 5}),
    of("double_booking_races", races.measure, quick={"rounds": 30}),
    of(
        "board_first_paint",
        board_browser.measure,
        quick={"engineers": 15, "jobs": 75, "loads": 1},
        missing=chromium_missing,
    ),
    of(
        "board_beside_libraries",
        timeline_libraries.measure,
        quick={"engineers": 15, "jobs": 75, "loads": 1},
        missing=timeline_libraries.missing,
    ),
    of(
        "board_page_weight",
        board_browser.weigh,
        quick={"engineers": 15, "jobs": 75},
        missing=chromium_missing,
    ),
    of(
        "board_drop",
        board_browser.drop,
        quick={"engineers": 15, "jobs": 75, "drops": 2},
        missing=chromium_missing,
    ),
    of("worst_pack_page", worst_pack.measure, quick={"engineers": 15, "jobs": 75, "packs": 6}),
    of("scan_rate_server", scan.measure_server, quick={"each": 1}),
    of("scan_rate_chromium", scan.measure_chromium, quick={"each": 1}, missing=chromium_missing),
    of("scan_rate_webkit", scan_webkit.measure, quick={"each": 1}, missing=scan_webkit.missing),
    of("scan_tap_to_code", scan.measure_tap, quick={"taps": 1}, missing=chromium_missing),
    of(
        "load",
        load.measure,
        quick={"phones": 20, "boards": 2, "warm_up": 20, "seconds": 30},
        missing=load.missing,
    ),
    of("tap_to_seller", tap.measure, quick={"jobs": 8}, shared=SYSTEM),
    of(
        "phone_offline_open",
        phone.offline_open,
        quick={"openings": 1},
        missing=chromium_missing,
        shared=SYSTEM,
    ),
    of("phone_tap", phone.tap, quick={"taps": 40}, missing=chromium_missing, shared=SYSTEM),
    of(
        "phone_back_online",
        back_online.measure,
        quick={"runs": 2, "photos": 1},
        missing=chromium_missing,
        shared=SYSTEM,
    ),
    of("phone_photo_stored", photo.measure, quick={"photos": 1}, missing=chromium_missing, shared=SYSTEM),
    of(
        "phone_first_load",
        phone.first_load,
        quick={"loads": 1},
        missing=chromium_missing,
        shared=SHIPPED_SYSTEM,
    ),
    of("phone_script_size", weight.measure, quick={}, missing=chromium_missing, shared=SHIPPED_SYSTEM),
    of(
        "lighthouse",
        lighthouse.measure,
        quick={"pages": 1, "runs": 1},
        missing=lighthouse.missing,
        shared=SHIPPED_SYSTEM,
    ),
]
