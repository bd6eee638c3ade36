"""The settings that a rehearsal's processes must not take over from the environment in which it is started: whoever
rehearses on the machine of an installation would otherwise write to its database, its seller or its customers."""

from config.environment import variables_set

# as without the variable
SETTINGS = {
    "RATE_LIMIT_SCALE": "100",  # a rehearsal plays a day in minutes
    "SECRET_KEY": "",
    "BACKUP_FOLDER": "",
    "BACKUP_PASSPHRASE": "",
    "Q_BROKER": "database",
    "REDIS_URL": "redis://127.0.0.1:6379/0",
    "SELLER_INBOUND_PATH": "/seller",
    "SELLER_SERVER_CERT": "",
    "SELLER_SERVER_KEY": "",
    "SELLER_CRL": "",
    "SELLER_ALLOWED_SUBJECTS": "seller",
    "SELLER_ALLOWED_ADDRESSES": "127.0.0.1,::1",
    "CUSTOMER_MESSAGES": "",
    "MAIL_SERVER_URL": "",
    "SMS_GATEWAY_URL": "",
    "ALARM_WEBHOOK_HOSTS": "",
    "ALARM_WEBHOOK_SECRET": "",
    "VAPID_PRIVATE_KEY": "",
    "OIDC_ISSUER": "",
    "QUESTION_MATRIX": "",
    "REQUIRE_SECOND_FACTOR": "0",
    "GEOCODER": "",
}


def apart_settings() -> dict[str, str]:
    """Variable to value, with every NAME_FILE that is set emptied: it would be another value of NAME."""
    files = {name: "" for name in variables_set() if name.endswith("_FILE")}
    return {**SETTINGS, **files}
