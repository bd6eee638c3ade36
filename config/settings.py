"""All settings, in Django's order. Every address, certificate and limit comes from the environment.

docs/operating.md lists each variable; a wrong value stops the start and names itself.
"""

import secrets
import tomllib
from pathlib import Path

from django.core.exceptions import ImproperlyConfigured

from config import connections, message_channels
from config.environment import (
    MAPS,
    PUSH_SERVICE_HOSTS,
    env_addresses,
    env_bool,
    env_choice,
    env_database,
    env_file,
    env_float,
    env_geocoder,
    env_https_urls,
    env_int,
    env_list,
    env_map_url,
    env_path,
    env_secret,
    env_text,
    env_url,
    env_url_or_path,
    env_vapid_key,
    env_zone,
)
from config.security import content_security_policy, refuse_unsafe_production, require_production_settings
from config.storage import storages_setting
from config.structured_logging import logging_config

BASE_DIR = Path(__file__).resolve().parent.parent
# pyproject.toml is the one place where it is written
VERSION: str = tomllib.loads((BASE_DIR / "pyproject.toml").read_text())["project"]["version"]

# --- installation: `production` insists on secrets and secure cookies; `demo` is plain HTTP on loopback ------
DEPLOYMENT = env_choice("DEPLOYMENT", "production", {"production", "demo", "test"})
PLAIN_HTTP = DEPLOYMENT != "production"
if not PLAIN_HTTP:
    require_production_settings()
DEBUG = env_bool("DEBUG", default=False)
SECRET_KEY = env_secret("SECRET_KEY") or (secrets.token_urlsafe(50) if PLAIN_HTTP else "")
ALLOWED_HOSTS = env_list("ALLOWED_HOSTS", "127.0.0.1,localhost,[::1],testserver" if PLAIN_HTTP else "")
PUBLIC_URL = env_url("PUBLIC_URL", "http://127.0.0.1:8000")
PUBLIC_CERT = env_text("PUBLIC_CERT")  # only watched: one that cannot be read is an alarm and stops nothing
CSRF_TRUSTED_ORIGINS = [PUBLIC_URL] if PUBLIC_URL.startswith("https://") else []

INSTALLED_APPS = [
    "engineers.apps.OfficeAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "axes",
    *("django_otp", "django_otp.plugins.otp_totp", "django_otp.plugins.otp_static"),
    "csp",
    "django_q",
    "rest_framework",
    *("monitoring", "engineers", "dispatch", "closures", "seller_link"),
    *("board", "phone", "partner_api", "customer_messages", "alerting"),
    *("background", "operations", "demo", "config"),
]

GZIP = "django.middleware.gzip.GZipMiddleware"
MIDDLEWARE = [
    "monitoring.middleware.RequestWatchMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    # in production whitenoise's files are compressed ahead; a demo compresses them as they go
    *([GZIP] if PLAIN_HTTP else []),
    "whitenoise.middleware.WhiteNoiseMiddleware",
    *([] if PLAIN_HTTP else [GZIP]),
    "config.structured_logging.RequestLogMiddleware",
    "monitoring.middleware.UnavailableMiddleware",
    "engineers.sessions.SlidingSessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "config.security.keep_csrf_cookie",
    "config.security.RefuseNulMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "axes.middleware.AxesMiddleware",
    "monitoring.middleware.explain_refused_method",
]

