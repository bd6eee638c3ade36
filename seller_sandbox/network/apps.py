from django.apps import AppConfig


class NetworkConfig(AppConfig):
    name = "seller_sandbox.network"
    label = "sandbox_network"

    def ready(self) -> None:
        # registers the due action that ends a reservation
        from seller_sandbox.network import appointments  # noqa: F401, PLC0415
