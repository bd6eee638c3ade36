"""What a scenario needs: both sides as processes, buyers, a dispatcher, engineers' phones, one moved clock."""

import math
import time
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from http import HTTPStatus
from pathlib import Path
from typing import Any

from demo.development_ca import issue, make_authority, save
from demo.environment import BASE_DIR, DemoEnvironment, make_data, run_command, wait_until, wait_until_serving
from demo.management.commands.demo_people import ENGINEERS
from demo.order_scenarios.buyer import Buyer, open_buyer
from demo.order_scenarios.callback import Callback, open_callback
from demo.order_scenarios.moved_clock import MovedClock
from demo.ports import free_ports
from demo.process_manager import ProcessManager, ProcessSpec
from demo.rehearsal.app_client import HttpSession, PhoneClient, SessionError, UnexpectedAnswer
from demo.rehearsal.sandbox_client import SandboxClient
from demo.rehearsal.simulated_dispatcher import SimulatedDispatcher

# the scenarios of one run move the clock by months
VALID_FOR = timedelta(days=3650)
# certificate of each buyer of the sandbox's test data, by the short_name that scenarios use
BUYERS = {"A": "buyer-a", "B": "buyer-b", "C": "buyer-c"}
DISPATCHER = "dana"
REST_SECONDS = 60
LOOK_EVERY_SECONDS = 1
AT_ONCE = {"SANDBOX_ORDER_STEP_SECONDS": "0", "SANDBOX_FAULT_STEP_SECONDS": "0"}
# twice in a row: the seller may be between two steps
LOOKS_AT_REST = 2


@dataclass
class ScenarioSandbox(SandboxClient):
    """The control interface; whoever moves its clock moves that of our processes too."""

    clock: MovedClock | None = None

    def move_clock(self, *, seconds: int) -> datetime:
        now = super().move_clock(seconds=seconds)
        if self.clock:
            self.clock.follow(now)
        return now

    def is_idle(self) -> bool:
        """Whether nothing is due, and nothing waits to be sent."""
        found = self.summary()
        return [found["queue"]["waiting"], found["due_actions"]["due"]] == [0, 0]

    def send_notifications(self, buyer: str, *, to: str) -> None:
        """Where a buyer takes its notifications."""
        self._post(f"/api/buyers/{buyer}", {"callback_urls": [to]})

    def act(self, reference: str, action: str, **members: Any) -> None:
        """What a person at the seller does with an order."""
        self._post(f"/api/orders/{reference}/{action}", members)

    def act_on_ticket(self, reference: str, action: str, **members: Any) -> None:
        """What a person at the seller does with a ticket."""
        self._post(f"/api/tickets/{reference}/{action}", members)

    def act_on_line(self, uprn: str, action: str, **members: Any) -> None:
        """What happens to the line at these premises."""
        self._post(f"/api/lines/{uprn}/{action}", members)

    def move_release(self, uprn: str, *, day: date) -> None:
        """The cabinet of these premises goes live on another day."""
        self._post(f"/api/network/{uprn}/release", {"release_on": day.isoformat()})

    def failing_actions(self) -> set[str]:
        """Steps of the seller that raise an error, each with its order or job."""
        failing = self.summary()["due_actions"]["failing"]
        return {f"{action['name']} of {action['subject']} failed: {action['error']}" for action in failing}