# The seller's routes are in a process of their own (manage.py seller_server), never in this one.
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
DATABASES = {
    "default": connections.with_options(
        env_database("DATABASE_URL", EMBEDDED, sqlite_engine="config.sqlite"),
        connection_seconds=env_int("DATABASE_CONNECTION_SECONDS", 60),
        prepare_after=env_int("DATABASE_PREPARE_AFTER", 5, lowest=0),
    )
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- web processes ----------------------------------------------------------------------------------------
WEB_PROCESSES = env_int("WEB_PROCESSES", 2, lowest=1, highest=64)
# one slow request (engineers/throttling.py), two with pictures (closures/photos/image_validation.py), one for the pages
WEB_THREADS = env_int("WEB_THREADS", 4, lowest=1, highest=64)
WEB_MEMORY_MB = env_int("WEB_MEMORY_MB", 800, lowest=200)  # large photos leave a process at 530 MB

# --- people -----------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "engineers.User"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "engineers.permissions.RoleBackend"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = LOGOUT_REDIRECT_URL = "login"
LOGIN_REDIRECT_URL = "home"
AXES_FAILURE_LIMIT = env_int("LOGIN_FAILURE_LIMIT", 6, lowest=1)
AXES_COOLOFF_TIME = env_float("LOGIN_COOLOFF_HOURS", 0.25, lowest=0.01, highest=8760)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
# behind nginx all log-ins come from nginx: without this a name that an attacker tries is locked for its owner, too
TRUSTED_PROXIES = env_addresses("TRUSTED_PROXIES", "127.0.0.1,::1")
AXES_CLIENT_IP_CALLABLE = "engineers.throttling.client_address"
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_RESET_ON_SUCCESS = True
AXES_VERBOSE = False
REQUIRE_SECOND_FACTOR = env_bool("REQUIRE_SECOND_FACTOR", default=False)  # of the whole office
OTP_TOTP_ISSUER = "Fibre dispatch"
SESSION_ENGINE = "engineers.sessions"  # counted since the last use
SESSION_COOKIE_AGE = env_int("SESSION_HOURS", 24 * 7, lowest=1, highest=87_600) * 3600
SKILL_WARNING_DAYS = env_int("SKILL_WARNING_DAYS", 30, lowest=0, highest=365)
SIGN_IN_LINK_HOURS = env_int("SIGN_IN_LINK_HOURS", 24, lowest=1, highest=24 * 14)
# where engineers were: the coarse way of those who agreed, and the exact places at a job
POSITION_KEPT_DAYS = env_int("POSITION_KEPT_DAYS", 14, lowest=1, highest=36_500)
POSITION_EXACT_DAYS = env_int("POSITION_EXACT_DAYS", 90, lowest=1, highest=36_500)
# personal data has an end: days after which each class is emptied or deleted (background/personal_data.py).
# A signed link to a photo is good for 90 days, and the seller may use it until then.
RETENTION_PACK_DAYS = env_int("RETENTION_PACK_DAYS", 400, lowest=1, highest=36_500)
RETENTION_MESSAGE_DAYS = env_int("RETENTION_MESSAGE_DAYS", 400, lowest=1, highest=36_500)
RETENTION_PHOTO_DAYS = env_int("RETENTION_PHOTO_DAYS", 400, lowest=90, highest=36_500)
RETENTION_SIGNATURE_DAYS = env_int("RETENTION_SIGNATURE_DAYS", 400, lowest=90, highest=36_500)
RETENTION_PHONE_MESSAGE_DAYS = env_int("RETENTION_PHONE_MESSAGE_DAYS", 90, lowest=1, highest=36_500)
RETENTION_LOG_DAYS = env_int("RETENTION_LOG_DAYS", 30, lowest=1, highest=36_500)
RETENTION_AUDIT_DAYS = env_int("RETENTION_AUDIT_DAYS", 730, lowest=30, highest=36_500)
SIGN_IN = connections.sign_in_settings(is_plain_http=PLAIN_HTTP)  # of the company, and passwords by mail
MAIL_SERVER, SMS_GATEWAY = message_channels.mail_server(), message_channels.sms_gateway()
VAPID_PRIVATE_KEY = env_vapid_key("VAPID_PRIVATE_KEY")  # of web push; without it no phone is asked
PUSH_HOSTS = env_list("PUSH_HOSTS", PUSH_SERVICE_HOSTS)

# --- language and time ------------------------------------------------------------------------------------
LANGUAGE_CODE = "en-gb"
# each by its own name: who looks for theirs may read no other
LANGUAGES = [("en-gb", "English"), ("de", "Deutsch")]
LOCALE_PATHS = [BASE_DIR / "locale"]
# also without a session: whoever was signed out is asked to sign in in their own language
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
TIME_ZONE = env_zone("TIME_ZONE", "Europe/London")

# --- static files and evidence ----------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
WHITENOISE_MIMETYPES = {".webmanifest": "application/manifest+json", ".mjs": "text/javascript"}
WHITENOISE_ALLOW_ALL_ORIGINS = False  # only our own pages use them, and each answer is lighter
WHITENOISE_USE_FINDERS = PLAIN_HTTP
EVIDENCE_STORAGE_URL = env_text("EVIDENCE_STORAGE_URL", f"file://{BASE_DIR / 'var' / 'evidence'}")
STORAGES = storages_setting(EVIDENCE_STORAGE_URL, has_manifest=not PLAIN_HTTP)
BACKUP_PASSPHRASE = env_secret("BACKUP_PASSPHRASE")  # of the keys in a backup
BACKUP_FOLDER = env_text("BACKUP_FOLDER")  # empty: nobody watches how old the newest is
BACKUP_WARNING_HOURS = env_int("BACKUP_WARNING_HOURS", 30, lowest=1, highest=8760)
DISK_FREE_MB = env_int("DISK_FREE_MB", 500, lowest=1)
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000  # a proposed plan has a box for each visit of a region
PHOTO_MAX_BYTES = env_int("PHOTO_MAX_BYTES", 25 * 1024 * 1024, lowest=1024)

# --- security ---------------------------------------------------------------------------------------------
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = not PLAIN_HTTP
SESSION_COOKIE_HTTPONLY = LANGUAGE_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = LANGUAGE_COOKIE_SAMESITE = "Lax"
if not PLAIN_HTTP:
    SESSION_COOKIE_NAME = "__Host-session"
    CSRF_COOKIE_NAME = "__Host-csrf"
    SECURE_SSL_REDIRECT = SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = True
    SECURE_HSTS_SECONDS = 365 * 24 * 3600
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
SECURE_REFERRER_POLICY = SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
METRICS_ALLOWED_ADDRESSES = env_addresses("METRICS_ALLOWED_ADDRESSES", "127.0.0.1,::1")
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]  # asked from this machine, past the proxy
MAP_TILES_URL = env_url("MAP_TILES_URL")
MAP_TILES_ATTRIBUTION = env_text("MAP_TILES_ATTRIBUTION")
MAP_LINK_URL = env_map_url("MAP_LINK_URL", f"{MAPS}/search/?api=1&query={{latitude}},{{longitude}}")
NAVIGATION_URL = env_map_url("NAVIGATION_URL", f"{MAPS}/dir/?api=1&destination={{latitude}},{{longitude}}")
# where browsers find `manage.py board_stream`: a path behind the proxy, or an address; empty: boards ask by themselves
BOARD_STREAM_URL = env_url_or_path("BOARD_STREAM_URL")
CONTENT_SECURITY_POLICY = content_security_policy(MAP_TILES_URL, EVIDENCE_STORAGE_URL)

