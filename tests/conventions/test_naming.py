"""The words of the code base, held over every identifier, with examples of their own."""

from collections.abc import Iterable

import pytest

from tests.conventions import naming
from tests.conventions.sources import OURS, PACKAGES, Source, python

# path of a file: why a forbidden word stands in it
ALLOWED = {"tools/phone_schema.py": "its members are the names of the JSON that phones have stored"}

BAD = [
    ("def said(): ...", "said"),
    ("def open_door(): ...", "open_door"),
    ("class Letters: ...", "Letters"),
    ("class SentLetter: ...", "SentLetter"),
    ("def test_seller_is_told(): ...", "test_seller_is_told"),
    ("def send(letter): ...", "letter"),
    ("def send(*given): ...", "given"),
    ("def send(**_given): ...", "_given"),
    ("send = lambda one: one", "one"),
    ("words = []", "words"),
    ("PLACES = ()", "PLACES"),
    ("for one in jobs: ...", "one"),
    ("ids = [one.pk for one in jobs]", "one"),
    ("self.news = 1", "news"),
    ("with open(path) as kept: ...", "kept"),
    ("try: ...\nexcept OSError as thing: ...", "thing"),
    ("import json as wish", "wish"),
    ("match x:\n    case [one, *rest]: ...", "one"),
    ("if (said := send()): ...", "said"),
]
GOOD = [
    "def taken_at(): ...",
    "def test_photo_taken_without_signal(): ...",
    "one_time = 1",
    "keyword = 1",
    "wording = 1",
    "placeholder = 1",
    "self.newsletters",
    "body = facts['told']",
    "other.said()",
    "from other import said",
    '"""What the door said."""',
    "# one letter",
]


def test_no_name_has_a_forbidden_word() -> None:
    assert [
        line
        for source in python(*PACKAGES, "tools", "tests")
        if source.path not in ALLOWED
        for line in naming.forbidden_names(source)
    ] == []


@pytest.mark.parametrize("path", ALLOWED)
def test_each_exception_is_needed(path: str) -> None:
    (source,) = (source for source in python(*PACKAGES, "tools", "tests") if source.path == path)

    assert naming.forbidden_names(source)


@pytest.mark.parametrize(("text", "name"), BAD)
def test_forbidden_word_is_named(text: str, name: str) -> None:
    lines = naming.forbidden_names(Source("dispatch/example.py", text))

    assert [line.split(":")[:2] for line in lines] == [["dispatch/example.py", f"{_line(text, name)} {name}"]]


def _line(text: str, name: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), start=1) if name in line)


@pytest.mark.parametrize("text", GOOD)
def test_good_name_is_left_alone(text: str) -> None:
    assert naming.forbidden_names(Source("dispatch/example.py", text)) == []


@pytest.mark.parametrize("path", ["phone/pulse.py", "seller_link/doors/views.py", "tests/faults/place.py"])
def test_path_of_a_module_is_a_name(path: str) -> None:
    assert len(naming.forbidden_names(Source(path, ""))) == 1


def test_each_class_has_a_name_of_its_own() -> None:
    assert naming.repeated_classes(python(*OURS)) == []
    assert naming.repeated_classes(python("seller_sandbox")) == []


def test_each_module_has_a_name_of_its_own_in_its_app() -> None:
    assert naming.repeated_modules(python(*OURS)) == []
    sandbox = [source for source in python("seller_sandbox") if "/tests/" not in source.path]
    assert naming.repeated_modules(sandbox) == []


def test_repeated_class_is_named() -> None:
    again = "class Visit:\n    class Meta: ...\nclass Command: ..."

    assert naming.repeated_classes(
        [
            Source("dispatch/models.py", again),
            Source("board/lines.py", f"def build():\n    {'class Visit: ...'}\n"),
        ]
    ) == ["Visit stands in dispatch/models.py, board/lines.py"]
    assert naming.repeated_classes([Source("dispatch/models.py", again)]) == []


def test_repeated_module_is_named() -> None:
    paths = [
        "board/day/lines.py",
        "board/jobs/lines.py",
        "phone/lines.py",
        "board/day/views.py",
        "board/jobs/views.py",
    ]
    paths += ["board/relay.py", "board/management/commands/relay.py"]
    # each folder of the sandbox is an app
    paths += [f"seller_sandbox/{path}.py" for path in ("jobs/states", "orders/states", "jobs/data/states")]

    assert naming.repeated_modules([Source(path, "") for path in paths]) == [
        "board: lines stands in board/day/lines.py, board/jobs/lines.py",
        "seller_sandbox/jobs: states stands in seller_sandbox/jobs/states.py, seller_sandbox/jobs/data/states.py",
    ]


def test_url_names_have_hyphens() -> None:
    sources = [source for source in python(*PACKAGES) if source.path.endswith("urls.py")]

    assert len(sources) > 10
    assert [line for source in sources for line in naming.url_names_with_underscore(source)] == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('path("", view, name="sign_in")', ["board/urls.py:1 sign_in"]),
        ('re_path("^a_b$", view,\n    name="a_b")', ["board/urls.py:2 a_b"]),
        ('path("sign_in/", view, name="sign-in")', []),
        ('path("", include("partner_api.office_urls"))', []),
        ('structlog.get_logger(name="sign_in")', []),
    ],
)
def test_url_name_with_underscore_is_named(text: str, found: list[str]) -> None:
    assert naming.url_names_with_underscore(Source("board/urls.py", text)) == found


# settings, environment, urls, wsgi, storage, logging and the SQLite backend (docs/architecture.md)
MAX_CONFIG_MODULES = 12


def config_modules(paths: Iterable[str]) -> list[str]:
    """Those with code of their own; a command is found by its name."""
    return [path for path in paths if not path.endswith("/__init__.py") and "/commands/" not in path]


def test_config_stays_small() -> None:
    modules = config_modules(source.path for source in python("config"))

    assert len(modules) <= MAX_CONFIG_MODULES, modules


def test_modules_of_config_are_counted_without_commands() -> None:
    paths = ["config/urls.py", "config/__init__.py", "config/sqlite/base.py"]
    paths += ["config/sqlite/__init__.py", "config/management/commands/web.py"]

    assert config_modules(paths) == ["config/urls.py", "config/sqlite/base.py"]
