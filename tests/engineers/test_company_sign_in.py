"""Signing in with the company's OpenID Connect provider, which runs here as a process of its own."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import time_machine
from django.conf import settings as configured
from django.contrib.auth import SESSION_KEY
from django.core.cache import cache
from django.test import Client
from django.utils import timezone
from django_otp.plugins.otp_totp.models import TOTPDevice
from pytest_django import Settings

from background import erasure
from config.connections import IdentityProvider
from engineers.models import AuditEntry, CompanyIdentity, Role, User
from tests import make
from tests.servers import identity_provider
from tests.servers.identity_provider import CLIENT_ID, CLIENT_SECRET, PERSON, Provider

pytestmark = pytest.mark.django_db
START = "/sign-in/company/"


@pytest.fixture(scope="module")
def running_provider() -> Iterator[Provider]:
    with identity_provider.running() as provider:
        yield provider


@pytest.fixture
def provider(running_provider: Provider, settings: Settings) -> Provider:
    running_provider.person()
    cache.clear()
    settings.RATE_LIMIT_SCALE = 100
    change(settings, issuer=running_provider.issuer)
    return running_provider


def change(settings: Settings, **changed: Any) -> None:
    usual = configured.SIGN_IN.provider or IdentityProvider(
        "", CLIENT_ID, CLIENT_SECRET, "Partner Ltd", "", frozenset({"mfa"})
    )
    settings.SIGN_IN = replace(configured.SIGN_IN, provider=replace(usual, **changed))


@pytest.fixture
def dana() -> User:
    user = make.dispatcher(username="dana")
    user.email = "Dana@Partner.example"
    user.save()
    return user


def go(provider: Provider, browser: Client, wanted: str = "") -> str:
    """From the button to the provider and back: our address with code and state."""
    answer = browser.get(START, {"next": wanted})
    assert answer.status_code == 302
    return provider.visit(answer.headers["Location"])


def sign_in(provider: Provider, browser: Client, wanted: str = "") -> str:
    """Where the person is sent in the end."""
    return str(browser.get(go(provider, browser, wanted)).headers["Location"])


def sentence_of(browser: Client) -> str:
    return browser.get("/login/").content.decode()


def is_in(browser: Client) -> bool:
    return SESSION_KEY in browser.session


def test_verified_address_links_the_account_once_and_the_subject_counts_from_then_on(
    provider: Provider, dana: User
) -> None:
    first, second = Client(), Client()

    assert sign_in(provider, first, "/board/people/") == "/board/people/"
    assert first.get("/board/").status_code == 200
    assert first.session[SESSION_KEY] == str(dana.pk)
    assert AuditEntry.objects.filter(action="identity_linked", subject="dana").count() == 1
    provider.person(email="other@partner.example")
    assert sign_in(provider, second) == "/"
    assert second.session[SESSION_KEY] == str(dana.pk)
    assert CompanyIdentity.objects.count() == 1


def test_button_is_there_only_where_a_provider_is_set(provider: Provider, settings: Settings) -> None:
    assert "Sign in with Partner Ltd" in sentence_of(Client())

    settings.SIGN_IN = replace(configured.SIGN_IN, provider=None)
    assert START not in sentence_of(Client())
    assert [Client().get(path).status_code for path in (START, f"{START}callback/")] == [404, 404]


@pytest.mark.parametrize(
    "how",
    [
        {"iss": "https://other.example"},
        {"iss": None},
        {"nonce": "another"},
        {"nonce": None},
        {"aud": "another client"},
        {"aud": [CLIENT_ID, "another client"]},
        {"aud": None},
        {"exp": 1_000_000_000},
        {"sub": None},
        {"key": "other"},
        {"key": "none"},
    ],
    ids=str,
)
def test_token_that_proves_nothing_is_refused(provider: Provider, dana: User, how: dict[str, Any]) -> None:
    browser = Client()
    provider.spoil(**how)

    assert sign_in(provider, browser) == "/login/"
    assert "The sign-in was not completed." in sentence_of(browser)
    assert (is_in(browser), CompanyIdentity.objects.count()) == (False, 0)


def test_answer_counts_once_and_in_the_browser_that_asked(provider: Provider, dana: User) -> None:
    browser, other = Client(), Client()
    answer = go(provider, browser)

    assert other.get(answer).headers["Location"] == "/login/"
    assert browser.get(answer).headers["Location"] == "/"
    assert browser.get(answer).headers["Location"] == "/login/"
    assert is_in(other) is False
    # what came back a second time never reached the provider
    before = provider.tokens_given()
    Client().get(answer)
    assert provider.tokens_given() == before


def test_answer_of_another_provider_and_wrong_state_are_refused(provider: Provider, dana: User) -> None:
    for old, new in (("iss=", "iss=https%3A%2F%2Fother.example&was="), ("state=", "state=x")):
        browser = Client()
        assert browser.get(go(provider, browser).replace(old, new)).headers["Location"] == "/login/"
        assert is_in(browser) is False


def test_provider_that_names_another_issuer_or_is_away_is_not_asked(
    provider: Provider, settings: Settings
) -> None:
    for issuer in (f"{provider.issuer}/other", "http://127.0.0.1:9"):
        browser = Client()
        change(settings, issuer=issuer)
        assert browser.get(START).headers["Location"] == "/login/"
        # the mark of the product's text is a typographic one
        assert "sign-in does not answer" in sentence_of(browser)


@pytest.mark.parametrize(
    ("claims", "sentence"),
    [
        ({"email_verified": False}, "does not say that your e-mail address is verified"),
        ({"email_verified": "true"}, "does not say that your e-mail address is verified"),
        ({"email": "nobody@partner.example"}, "No account here belongs to your company account"),
        ({"email": ""}, "No account here belongs to your company account"),
    ],
)
def test_nobody_is_taken_for_somebody_else(
    provider: Provider, dana: User, claims: dict[str, Any], sentence: str
) -> None:
    browser = Client()
    provider.person(**claims)

    assert sign_in(provider, browser) == "/login/"
    assert sentence in sentence_of(browser)
    assert (is_in(browser), User.objects.count(), CompanyIdentity.objects.count()) == (False, 1, 0)


@pytest.mark.parametrize("email", ["kim@fıbre.example", "ſam@fibre.example"])
def test_character_whose_capital_is_that_of_another_is_another(
    provider: Provider, dana: User, email: str
) -> None:
    """PostgreSQL takes both for the same, and the domain may be anybody's."""
    User.objects.filter(pk=dana.pk).update(email=email.replace("ı", "i").replace("ſ", "s"))
    provider.person(email=email)

    assert sign_in(provider, Client()) == "/login/"
    assert not CompanyIdentity.objects.exists()