# --- the seller -------------------------------------------------------------------------------------------
CERTS = BASE_DIR / "var" / "demo" / "certs"
SELLER_ENDPOINTS = env_https_urls("SELLER_ENDPOINTS", "https://127.0.0.1:9443,https://127.0.0.1:9444")
# where the seller calls us: each environment may have a path of its own
SELLER_INBOUND_PATH = env_path("SELLER_INBOUND_PATH", "/seller")
SELLER_CLIENT_CERT = env_file("SELLER_CLIENT_CERT", str(CERTS / "partner.pem"))
SELLER_CLIENT_KEY = env_file("SELLER_CLIENT_KEY", str(CERTS / "partner.key"))
SELLER_CA = env_file("SELLER_CA", str(CERTS / "ca.pem"))
SELLER_ALLOWED_SUBJECTS = env_list("SELLER_ALLOWED_SUBJECTS", "seller")
SELLER_ALLOWED_ADDRESSES = env_addresses("SELLER_ALLOWED_ADDRESSES", "127.0.0.1,::1")
SELLER_SERVER_CERT = env_file("SELLER_SERVER_CERT", SELLER_CLIENT_CERT)
SELLER_SERVER_KEY = env_file("SELLER_SERVER_KEY", SELLER_CLIENT_KEY)
SELLER_SERVER_FILES = [SELLER_SERVER_CERT, SELLER_SERVER_KEY]
SELLER_CRL = env_file("SELLER_CRL", "")
if not PLAIN_HTTP:
    refuse_unsafe_production(
        debug=DEBUG,
        secret_key=SECRET_KEY,
        allowed_hosts=ALLOWED_HOSTS,
        public_url=PUBLIC_URL,
        seller_files=[SELLER_CA, SELLER_CLIENT_CERT, SELLER_CLIENT_KEY, *SELLER_SERVER_FILES],
        demo=CERTS.parent,
    )
# where the seller offers its record of messages, if it does (docs/operating.md, Reconciliation)
SELLER_RECORD_URL = env_url("SELLER_RECORD_URL")
SELLER_DEADLINE_SECONDS = env_float("SELLER_DEADLINE_SECONDS", 10, lowest=0.1)
SELLER_MESSAGE_MAX_BYTES = env_int("SELLER_MESSAGE_MAX_BYTES", 1024 * 1024, lowest=1024)
# over each of these the seller server answers 503 tryAgain, or ends a slow caller's connection
SELLER_SERVER_PROCESSES = env_int("SELLER_SERVER_PROCESSES", 2, lowest=1)
SELLER_SERVER_CONNECTIONS = env_int("SELLER_SERVER_CONNECTIONS", 500, lowest=1)
SELLER_SERVER_QUEUE = env_int("SELLER_SERVER_QUEUE", 100, lowest=0)
SELLER_SERVER_WAIT_SECONDS = env_float("SELLER_SERVER_WAIT_SECONDS", 5, lowest=0.1)
SELLER_SERVER_READ_SECONDS = env_float("SELLER_SERVER_READ_SECONDS", 15, lowest=0.1)
RELAY_WORKERS = env_int("RELAY_WORKERS", 4, lowest=1, highest=64)
RELAY_LEASE_SECONDS = env_float("RELAY_LEASE_SECONDS", 60, lowest=1)
RELAY_BACKOFF_CAP_SECONDS = env_float("RELAY_BACKOFF_CAP_SECONDS", 300, lowest=1)
if RELAY_LEASE_SECONDS <= SELLER_DEADLINE_SECONDS:
    raise ImproperlyConfigured("RELAY_LEASE_SECONDS must be longer than SELLER_DEADLINE_SECONDS")
