"""The ports of rehearsals and tests: no two of them get the same one, however late their servers start."""

import subprocess
import sys

from demo.ports import RESERVATIONS, free_ports, reserve_port

ASK = "import sys; from demo.ports import reserve_port; print(reserve_port(int(sys.argv[1])))"


def _asked_elsewhere(port: int) -> str:
    done = subprocess.run([sys.executable, "-c", ASK, str(port)], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_port_that_one_process_chose_is_not_given_to_another() -> None:
    port = free_ports().people

    assert _asked_elsewhere(port) == "False"
    assert not reserve_port(port)


def test_port_is_free_again_when_its_process_has_ended() -> None:
    port = free_ports().people
    RESERVATIONS.pop(
        next(at for at, held in enumerate(RESERVATIONS) if held.getsockname()[1] == port)
    ).close()

    assert [_asked_elsewhere(port), _asked_elsewhere(port)] == ["True", "True"]
