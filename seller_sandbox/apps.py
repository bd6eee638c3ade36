import gc

from django.apps import AppConfig


class SandboxConfig(AppConfig):
    name = "seller_sandbox"
    label = "sandbox"

    def ready(self) -> None:
        """All models are imported and stay as long as the process, so garbage is looked for in the rest only."""
        gc.freeze()
        gc.enable()