def test_two_accounts_with_one_address_are_none(provider: Provider, dana: User) -> None:
    User.objects.filter(pk=make.dispatcher().pk).update(email=dana.email)

    assert sign_in(provider, Client()) == "/login/"


def test_another_company_account_does_not_get_a_linked_one(provider: Provider, dana: User) -> None:
    sign_in(provider, Client())
    provider.person(sub="p-2")

    assert sign_in(provider, Client()) == "/login/"
    assert list(CompanyIdentity.objects.values_list("subject", flat=True)) == ["p-1"]


def test_suspended_account_stays_outside(provider: Provider, dana: User) -> None:
    User.objects.filter(pk=dana.pk).update(is_active=False)
    browser = Client()

    assert sign_in(provider, browser) == "/login/"
    assert "Your account is suspended." in sentence_of(browser)


def test_engineer_who_comes_back_after_an_erasure_has_the_new_account(provider: Provider) -> None:
    first = make.engineer(username="dana")
    User.objects.update(email=PERSON["email"])
    sign_in(provider, Client())
    erasure.erase_engineer(first.staff_number)
    again = make.engineer(username="dana")
    User.objects.filter(pk=again.user_id).update(email=PERSON["email"])
    browser = Client()

    sign_in(provider, browser)

    assert browser.session.get(SESSION_KEY) == str(again.user_id)


def test_supervisors_who_sign_in_with_the_company_only_can_suspend_each_other(provider: Provider) -> None:
    """Neither has a password; whoever clicks stays as one who can sign in."""
    ruth, sam = (make.dispatcher(username=name, role=Role.SUPERVISOR) for name in ("ruth", "sam"))
    User.objects.update(password="!")
    User.objects.filter(pk=ruth.pk).update(email=PERSON["email"])
    browser = Client()
    sign_in(provider, browser)

    page = browser.post(f"/board/people/accounts/{sam.pk}/suspend/", follow=True).content.decode()

    sam.refresh_from_db()
    assert (sam.is_active, "This is the last supervisor who can sign in." in page) == (False, False)


def test_chosen_language_comes_with_the_company_s_sign_in(provider: Provider, dana: User) -> None:
    User.objects.filter(pk=dana.pk).update(language="de")
    browser = Client()

    sign_in(provider, browser)

    assert browser.cookies[configured.LANGUAGE_COOKIE_NAME].value == "de"


