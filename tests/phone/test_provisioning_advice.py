"""Provisioning results as what to do next: nothing that contradicts what is known of the job."""

import pytest

from dispatch.models import Job
from dispatch.states import JobState
from phone.provisioning_advice import ProvisioningAdvice, advice_for
from tests import make

pytestmark = pytest.mark.django_db
DESK = "0113 496 0100"


def after(
    result_id: int, *, fsan: str, serial_number: str = "261200123456", **expected: str
) -> ProvisioningAdvice:
    """What is shown of a result for this device where another one may be expected."""
    job = make.job(at_state=JobState.ON_SITE)
    Job.objects.filter(pk=job.pk).update(**expected)
    make.scan(job, fsan=fsan, serial_number=serial_number)
    make.result(job, result_id)
    advice = advice_for(Job.objects.get(pk=job.pk))
    assert advice is not None
    return advice


NOKIA = {"ont_vendor": "Nokia", "ont_model": "XS-010X-Q", "ont_fsan": "ALCL00ABCDEF"}


@pytest.mark.parametrize(
    ("fsan", "expected", "text"),
    [
        ("CXNK12345678", NOKIA, "ONTs from Calix can't be used on this line. Use a Nokia XS-010X-Q."),
        (
            "NOKW12345678",
            NOKIA,
            "This Nokia ONT is the wrong model for this line. Use a Nokia XS-010X-Q.",
        ),
        (
            "ALCL12345678",
            {**NOKIA, "ont_model": ""},
            "This Nokia ONT is the wrong model for this line. Use a different type of ONT.",
        ),
        (
            "CXNK12345678",
            {"ont_vendor": "", "ont_model": "", "ont_fsan": ""},
            "ONTs from Calix can't be used on this line. Use a different type of ONT.",
        ),
    ],
)
def test_wrong_type_names_another_device_than_the_scanned_one(
    fsan: str, expected: dict[str, str], text: str
) -> None:
    advice = after(5, fsan=fsan, **expected)

    assert (advice.text, advice.scan_again, advice.call) == (text, True, "")


def test_wrong_type_of_the_expected_ont_is_for_the_order_desk() -> None:
    advice = after(5, fsan="ALCL00ABCDEF", **NOKIA)

    assert advice.text.startswith(
        "The seller rejected the ONT type, although this is the ONT it expects here."
    )
    assert (advice.scan_again, advice.call) == (False, DESK)


def test_wrong_details_name_the_characters_that_differ() -> None:
    expected = {"ont_fsan": "CXNK7898ACAA", "ont_serial_number": "584611813113"}
    advice = after(6, fsan="CXNK789BACAA", serial_number="584611813I13", **expected)

    assert advice.text.endswith(
        "FSAN: character 8 is B, expected 8. Serial number: character 10 is I, expected 1."
    )
