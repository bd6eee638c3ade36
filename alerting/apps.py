from django.apps import AppConfig


class AlertingConfig(AppConfig):
    name = "alerting"
    verbose_name = "Alarms to people"
