"""What tests share: certificates of both sides and running endpoints of a seller."""

import gc
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
import time_machine
from django.db import connections
from django.utils import translation
from hypothesis import HealthCheck, Phase, settings
from pytest_django import Settings

from closures.question_matrix import matrix_editions
from dispatch.planning import comparisons
from tests import make, migrated
from tests.flush import quick_flush
from tests.made_once import shared_folder
from tests.rolled_back import clear_caches
from tests.servers import seller
from tests.servers.certificates import Authority

# how long something takes is asked of `make bench`, not of a test that runs with others
settings.register_profile(
    "any_machine",
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    # a found example is shown: to explain it traces each line, which outlasted the test's time limit
    phases=[phase for phase in Phase if phase is not Phase.explain],
)
settings.load_profile("any_machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--only-database",
        action="store_true",
        help="leave out what opens no database: for a second run, on another database",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Workers inherit the folder of their run."""
    if is_worker():
        return
    opened = ExitStack()
    shared = opened.enter_context(shared_folder())
    opened.callback(migrated.drop_template, shared)
    config.add_cleanup(opened.close)


def is_worker() -> bool:
    return "PYTEST_XDIST_WORKER" in os.environ


@pytest.hookimpl(hookwrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected stays to the end: to look for garbage among it again and again was a sixth of a run."""
    gc.disable()
    yield
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # workers take whole files, in this order: the long ones first, or one worker is busy with them at the end
    long = {item.path for item in items if _is_of_a_long_file(item)}
    items.sort(key=lambda item: item.path not in long)
    if not config.getoption("--only-database"):
        return
    left_out = [item for item in items if not _opens_database(item)]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if _opens_database(item)]


def _is_of_a_long_file(item: pytest.Item) -> bool:
    """It waits for processes, or starts a whole system for its stories."""
    module = getattr(item, "module", None)
    return bool(item.get_closest_marker("slow")) or getattr(module, "HAS_OWN_SYSTEM", False)


def _opens_database(item: pytest.Item) -> bool:
    marked = item.get_closest_marker("django_db") or item.get_closest_marker("postgresql")
    return bool(marked or {"db", "transactional_db"} & set(getattr(item, "fixturenames", ())))


@pytest.fixture(scope="session")
def django_db_keepdb(request: pytest.FixtureRequest) -> bool:
    """A worker's SQLite file is there before Django would make it, and is removed where it was put (below)."""
    return is_worker() and connections["default"].vendor == "sqlite"


@pytest.fixture(scope="session")
def django_db_modify_db_settings(django_db_modify_db_settings_parallel_suffix: None) -> Iterator[None]:
    """Workers begin with a copy of a database that was migrated once, where `migrate` finds nothing to do; a single
    process migrates its own."""
    if not is_worker():
        yield
        return
    own = connections["default"].settings_dict["TEST"]
    if connections["default"].vendor == "postgresql":
        own["TEMPLATE"] = migrated.postgresql_template()
        yield
        return
    migrated.copy_sqlite(Path(own["NAME"]))
    yield
    Path(own["NAME"]).unlink()


@pytest.fixture(autouse=True, scope="session")
def flush_what_was_filled() -> Iterator[None]:
    with quick_flush():
        yield


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    """A request leaves its language to the thread; on a server the next request brings its own, in a test none does."""
    yield
    translation.deactivate()


@pytest.fixture(autouse=True)
def empty_cache() -> None:
    """Rate limits count by user id, and each test's users have the same ids."""
    clear_caches()
    # tests import editions of one name at one stopped moment
    matrix_editions.load_edition.cache_clear()


@pytest.fixture(autouse=True)
def unhurried_planner(monkeypatch: pytest.MonkeyPatch) -> None:
    """The ways of a comparison are limited by work; their two seconds end them early on a machine that is busy."""
    monkeypatch.setattr(comparisons, "SECONDS_OF_OPTION", 120)


@pytest.fixture
def day_before() -> Iterator[None]:
    """Noon of the day before make.DAY, whenever the tests run; for this process only."""
    with time_machine.travel(make.at("12:00", day=make.DAY - make.minutes(24 * 60))):
        yield


@pytest.fixture(scope="session")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("certs"))


@pytest.fixture(scope="session")
def other_authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("other"), name="Another CA")


@pytest.fixture
def our_certificates(authority: Authority, settings: Settings) -> None:
    ours = authority.issue("partner")
    settings.SELLER_CA = authority.ca
    settings.SELLER_CLIENT_CERT, settings.SELLER_CLIENT_KEY = ours.certificate, ours.key
    settings.SELLER_SERVER_CERT, settings.SELLER_SERVER_KEY = ours.certificate, ours.key


@pytest.fixture
def endpoint(authority: Authority, our_certificates: None, settings: Settings) -> Iterator[seller.Endpoint]:
    with seller.running(identity=authority.issue("seller"), ca=authority.ca) as running:
        settings.SELLER_ENDPOINTS = [running.url]
        settings.SELLER_DEADLINE_SECONDS = 1.5
        yield running


@pytest.fixture
def second(authority: Authority, endpoint: seller.Endpoint, settings: Settings) -> Iterator[seller.Endpoint]:
    with seller.running(identity=authority.issue("seller"), ca=authority.ca) as running:
        settings.SELLER_ENDPOINTS = [endpoint.url, running.url]
        yield running
