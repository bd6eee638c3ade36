"""An engineer and their phone. A file that needs another one has its own."""

import pytest

from engineers.models import Engineer
from tests import make
from tests.phone.phone import Phone


@pytest.fixture
def engineer(db: None) -> Engineer:
    return make.engineer()


@pytest.fixture
def phone(engineer: Engineer) -> Phone:
    return Phone(engineer)
