from django.apps import AppConfig


class ClosuresConfig(AppConfig):
    name = "closures"
    verbose_name = "Closures"

    def ready(self) -> None:
        """A broken question matrix, new or old, stops the start, not the first engineer of the day."""
        from closures import editions  # noqa: PLC0415  # models exist only now

        editions.current()
        editions.kept()
