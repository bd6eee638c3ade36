"""All settings, in Django's order. Every address, certificate and limit comes from the environment.

docs/operating.md lists each variable; a wrong value stops the start and names itself.
"""

import secrets
from pathlib import Path

from csp.constants import NONE, SELF
from django.core.exceptions import ImproperlyConfigured
from geopy.geocoders import SERVICE_TO_GEOCODER

from config.env import (
    env_addresses,
    env_bool,
    env_choice,
    env_database,
    env_file,
    env_float,
    env_https_urls,
    env_int,
    env_list,
    env_secret,
    env_text,
    env_url,
    env_zone,
)
from config.logs import logging_config
from config.push_keys import is_key
from config.queue import redis_address
from config.storage import direct_origins, evidence_storage

BASE_DIR = Path(__file__).resolve().parent.parent

# --- what kind of installation this is -------------------------------------------------------------------
# `production` insists on secrets and secure cookies; `demo` runs on plain HTTP on the loopback address.
DEPLOYMENT = env_choice("DEPLOYMENT", "production", {"production", "demo", "test"})
PLAIN_HTTP = DEPLOYMENT != "production"
DEBUG = env_bool("DEBUG", default=False)
SECRET_KEY = env_secret("SECRET_KEY") or (secrets.token_urlsafe(50) if PLAIN_HTTP else "")
if not SECRET_KEY:
    raise ImproperlyConfigured("SECRET_KEY (or SECRET_KEY_FILE) is missing; set 50 random characters")
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1],testserver" if PLAIN_HTTP else "")
PUBLIC_URL = env_url("PUBLIC_URL", "http://127.0.0.1:8000")
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PUBLIC_URL.startswith("https://") else []

INSTALLED_APPS = [
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    "csp",
    "django_q",
    "rest_framework",
    "engineers",
    "dispatch",
    "closures",
    "seller_link",
    "config",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # pages and lists; what whitenoise sends is compressed already
    "django.middleware.gzip.GZipMiddleware",
    "config.logs.RequestLogMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
]

# The seller's routes are in a process of their own (manage.py seller_door), never in this one.
ROOT_URLCONF = "config.urls"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "csp.context_processors.nonce",
            ],
        },
    },
]
WSGI_APPLICATION = "config.wsgi.application"

# --- database ---------------------------------------------------------------------------------------------
EMBEDDED = f"sqlite:///{BASE_DIR / 'var' / 'dispatch.sqlite3'}"
DATABASES = {"default": env_database("DATABASE_URL", EMBEDDED, sqlite_engine="config.sqlite")}
DATABASE_CONNECTION_SECONDS = env_int("DATABASE_CONNECTION_SECONDS", 60)
DATABASE_PREPARE_AFTER = env_int("DATABASE_PREPARE_AFTER", 5, lowest=0)
if DATABASES["default"]["ENGINE"] == "config.sqlite":
    DATABASES["default"]["OPTIONS"] = {"timeout": 20, "transaction_mode": "IMMEDIATE"}
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    # a statement that a connection has seen often is planned once, and its values travel beside it
    DATABASES["default"]["OPTIONS"] = {
        "server_side_binding": True,
        "prepare_threshold": DATABASE_PREPARE_AFTER or None,
        **DATABASES["default"]["OPTIONS"],
    }
DATABASES["default"]["CONN_MAX_AGE"] = DATABASE_CONNECTION_SECONDS
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- people -----------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "engineers.User"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"
AXES_FAILURE_LIMIT = env_int("LOGIN_FAILURE_LIMIT", 6, lowest=1)
AXES_COOLOFF_TIME = env_float("LOGIN_COOLOFF_HOURS", 0.25)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
# behind nginx all log-ins come from nginx: without this a name that a stranger tries is locked for its owner, too
TRUSTED_PROXIES = env_addresses("TRUSTED_PROXIES", "127.0.0.1,::1")
AXES_CLIENT_IP_CALLABLE = "config.proxies.client_address"
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
# an engineer's shift plus the way home; sliding, so that a working day never ends in a log-in page
SESSION_COOKIE_AGE = env_int("SESSION_HOURS", 24 * 7, lowest=1) * 3600
SESSION_SAVE_EVERY_REQUEST = False

# where engineers were: the coarse way of those who agreed, and the exact places at the states of a job
POSITION_KEPT_DAYS = env_int("POSITION_KEPT_DAYS", 14, lowest=1)
POSITION_EXACT_DAYS = env_int("POSITION_EXACT_DAYS", 90, lowest=1)

