from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "seller_sandbox.jobs"
    label = "sandbox_jobs"