@dataclass
class ScenarioStage:
    """Both sides, running."""

    demo: DemoEnvironment
    clock: MovedClock
    callback: Callback
    supervisor: ProcessManager
    seller: ScenarioSandbox = field(init=False)
    buyers: dict[str, Buyer] = field(init=False)
    # of each situation the premises that no scenario has used yet
    used_premises: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.seller = ScenarioSandbox(self.demo.console_url, clock=self.clock)
        endpoint = f"https://127.0.0.1:{self.demo.ports.sandbox_a}"
        self.buyers = {
            short_name: open_buyer(
                f"BUYER{short_name}", url=endpoint, certs=self.demo.certs, name=name, now=self.clock.now
            )
            for short_name, name in BUYERS.items()
        }

    def next_premises(self, situation: int) -> str:
        """The UPRN of premises in this situation (README.md of the sandbox) that no scenario has used."""
        number = self.used_premises[situation] = self.used_premises.get(situation, 0) + 1
        return f"100{situation:02}{number:02}"

    def move_to(self, moment: datetime) -> None:
        """Let it be this time at both sides; never backwards."""
        seconds = math.ceil((moment - self.clock.now()).total_seconds())
        if seconds > 0:
            self.seller.move_clock(seconds=seconds)
        self.rest()

    def rest(self) -> None:
        """Until the seller has nothing to do. Raises SessionError."""
        quiet = 0

        def is_at_rest() -> bool:
            nonlocal quiet
            quiet = quiet + 1 if self.seller.is_idle() else 0
            return quiet >= LOOKS_AT_REST

        if not wait_until(is_at_rest, seconds=REST_SECONDS):
            raise SessionError(f"the seller is not at rest after {REST_SECONDS} s: {self.seller.summary()}")

    def wait(self, condition: Any, what: str) -> None:
        """Raises SessionError when it does not come true."""
        if not wait_until(condition, seconds=REST_SECONDS):
            raise SessionError(f"waited {REST_SECONDS} s for {what}")

    def office(self) -> SimulatedDispatcher:
        """A session does not outlive the clock's moves: signed in each time."""
        return SimulatedDispatcher(self._sign_in(DISPATCHER))

    def phone_of(self, staff_number: str) -> PhoneClient:
        number = int(staff_number.removeprefix("LS"))
        return PhoneClient(self._sign_in(ENGINEERS[number - 1].username))

    def _sign_in(self, username: str) -> HttpSession:
        """Once more, as people do, when the server is too busy."""
        deadline = time.monotonic() + REST_SECONDS
        while True:
            browser = HttpSession(self.demo.board_url)
            try:
                browser.sign_in(username=username, password=self.demo.password())
            except UnexpectedAnswer as problem:
                if problem.status != HTTPStatus.SERVICE_UNAVAILABLE or time.monotonic() > deadline:
                    raise
                time.sleep(LOOK_EVERY_SECONDS)
            else:
                return browser

    def stop(self) -> None:
        self.supervisor.stop()
        self.callback.stop()


def open_stage(folder: Path, *, notes: list[str]) -> ScenarioStage:
    """Prepare an empty folder and start everything; `notes` gets what the process manager has to say."""
    demo = DemoEnvironment(folder=folder, ports=free_ports(), apart=True)
    _make_certificates(demo.certs)
    demo.prepare()
    clock = MovedClock(demo.folder / "clock")
    callback = open_callback(demo.certs, name=BUYERS["A"])
    supervisor = ProcessManager(folder=BASE_DIR, logs=demo.folder / "logs", say=notes.append)
    stage = ScenarioStage(demo, clock, callback, supervisor)
    callback.start()
    try:
        _start(stage)
    except BaseException:
        stage.stop()
        raise
    return stage


def _start(stage: ScenarioStage) -> None:
    demo = stage.demo
    make_data(demo)
    run_command(demo.manage_sandbox("load_network"))
    stage.clock.follow(stage.clock.now())
    stage.supervisor.start([*_our_children(stage), *map(_quick, demo.sandbox_children())])
    wait_until_serving(demo, stage.supervisor)
    stage.seller.answer_scans_after(seconds=0)
    for short_name, name in BUYERS.items():
        stage.seller.send_notifications(f"BUYER{short_name}", to=f"{stage.callback.url}/{name}")


def _our_children(stage: ScenarioStage) -> list[ProcessSpec]:
    """Under libfaketime."""
    fake = stage.clock.environment()
    return [replace(child, environment={**child.environment, **fake}) for child in stage.demo.our_children()]


def _quick(child: ProcessSpec) -> ProcessSpec:
    """The seller takes its next step at once."""
    return replace(child, environment={**child.environment, **AT_ONCE})


def _make_certificates(folder: Path) -> None:
    folder.mkdir(parents=True, mode=0o700)
    authority = make_authority()
    save(folder, "ca", certificate=authority.cert_pem, key=authority.private_key_pem)
    for name in ("seller", "seller-next", "partner", *BUYERS.values()):
        issue(authority, folder, name, valid_for=VALID_FOR)