# web push: without a key no phone is asked whether it wants notices; `manage.py vapid_key` makes one
VAPID_PRIVATE_KEY = env_secret("VAPID_PRIVATE_KEY")
if VAPID_PRIVATE_KEY and not is_key(VAPID_PRIVATE_KEY):
    raise ImproperlyConfigured("VAPID_PRIVATE_KEY: not a key; take what `manage.py vapid_key` prints")
# notices go to these hosts and nowhere else; a phone names the address of its maker's service
PUSH_HOSTS = env_list(
    "PUSH_HOSTS",
    "fcm.googleapis.com,updates.push.services.mozilla.com,web.push.apple.com,.notify.windows.com",
)

# --- language and time ------------------------------------------------------------------------------------
LANGUAGE_CODE = "en-gb"
# each by its own name: who looks for theirs may read no other
LANGUAGES = [("en-gb", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
# also without a session: whoever was signed out is asked to sign in in their own language
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
LANGUAGE_COOKIE_SAMESITE = "Lax"
LANGUAGE_COOKIE_SECURE = not PLAIN_HTTP
USE_I18N = True
USE_TZ = True
TIME_ZONE = env_zone("TIME_ZONE", "Europe/London")

# --- static files and evidence ----------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_MIMETYPES = {".webmanifest": "application/manifest+json", ".mjs": "text/javascript"}
WHITENOISE_USE_FINDERS = PLAIN_HTTP
EVIDENCE_STORAGE_URL = env_text("EVIDENCE_STORAGE_URL", f"file://{BASE_DIR / 'var' / 'evidence'}")
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if PLAIN_HTTP
        else "whitenoise.storage.CompressedManifestStaticFilesStorage"
    },
    "evidence": evidence_storage(EVIDENCE_STORAGE_URL),
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
PHOTO_MAX_BYTES = env_int("PHOTO_MAX_BYTES", 25 * 1024 * 1024, lowest=1024)

# --- security ---------------------------------------------------------------------------------------------
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not PLAIN_HTTP
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
if not PLAIN_HTTP:
    SESSION_COOKIE_NAME = "__Host-session"
    CSRF_COOKIE_NAME = "__Host-csrf"
    SECURE_SSL_REDIRECT = True
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SECURE_HSTS_INCLUDE_SUBDOMAINS = True
    SECURE_HSTS_PRELOAD = True
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
METRICS_ALLOWED_ADDRESSES = env_addresses("METRICS_ALLOWED_ADDRESSES", "127.0.0.1,::1")
# asked from this machine, past the proxy
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]
MAP_TILES_URL = env_url("MAP_TILES_URL")
MAP_TILES_ATTRIBUTION = env_text("MAP_TILES_ATTRIBUTION")
MAP_TILES_ORIGIN = "/".join(MAP_TILES_URL.split("/")[:3]).replace("{s}", "*")
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "script-src": [SELF, "'wasm-unsafe-eval'"],
        "style-src": [SELF],
        "img-src": [SELF, "blob:", "data:"] + ([MAP_TILES_ORIGIN] if MAP_TILES_ORIGIN else []),
        "media-src": [SELF, "blob:"],
        "connect-src": [SELF, *direct_origins(EVIDENCE_STORAGE_URL)],
        "worker-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "object-src": [NONE],
        "frame-ancestors": [NONE],
    }
}

