from pathlib import Path

import pytest
from pytest_django import Settings

from closures.models import Photo
from config.storage import evidence_storage
from dispatch.states import JobState
from tests import make


@pytest.fixture
def photo(tmp_path: Path, settings: Settings) -> Photo:
    """A stored one; the evidence storage is the folder `evidence` of the test."""
    (tmp_path / "evidence").mkdir()
    settings.STORAGES = {**settings.STORAGES, "evidence": evidence_storage(f"file://{tmp_path / 'evidence'}")}
    make.engineer()
    return make.photo(make.job(at_state=JobState.ON_SITE), question_code="PHO01")
