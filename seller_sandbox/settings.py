"""Settings of the sandbox seller; every variable begins with SANDBOX_ (README.md lists them)."""

import secrets
from pathlib import Path

from seller_sandbox.environment import (
    read_addresses,
    read_base_path,
    read_choice,
    read_count,
    read_database,
    read_https_urls,
    read_interface_paths,
    read_list,
    read_namespace,
    read_path,
    read_period,
    read_seconds,
    read_switch,
    read_text,
    read_zone,
)
from seller_sandbox.logs import logging_config

BASE_DIR = Path(__file__).resolve().parent
DEMO_DIR = BASE_DIR.parent / "var" / "demo"

DEBUG = False
# the console has no log-in: the key only signs the form token and the message after a button
SECRET_KEY = read_text("SANDBOX_SECRET_KEY", secrets.token_urlsafe(50))
ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", "testserver"]

INSTALLED_APPS = [
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "seller_sandbox",
    "seller_sandbox.endpoints",
    "seller_sandbox.messages",
    "seller_sandbox.network",
    "seller_sandbox.diagnostics",
    "seller_sandbox.jobs",
    "seller_sandbox.orders",
    "seller_sandbox.faults",
    "seller_sandbox.console",
]
MIDDLEWARE = [
    "seller_sandbox.console.security.SecurityHeaders",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "seller_sandbox.console.security.RefuseNul",
    "django.contrib.messages.middleware.MessageMiddleware",
]
ROOT_URLCONF = "seller_sandbox.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.messages.context_processors.messages",
                "seller_sandbox.console.clock.clock_display.sandbox_clock",
                "seller_sandbox.console.status_strip.put_in_context",
            ],
        },
    },
]
MESSAGE_STORAGE = "django.contrib.messages.storage.cookie.CookieStorage"
CSRF_COOKIE_NAME = "sandbox_csrf"
CSRF_COOKIE_SAMESITE = "Strict"
CSRF_FAILURE_VIEW = "seller_sandbox.console.views.form_expired"

# --- database: one for all processes ----------------------------------------------------------------------
DATABASE_PATH = read_path("SANDBOX_DATABASE_PATH", DEMO_DIR / "sandbox.sqlite3")
DATABASES = {"default": read_database("SANDBOX_DATABASE_URL", file=DATABASE_PATH)}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- language, time, files --------------------------------------------------------------------------------
LANGUAGE_CODE = "en-gb"
USE_TZ = True
LOCAL_ZONE = read_zone("SANDBOX_TIME_ZONE", "Europe/London")
TIME_ZONE = LOCAL_ZONE.key
STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True

# --- the wire ---------------------------------------------------------------------------------------------
BASE_PATH = read_base_path("SANDBOX_BASE_PATH")
PARTNER_URLS = read_https_urls("SANDBOX_PARTNER_URLS", "https://127.0.0.1:8443/seller")
CERTIFICATE = read_path("SANDBOX_CERT", DEMO_DIR / "certs" / "seller.pem")
KEY = read_path("SANDBOX_KEY", DEMO_DIR / "certs" / "seller.key")
# the pair that the console can change to, as an operator does before the old one expires
NEXT_CERTIFICATE = read_path("SANDBOX_NEXT_CERT", DEMO_DIR / "certs" / "seller-next.pem")
NEXT_KEY = read_path("SANDBOX_NEXT_KEY", DEMO_DIR / "certs" / "seller-next.key")
AUTHORITY = read_path("SANDBOX_CA", DEMO_DIR / "certs" / "ca.pem")
ALLOWED_SUBJECTS = frozenset(read_list("SANDBOX_ALLOWED_SUBJECTS", "partner"))
ALLOWED_ADDRESSES = read_addresses("SANDBOX_ALLOWED_ADDRESSES", "127.0.0.1,::1")
ENDPOINTS = read_list("SANDBOX_ENDPOINTS", "A,B")
# strict: a message that breaks the contract is refused; otherwise it is taken and the breach recorded
STRICT = read_switch("SANDBOX_STRICT", default=True)
# missing coordinates and ones far from the premises are refused, too
REFUSE_POSITIONS = read_switch("SANDBOX_REFUSE_POSITIONS", default=False)
MATRIX_FOLDER = read_path("SANDBOX_MATRIX_FOLDER", BASE_DIR / "jobs" / "data" / "matrices")
# where object_path leads when the shared store is a folder of this machine; empty: asked for by plain GET
EVIDENCE_PREFIX = read_text("SANDBOX_EVIDENCE_PREFIX", "")
EVIDENCE_FOLDER = read_path("SANDBOX_EVIDENCE_FOLDER", DEMO_DIR / "evidence")
# for one whole fetch of a partner's file
FETCH_SECONDS = read_seconds("SANDBOX_FETCH_SECONDS", 5)
DEADLINE_SECONDS = read_seconds("SANDBOX_DEADLINE_SECONDS", 10)