LINE_CHECK, WEBHOOKS = connections.line_check_settings(), message_channels.webhook_settings()
CUSTOMER_MESSAGES = message_channels.customer_message_settings(dict(LANGUAGES), MAIL_SERVER, SMS_GATEWAY)

# --- work on site -----------------------------------------------------------------------------------------
QUESTION_MATRIX = env_file("QUESTION_MATRIX", str(BASE_DIR / "closures" / "data" / "matrix_sample_3.json"))
ORDER_DESK_PHONE = env_text("ORDER_DESK_PHONE", "0113 496 0100")
OFFICE_PHONE = env_text("OFFICE_PHONE", "0113 496 0111")
CLOSURE_REVIEW = env_bool("CLOSURE_REVIEW", default=False)
# a drive between planned visits that lacks no more may be planned with a reason
TRAVEL_SHORTFALL_MINUTES = env_int("TRAVEL_SHORTFALL_MINUTES", 30, lowest=0, highest=240)
# asked by the planner and the worker (dispatch/planning/road_drives.py); without one drives are estimated
TRAVEL_SERVER = connections.travel_server_settings()
PLAN_SECONDS = env_int("PLAN_SECONDS", 60, lowest=1, highest=600)  # the most that one is searched
TRAVEL_KEPT_DAYS = env_int("TRAVEL_KEPT_DAYS", 30, lowest=1, highest=36_500)
# so many jobs with a network fault on one element within so long raise an alarm (closures/network_patterns.py)
NETWORK_PATTERN_JOBS = env_int("NETWORK_PATTERN_JOBS", 3, lowest=2, highest=100)
NETWORK_PATTERN_MINUTES = env_int("NETWORK_PATTERN_MINUTES", 240, lowest=5, highest=10080)
CAPACITY_TRAVEL_MINUTES = env_int("CAPACITY_TRAVEL_MINUTES", 20, lowest=0, highest=120)  # dispatch/capacity
CAPACITY_WARNING_DAYS = env_int("CAPACITY_WARNING_DAYS", 7, lowest=0, highest=14)
CAPACITY_WARNING_MINUTES = env_int("CAPACITY_WARNING_MINUTES", 60, lowest=1, highest=6000)
GEOCODER = env_geocoder("GEOCODER")  # of geopy, by its short name; empty: a dispatcher places the pin
GEOCODER_USER_AGENT = env_text("GEOCODER_USER_AGENT", "fibre-dispatch")
GEOCODER_DOMAIN = env_text("GEOCODER_DOMAIN")

# --- background work: what may be late or run twice (docs/adr/0011) ------------------------------------------
Q_BROKER = env_choice("Q_BROKER", "database", {"database", "redis"})
REDIS_URL = env_url("REDIS_URL", "redis://127.0.0.1:6379/0", schemes=("redis", "rediss"))
WORKER_PROCESSES = env_int("WORKER_PROCESSES", 2, lowest=1, highest=32)
WORKER_TASK_SECONDS = env_int("WORKER_TASK_SECONDS", 30, lowest=2, highest=3600)
Q_CLUSTER = connections.cluster_settings(
    broker=Q_BROKER, redis_url=REDIS_URL, processes=WORKER_PROCESSES, task_seconds=WORKER_TASK_SECONDS
)
ALERTING = message_channels.alerting_settings()
HEARTBEAT_SILENT_SECONDS = env_float("HEARTBEAT_SILENT_SECONDS", 30, lowest=10)  # the slowest beats every 5 s
CACHES = connections.cache_settings(broker=Q_BROKER, redis_url=REDIS_URL)  # what may be lost
RATE_LIMIT_SCALE = env_float("RATE_LIMIT_SCALE", 1, lowest=0.1)
LOGGING_CONFIG = None
LOG_LEVEL = env_choice("LOG_LEVEL", "INFO", {"DEBUG", "INFO", "WARNING", "ERROR"})
logging_config(level=LOG_LEVEL)
