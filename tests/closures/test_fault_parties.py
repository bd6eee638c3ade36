"""Who is at fault for which closure code: nobody's by default."""

from closures import codes
from closures.fault_parties import PARTIES, bare_code


def test_every_failure_has_its_party() -> None:
    """A code that is added would be counted against the seller in every report."""
    failures = {bare_code(code) for code in codes.list_codes().values() if not code.succeeds}

    assert failures == PARTIES.keys()
