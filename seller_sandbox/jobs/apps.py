from django.apps import AppConfig


class JobsConfig(AppConfig):
    name = "seller_sandbox.jobs"
    label = "sandbox_jobs"

    def ready(self) -> None:
        """What falls due and what is sent must be known in each process, whoever does it."""
        # models exist only now
        from seller_sandbox.diagnostics import caller_scopes  # noqa: PLC0415
        from seller_sandbox.endpoints import callers, operations  # noqa: PLC0415
        from seller_sandbox.jobs import (  # noqa: PLC0415
            effects,
            partner_scope,
            provisioned_lines,
            provisioning,  # noqa: F401
            receiver,
        )
        from seller_sandbox.jobs.channel import CHANNEL  # noqa: PLC0415
        from seller_sandbox.jobs.signals import job_changed  # noqa: PLC0415
        from seller_sandbox.messages import channels  # noqa: PLC0415
        from seller_sandbox.messages.models import PARTNER, ThreadKind  # noqa: PLC0415

        channels.register(ThreadKind.JOB, CHANNEL)
        callers.register(PARTNER, partner_scope.is_partner)
        caller_scopes.register(PARTNER, partner_scope.PARTNER_SCOPE)
        for path in effects.APPLY:
            operations.register(
                path=path,
                role=PARTNER,
                receive=receiver.receive,
                note_unserved=receiver.note_unserved,
            )
        job_changed.connect(provisioned_lines.on_job_changed, dispatch_uid="provisioned_lines")
