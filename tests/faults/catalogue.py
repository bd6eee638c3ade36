"""Every scenario by name."""

from tests.faults import background, callers, kills, lies, machine
from tests.faults.scenario import Scenario

SCENARIOS: dict[str, Scenario] = {
    scenario.name: scenario
    for room in (kills, lies, callers, machine, background)
    for scenario in room.SCENARIOS
}
