"""A rehearsal says what the operator did to its endpoints without any effect."""

import shutil
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from cryptography.x509 import load_pem_x509_certificate

from demo.rehearsal import interruptions
from demo.rehearsal.sandbox_client import LoggedMessage
from tests.demo.test_comparison import RECEIVED, SENT
from tests.servers import seller
from tests.servers.certificates import Authority

PLAN = interruptions.plan_interruptions(40, seed=1)
REFUSED = replace(RECEIVED, status=503, switch="fail", number=1)
LIMITED = replace(RECEIVED, status=429, switch="fail", number=2)
ALL = [REFUSED, LIMITED, replace(RECEIVED, number=5), replace(SENT, number=6)]


def unmet(passages: list[LoggedMessage], *, changed_after: int | None = 3) -> list[str]:
    return interruptions.unmet_interruptions(PLAN, passages, changed_after=changed_after)


def test_day_on_which_everything_was_met_has_no_finding() -> None:
    assert unmet(ALL) == []


def test_maintenance_and_limit_that_nobody_met_are_findings() -> None:
    # 503 for another reason than the window
    assert unmet([replace(REFUSED, switch=""), *ALL[2:]]) == [
        f"endpoint {PLAN.in_maintenance} was in maintenance, and no message was refused with 503",
        f"endpoint {PLAN.limited} had a rate limit, and no message was refused with 429",
    ]


def test_certificate_under_which_nothing_was_sent_is_a_finding() -> None:
    assert unmet(ALL, changed_after=None) == ["the seller's certificate never changed"]
    assert unmet(ALL, changed_after=5) == [
        "no message to the seller was accepted after its certificate changed"
    ]
    assert unmet([*ALL[:3], replace(SENT, number=6, status=503)]) == [
        "no message from the seller was accepted after its certificate changed"
    ]


def test_seed_moves_the_interruptions_within_the_first_half_of_a_day() -> None:
    for jobs in (8, 40):
        plans = [interruptions.plan_interruptions(jobs, seed=seed) for seed in range(20)]
        assert len(set(plans)) > 5
        assert {plan.in_maintenance for plan in plans} == {plan.limited for plan in plans} == {"A", "B"}
        for plan in plans:
            assert plan.in_maintenance != plan.limited
            assert 1 <= plan.maintenance < plan.limit <= jobs // 2
            assert 1 <= plan.certificate <= jobs // 2


def test_certificate_of_an_endpoint_is_read(authority: Authority, tmp_path: Path) -> None:
    ours, theirs = authority.issue("partner"), authority.issue("seller")
    shutil.copy(authority.ca, tmp_path / "ca.pem")
    shutil.copy(ours.certificate, tmp_path / "partner.pem")
    shutil.copy(ours.key, tmp_path / "partner.key")

    with seller.running(identity=theirs, ca=authority.ca) as endpoint:
        address = urlsplit(endpoint.url)
        serial = interruptions.served_serial(address.hostname or "", address.port or 0, certs=tmp_path)

    assert serial == load_pem_x509_certificate(Path(theirs.certificate).read_bytes()).serial_number
