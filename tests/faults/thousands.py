"""A hundred thousand messages through kills, before a seller that loses answers: none lost, none out of order.

A kill for so many deliveries and not for so many seconds: a slow machine would otherwise be killed at each message,
and a relay that has nothing to do would be killed for nothing.
"""

import threading
import time

from tests.bench import backlog
from tests.faults import questions
from tests.faults.fault_system import FaultSystem
from tests.faults.scenario import Scenario, ScenarioResult
from tests.faults.seller import ACCEPTS, Manner, now_and_then

# each ends at once: what hangs has scenarios of its own, and would make this one a test of the deadline
LOSES_ANSWERS = ["resets", "half", "half head", "wrong id"]
FAILS = ["500", "html"]
SHARE = 0.1
RELAYS = ("relay one", "relay two")
# about what a second brings when nobody is killed
DELIVERIES_A_KILL = 1500
# copies at the seller over those that it caused itself by losing our answer, in percent of the messages
MOST_EXCESS = 2.0
MAX_WAIT_SECONDS = 7000


class Losing:
    """A seller's manners, with a count of the messages that it acted upon without our getting its answer."""

    def __init__(self, system: FaultSystem) -> None:
        self._choose = now_and_then(system.chance, [*LOSES_ANSWERS, *FAILS], share=SHARE)
        self._lock = threading.Lock()
        self.lost = 0

    def choose(self) -> Manner:
        with self._lock:
            manner = self._choose()
            self.lost += manner.acts and manner is not ACCEPTS
            return manner


class Killer(threading.Thread):
    """Ends one of the relays, now this one and now that one, a moment after so many messages were answered."""

    def __init__(self, system: FaultSystem, delivered: threading.Semaphore) -> None:
        super().__init__(daemon=True)
        self.system, self.delivered = system, delivered
        self.hits, self.is_over = 0, False

    def run(self) -> None:
        while not self.is_over:
            for _ in range(self.system.chance.randint(1, 2 * DELIVERIES_A_KILL)):
                self.delivered.acquire()
            time.sleep(self.system.chance.uniform(0, 0.2))
            self.hits += self.system.keeper.processes[self.system.chance.choice(RELAYS)].kill()


def through_kills(system: FaultSystem) -> ScenarioResult:
    """A backlog as after an outage; two relays carry it, and now and then one of them is killed."""
    messages, losing = backlog.fill(system.messages or system.few(600, 100_000)), Losing(system)
    delivered = threading.Semaphore(0)
    for endpoint in system.endpoints:
        endpoint.choose, endpoint.after = losing.choose, delivered.release
    for name in RELAYS:
        system.start("relay", name=name)
    kills = Killer(system, delivered)
    kills.start()
    questions.wait_until_drained(system, seconds=MAX_WAIT_SECONDS)
    kills.is_over = True
    copies = questions.extra_copies(system.record)
    excess = round(100 * (copies - losing.lost) / messages, 2)
    wrong = questions.differences(system)
    if excess > MOST_EXCESS:
        wrong.append(
            f"{copies} copies at the seller, of which it caused {losing.lost}: {excess} points too many"
        )
    summary = (
        f"{messages} messages, {kills.hits} kills, {copies} copies, {losing.lost} answers lost by the seller"
    )
    return ScenarioResult(wrong, f"{summary}: excess {excess} points")


SCENARIOS = [Scenario("a hundred thousand messages through kills", through_kills)]
