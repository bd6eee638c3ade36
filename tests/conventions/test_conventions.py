"""The project's rules, held over every file, with good and bad examples so that no rule can rot."""

from collections.abc import Callable

import pytest
from django.urls import URLPattern, URLResolver, get_resolver, path

from tests.conventions import rules
from tests.conventions.sources import OURS, PACKAGES, Source, python, read

Rule = Callable[[Source], list[str]]
# the wire itself, its other side, the rehearsal's reader of that side's reports, and the buyers of its order interface
MAY_NAME_THE_WIRE = (
    *("seller_link/", "seller_sandbox/"),
    *("demo/rehearsal/sandbox_client.py", "demo/order_scenarios/"),
)
# Django's own pages, behind its own log-in
DJANGO_S_OWN = ("admin/",)


def broken(rule: Rule, sources: list[Source]) -> list[str]:
    return [line for source in sources for line in source.cannot_be_parsed or rule(source)]


def scripts() -> list[Source]:
    return [*read(("static/js",), ".js", ".mjs"), *read(("seller_sandbox",), ".js", ".mjs")]


def templates() -> list[Source]:
    return [*read(("templates", "seller_sandbox"), ".html")]


@pytest.mark.parametrize(
    "rule", [rules.positional_booleans, rules.long_functions], ids=lambda rule: rule.__name__
)
def test_rule_holds_everywhere(rule: Rule) -> None:
    assert broken(rule, python(*PACKAGES, "tools", "tests")) == []


@pytest.mark.parametrize("rule", [rules.prints, rules.unmanaged_clocks], ids=lambda rule: rule.__name__)
def test_rule_holds_in_the_product(rule: Rule) -> None:
    assert broken(rule, python(*OURS)) == []


def test_no_file_is_too_long() -> None:
    sources = [*python(*PACKAGES, "tools", "tests"), *scripts(), *templates()]

    assert [line for source in sources for line in rules.long_files(source)] == []


def test_no_double_of_our_own_code() -> None:
    assert broken(rules.doubles_of_ours, python("tests", "seller_sandbox")) == []


def test_wire_names_stay_on_the_wire() -> None:
    elsewhere = [*python(*OURS, "tools")]
    texts = [*read(("templates", "static/js", "closures"), ".html", ".js", ".mjs", ".json")]

    assert [
        line
        for rule, sources in ((rules.wire_names_in_python, elsewhere), (rules.wire_names_in_text, texts))
        for line in broken_text(rule, sources)
    ] == []


def broken_text(rule: Rule, sources: list[Source]) -> list[str]:
    return [
        line for source in sources if not source.path.startswith(MAY_NAME_THE_WIRE) for line in rule(source)
    ]


def test_templates_carry_no_inline_script_or_style() -> None:
    assert [line for source in templates() for line in rules.inline_in_template(source)] == []


def unmarked(patterns: list[URLPattern | URLResolver], prefix: str = "") -> list[str]:
    found = []
    for pattern in patterns:
        route = f"{prefix}{pattern.pattern}"
        if route.startswith(DJANGO_S_OWN):
            continue
        if isinstance(pattern, URLResolver):
            found += unmarked(pattern.url_patterns, route)
        elif not getattr(pattern.callback, "opened_by", ""):
            found.append(f"/{route} says not who may open it")
    return found


def test_every_view_says_who_may_open_it() -> None:
    assert unmarked(get_resolver("config.urls").url_patterns) == []


def test_unmarked_view_is_named() -> None:
    def view() -> None: ...

    def marked() -> None: ...

    marked.opened_by = "engineer"  # type: ignore[attr-defined]

    assert unmarked([_pattern("phone/", view), _pattern("board/", marked), _pattern("admin/", view)]) == [
        "/phone/ says not who may open it"
    ]


def _pattern(route: str, view: Callable[[], None]) -> URLPattern:
    return path(route, view)  # type: ignore[arg-type]


