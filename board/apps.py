from django.apps import AppConfig


class BoardConfig(AppConfig):
    name = "board"
    verbose_name = "Board"

    def ready(self) -> None:
        """The worker runs only tasks that are registered."""
        # models exist only now
        from board.evidence import tasks  # noqa: F401, PLC0415
        from board.stream.stream_health import check_board_stream  # noqa: PLC0415
        from monitoring import health_checks  # noqa: PLC0415

        health_checks.register_check("board_stream", check_board_stream, is_dispensable=True)