def test_account_is_made_only_where_a_setting_names_the_role(provider: Provider, settings: Settings) -> None:
    change(settings, new_account_role="planner")
    make.dispatcher(username="dana")
    browser = Client()

    assert sign_in(provider, browser) == "/"
    made = User.objects.get(username="dana2")
    assert (made.role, made.email, made.display_name) == (Role.PLANNER, PERSON["email"], PERSON["name"])
    assert made.has_usable_password() is False
    assert sign_in(provider, Client()) == "/"
    assert User.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_characters_that_no_database_keeps_are_replaced_and_never_name_a_person(
    provider: Provider, settings: Settings
) -> None:
    change(settings, new_account_role="planner")
    browser = Client()
    provider.person(name="Dana \0\ud83d", email="dana\0@partner.example", preferred_username="da\0na\ud83d")

    assert sign_in(provider, browser) == "/"
    made = User.objects.get()
    assert (made.username, made.display_name) == (
        "dana",
        "Dana \N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}",
    )
    assert browser.get("/login/").status_code in {200, 302}

    provider.person(sub="p-\ud83d")
    assert sign_in(provider, Client()) == "/login/"
    assert CompanyIdentity.objects.count() == 1


def test_made_account_has_the_name_that_a_password_form_reads(provider: Provider, settings: Settings) -> None:
    change(settings, new_account_role="planner")
    provider.person(preferred_username="ﬁona")

    sign_in(provider, Client())

    assert User.objects.get().username == "fiona"


def test_second_factor_of_the_provider_counts_when_the_token_says_so(
    provider: Provider, dana: User, settings: Settings
) -> None:
    settings.REQUIRE_SECOND_FACTOR = True
    TOTPDevice.objects.create(user=dana, confirmed=True)
    without, with_factor = Client(), Client()

    assert sign_in(provider, without, "/board/").startswith("/second-factor/")
    assert without.get("/board/").status_code == 302
    provider.person(amr=["pwd", "mfa"])
    assert sign_in(provider, with_factor, "/board/") == "/board/"
    assert with_factor.get("/board/").status_code == 200
    change(settings, second_factors=frozenset({"hwk"}))
    assert sign_in(provider, Client(), "/board/").startswith("/second-factor/")


def test_sign_out_offers_that_of_the_provider(provider: Provider, dana: User) -> None:
    browser = Client()
    sign_in(provider, browser)

    page = browser.post("/logout/")
    assert is_in(browser) is False
    address = urlsplit(page.context["address"])
    assert f"{address.scheme}://{address.netloc}{address.path}" == f"{provider.issuer}/end"
    query = parse_qs(address.query)
    assert query["post_logout_redirect_uri"] == [f"{configured.PUBLIC_URL}/login/"]
    assert query["client_id"] == [CLIENT_ID]
    by_password = Client()
    by_password.force_login(dana, "engineers.permissions.RoleBackend")
    assert by_password.post("/logout/").headers["Location"] == "/login/"


def test_few_starts_come_from_one_address(provider: Provider, dana: User, settings: Settings) -> None:
    """As many as nginx takes; whoever was sent to the provider comes in."""
    settings.RATE_LIMIT_SCALE = 0.05
    with time_machine.travel(timezone.now().replace(second=1), tick=False):
        browsers = [Client() for _number in range(4)]
        answers = [browser.get(START).headers["Location"] for browser in browsers]
        back = browsers[2].get(provider.visit(answers[2])).headers["Location"]

    assert [address.startswith(provider.issuer) for address in answers] == [True, True, True, False]
    assert (answers[-1], back) == ("/login/", "/")


def test_browser_that_began_nothing_does_not_reach_the_provider(provider: Provider) -> None:
    before = provider.descriptions_given()
    browser = Client()

    answers = [browser.get(f"{START}callback/", query) for query in ({}, {"code": "x", "state": "y"})]

    assert [answer.headers["Location"] for answer in answers] == ["/login/"] * 2
    assert "The sign-in was not completed." in sentence_of(browser)
    assert provider.descriptions_given() == before


def test_start_that_is_never_used_up_does_not_reach_the_provider_again(
    provider: Provider, settings: Settings
) -> None:
    """Its answer names an error, or another provider."""
    settings.RATE_LIMIT_SCALE = 0.05
    browser = Client()
    with time_machine.travel(timezone.now().replace(second=1), tick=False):
        back = f"{go(provider, browser)}&error=access_denied"
        before = provider.descriptions_given()
        answers = [browser.get(back).headers["Location"] for _number in range(8)]

    assert answers == ["/login/"] * 8
    assert provider.descriptions_given() == before
    assert "Too many requests." in sentence_of(browser)


@pytest.mark.parametrize("address", ["https://evil.example/", "logout", "24:00"])
def test_foreign_address_is_not_gone_on_to(provider: Provider, dana: User, address: str) -> None:
    assert sign_in(provider, Client(), address) == "/"