# --- orders -------------------------------------------------------------------------------------------------
# how long the seller works on an order before its next step, in seconds of sandbox time
ORDER_STEP_SECONDS = read_count("SANDBOX_ORDER_STEP_SECONDS", 1, lowest=0, highest=86_400)
# local hour of the business day before, from which the date of a Switch or WLTO stands
PONR_HOUR = read_count("SANDBOX_PONR_HOUR", 18, lowest=0, highest=23)
# without it a Switch without an engineer has the ten business days of a WLTO
ONE_TOUCH_SWITCH = read_switch("SANDBOX_ONE_TOUCH_SWITCH", default=True)
# calendar days from a missed appointment to its notification (KCI 2.1), which is due by the ninth
MISSED_APPOINTMENT_DAYS = read_count("SANDBOX_MISSED_APPOINTMENT_DAYS", 1, lowest=0, highest=9)

# --- appointments of the network ---------------------------------------------------------------------------
# business days between today and the first slot that is offered
APPOINTMENT_LEAD_DAYS = read_count("SANDBOX_APPOINTMENT_LEAD_DAYS", 1, lowest=0, highest=60)
# calendar days from the first slot to the last
APPOINTMENT_HORIZON_DAYS = read_count("SANDBOX_APPOINTMENT_HORIZON_DAYS", 90, lowest=1, highest=366)
# of sandbox time; then a reservation that no order has booked gives its visit back
RESERVATION_HOURS = read_count("SANDBOX_RESERVATION_HOURS", 24, lowest=1, highest=24 * 31)
SATURDAY_APPOINTMENTS = read_switch("SANDBOX_SATURDAY_APPOINTMENTS", default=False)

# --- the buyer interface ------------------------------------------------------------------------------------
# the document writes it {ext_namespace}: the operator's own is handed over with the contract
ORDER_EXTENSION_NAMESPACE = read_namespace(
    "SANDBOX_ORDER_EXTENSION_NAMESPACE", "urn:sandbox-seller:orders:extension"
)
SELLER_IDENTIFIER = read_text("SANDBOX_SELLER_IDENTIFIER", "SANDBOX")
# of a fault: 400 as public pages of the trade show, 500 as WS-I Basic Profile 1.0 requires
SOAP_FAULT_STATUS = int(read_choice("SANDBOX_SOAP_FAULT_STATUS", "400", choices=("400", "500")))
# of sandbox time, until the sandbox itself records what a complex order's survey finds
SURVEY_WORKING_DAYS = read_count("SANDBOX_SURVEY_WORKING_DAYS", 2, lowest=0, highest=10)

# --- diagnostics ---------------------------------------------------------------------------------------------
# local; the load of the last finished one is what counts
BUSY_PERIOD = read_period("SANDBOX_BUSY_PERIOD", "19:00-23:00")

# --- faults -------------------------------------------------------------------------------------------------
# below SANDBOX_BASE_PATH, one for each environment (production, staging, system integration test)
FAULT_BASE_PATHS = read_interface_paths("SANDBOX_FAULT_BASE_PATHS", "sandbox/api2")
# how long the seller works on a fault report before its next step, in seconds of sandbox time
FAULT_STEP_SECONDS = read_count("SANDBOX_FAULT_STEP_SECONDS", 1, lowest=0, highest=86_400)
# calendar days between today and the first repair slot that is offered
REPAIR_LEAD_DAYS = read_count("SANDBOX_REPAIR_LEAD_DAYS", 1, lowest=0, highest=30)
# without it a person triages on the console
TRIAGE_BY_RULES = read_switch("SANDBOX_TRIAGE_BY_RULES", default=True)
# after an engineer's arrival a simulated fault is repaired; a week is longer than any visit
REPAIR_MINUTES = read_count("SANDBOX_REPAIR_MINUTES", 15, lowest=0, highest=7 * 24 * 60)
# working days until a fault in the network is repaired without a visit
NETWORK_REPAIR_DAYS = read_count("SANDBOX_NETWORK_REPAIR_DAYS", 1, lowest=0, highest=30)

LOGGING_CONFIG = None
logging_config(level=read_text("SANDBOX_LOG_LEVEL", "INFO"))
