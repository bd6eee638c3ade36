from django.apps import AppConfig


class BoardConfig(AppConfig):
    name = "board"
    verbose_name = "Board"

    def ready(self) -> None:
        """The worker runs only tasks that are registered."""
        # models exist only now
        from board.evidence import tasks  # noqa: F401, PLC0415