BAD = [
    (rules.positional_booleans, "def move(job, force: bool): ...", "move takes the boolean force by place"),
    (rules.positional_booleans, "def move(job, force=False): ...", "move takes the boolean force by place"),
    (rules.positional_booleans, "def move(late: bool | None): ...", "move takes the boolean late by place"),
    (rules.long_functions, "def tall():\n" + "    x = 1\n" * 50, "tall has 51 lines"),
    (rules.long_files, "x = 1\n" * 301, "301 lines"),
    (rules.prints, "print('done')", "prints"),
    (rules.unmanaged_clocks, "now = datetime.now(UTC)", "asks the clock without Django"),
    (rules.unmanaged_clocks, "now = datetime.datetime.utcnow()", "asks the clock without Django"),
    (rules.unmanaged_clocks, "day = date.today()", "asks the clock without Django"),
    (rules.doubles_of_ours, "from unittest.mock import patch", "imports a mock library"),
    (rules.doubles_of_ours, "import unittest.mock", "imports a mock library"),
    (
        rules.doubles_of_ours,
        "from dispatch import jobs\ndef test(monkeypatch): monkeypatch.setattr(jobs, 'cancel', None)",
        "replaces something of ours",
    ),
    (
        rules.doubles_of_ours,
        "def test(monkeypatch): monkeypatch.setattr('dispatch.jobs.cancel_job', None)",
        "replaces something of ours",
    ),
    (rules.wire_names_in_python, "body = {'providerJobId': job}", "uses the wire name providerJobId"),
    (rules.wire_names_in_python, "closureCode = code", "uses the wire name closureCode"),
    (rules.wire_names_in_python, "send(sellerJobId=1)", "uses the wire name sellerJobId"),
    (
        rules.wire_names_in_text,
        "<td>{{ body.questions_answers }}</td>",
        "uses the wire name questions_answers",
    ),
    (rules.inline_in_template, "<script>go()</script>", "has an inline script"),
    (rules.inline_in_template, '<script type="module">go()</script>', "has an inline script"),
    (rules.inline_in_template, "<style>p{}</style>", "has an inline style sheet"),
    (rules.inline_in_template, '<p class="a"\n style="color:red">', "has a style attribute"),
    (rules.inline_in_template, '<button onclick="go()">', "has a script attribute"),
]

GOOD = [
    (rules.positional_booleans, "def move(job, *, force: bool = False): ..."),
    (rules.positional_booleans, "def test_move(late: bool): ..."),
    (rules.long_functions, "def tall():\n" + "    x = 1\n" * 49),
    (rules.long_files, "x = 1\n" * 300),
    (rules.prints, "self.stdout.write('done')"),
    (rules.unmanaged_clocks, "now = timezone.now()"),
    (rules.doubles_of_ours, "def test(monkeypatch): monkeypatch.setattr('demo.process_manager.PATIENCE', 1)"),
    (rules.doubles_of_ours, "def test(monkeypatch): monkeypatch.setattr('socket.socket', None)"),
    (
        rules.doubles_of_ours,
        "def full(): raise OSError\ndef test(monkeypatch): monkeypatch.setattr('dispatch.jobs.cancel_job', full)",
    ),
    (rules.wire_names_in_python, 'def enrol():\n    """Sets the providerJobId."""\n'),
    (rules.wire_names_in_text, "// the server turns it into closureCode"),
    (rules.inline_in_template, '<script src="{% static \'built/js/pages.js\' %}" type="module"></script>'),
    (rules.inline_in_template, '<script type="application/json" id="flow">{}</script>'),
    (rules.inline_in_template, '<p class="style">An old style = a new one</p>'),
]


@pytest.mark.parametrize(("rule", "text", "sentence"), BAD)
def test_bad_example_is_named(rule: Rule, text: str, sentence: str) -> None:
    lines = rule(Source("dispatch/example.py", text))

    assert [line.rpartition(sentence)[1] for line in lines] == [sentence]


@pytest.mark.parametrize(("rule", "text"), GOOD)
def test_good_example_is_left_alone(rule: Rule, text: str) -> None:
    assert rule(Source("dispatch/example.py", text)) == []


@pytest.mark.parametrize("path", ["tests/test_long.py", "seller_sandbox/tests/test_long.py"])
def test_tests_may_be_longer(path: str) -> None:
    assert rules.long_files(Source(path, "x = 1\n" * 400)) == []
    assert rules.long_files(Source(path, "x = 1\n" * 401)) != []


def test_print_of_a_command_is_left_alone() -> None:
    assert rules.prints(Source("dispatch/management/commands/locate_jobs.py", "print(1)")) == []


@pytest.mark.parametrize("rule", [rules.positional_booleans, rules.prints, rules.wire_names_in_python])
def test_file_that_cannot_be_parsed_is_a_finding(rule: Rule) -> None:
    assert broken(rule, [Source("dispatch/broken.py", "def (")]) == ["dispatch/broken.py:1 cannot be parsed"]
