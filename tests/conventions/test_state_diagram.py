"""docs/states.md is what dispatch/states.py says."""

from tools.state_diagram import PAGE, states_page


def test_diagram_is_current() -> None:
    assert PAGE.read_text() == states_page(), "run: python -m tools.state_diagram"


def test_diagram_shows_a_move_a_fact_and_a_beginning() -> None:
    lines = states_page().splitlines()

    assert "| `en_route` | En route |  |  | → En route |  |  |  |  |  |" in lines
    assert "| `ont_scanned` | ONT scanned |  |  |  |  | · |  |  |  |" in lines
    assert "    [*] --> unassigned: Job pack received" in lines
    assert "| `on_site` | On site | Engineer |" in lines
