"""Every scenario by name."""

from tests.faults import background, callers, hidden, kills, lies, machine, phones, thousands
from tests.faults.scenario import Scenario

SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for module in (kills, lies, callers, machine, background, thousands, hidden, phones)
    for scenario in module.SCENARIOS
}