# --- the seller -------------------------------------------------------------------------------------------
CERTS = BASE_DIR / "var" / "demo" / "certs"
SELLER_ENDPOINTS = env_https_urls("SELLER_ENDPOINTS", "https://127.0.0.1:9443,https://127.0.0.1:9444")
SELLER_CLIENT_CERT = env_file("SELLER_CLIENT_CERT", str(CERTS / "partner.pem"))
SELLER_CLIENT_KEY = env_file("SELLER_CLIENT_KEY", str(CERTS / "partner.key"))
SELLER_CA = env_file("SELLER_CA", str(CERTS / "ca.pem"))
SELLER_ALLOWED_SUBJECTS = env_list("SELLER_ALLOWED_SUBJECTS", "seller")
SELLER_ALLOWED_ADDRESSES = env_addresses("SELLER_ALLOWED_ADDRESSES", "127.0.0.1,::1")
SELLER_DOOR_CERT = env_file("SELLER_DOOR_CERT", SELLER_CLIENT_CERT)
SELLER_DOOR_KEY = env_file("SELLER_DOOR_KEY", SELLER_CLIENT_KEY)
SELLER_CRL = env_file("SELLER_CRL", "")
# where the seller offers its record of messages, if it does (docs/operating.md, Reconciliation)
SELLER_RECORD_URL = env_url("SELLER_RECORD_URL")
SELLER_DEADLINE_SECONDS = env_float("SELLER_DEADLINE_SECONDS", 10, lowest=0.1)
SELLER_MESSAGE_MAX_BYTES = env_int("SELLER_MESSAGE_MAX_BYTES", 1024 * 1024, lowest=1024)
# over each of these the seller's door answers 503 tryAgain, or cuts the line of who is too slow
SELLER_DOOR_PROCESSES = env_int("SELLER_DOOR_PROCESSES", 2, lowest=1)
SELLER_DOOR_CONNECTIONS = env_int("SELLER_DOOR_CONNECTIONS", 500, lowest=1)
SELLER_DOOR_QUEUE = env_int("SELLER_DOOR_QUEUE", 100, lowest=0)
SELLER_DOOR_WAIT_SECONDS = env_float("SELLER_DOOR_WAIT_SECONDS", 5, lowest=0.1)
SELLER_DOOR_READ_SECONDS = env_float("SELLER_DOOR_READ_SECONDS", 15, lowest=0.1)
RELAY_WORKERS = env_int("RELAY_WORKERS", 4, lowest=1, highest=64)
RELAY_LEASE_SECONDS = env_float("RELAY_LEASE_SECONDS", 60, lowest=1)
RELAY_BACKOFF_CAP_SECONDS = env_float("RELAY_BACKOFF_CAP_SECONDS", 300, lowest=1)
if RELAY_LEASE_SECONDS <= SELLER_DEADLINE_SECONDS:
    raise ImproperlyConfigured("RELAY_LEASE_SECONDS must be longer than SELLER_DEADLINE_SECONDS")

# --- work on site -----------------------------------------------------------------------------------------
QUESTION_MATRIX = env_file("QUESTION_MATRIX", str(BASE_DIR / "closures" / "data" / "matrix_sample_2.json"))
ORDER_DESK_PHONE = env_text("ORDER_DESK_PHONE", "0113 496 0100")
# a geopy geocoder by its short name; empty: a dispatcher places the pin
GEOCODER = env_choice("GEOCODER", "", {"", *SERVICE_TO_GEOCODER})
GEOCODER_USER_AGENT = env_text("GEOCODER_USER_AGENT", "fibre-dispatch")
GEOCODER_DOMAIN = env_text("GEOCODER_DOMAIN")

# --- background work --------------------------------------------------------------------------------------
# Only what may be late or run twice: small pictures, clean-up (docs/adr/0011). Messages to the seller never.
Q_BROKER = env_choice("Q_BROKER", "database", {"database", "redis"})
REDIS_URL = env_url("REDIS_URL", "redis://127.0.0.1:6379/0", schemes=("redis", "rediss"))
WORKER_PROCESSES = env_int("WORKER_PROCESSES", 2, lowest=1, highest=32)
WORKER_TASK_SECONDS = env_int("WORKER_TASK_SECONDS", 30, lowest=2, highest=3600)
Q_CLUSTER = {
    "name": "dispatch",
    "label": "Background work",
    **({"redis": redis_address(REDIS_URL)} if Q_BROKER == "redis" else {"orm": "default"}),
    "workers": WORKER_PROCESSES,
    "timeout": WORKER_TASK_SECONDS,
    # a task that nobody acknowledged by then runs again
    "retry": 2 * WORKER_TASK_SECONDS,
    # counts failures and time-outs; a try that kills its worker is counted by the task itself
    "max_attempts": 3,
    # what waits inside a cluster waits there until `retry` when the cluster dies
    "queue_limit": 2 * WORKER_PROCESSES,
    "bulk": 1,
    "poll": 0.5,
    "catch_up": False,
    # failures are kept for reading, successes are of no interest
    "save_limit": -1,
    "max_rss": 300_000,
}

REST_FRAMEWORK = {
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.SessionAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "UNAUTHENTICATED_USER": None,
}

LOGGING_CONFIG = None
LOG_LEVEL = env_choice("LOG_LEVEL", "INFO", {"DEBUG", "INFO", "WARNING", "ERROR"})
logging_config(level=LOG_LEVEL)
