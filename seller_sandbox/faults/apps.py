from django.apps import AppConfig


class FaultsConfig(AppConfig):
    name = "seller_sandbox.faults"
    label = "sandbox_faults"

    def ready(self) -> None:
        """Let buyers in and notifications out; what falls due must be known in each process, whoever does it."""
        # models exist only now
        from seller_sandbox.diagnostics.signals import line_changed, load_changed  # noqa: PLC0415
        from seller_sandbox.faults import (  # noqa: PLC0415
            holds,  # noqa: F401
            notifying,
            operations,
            repaired_lines,
            silence,  # noqa: F401
            triage,
        )
        from seller_sandbox.faults.revisits import (  # noqa: PLC0415
            follow_up_slots,
            missed_visits,  # noqa: F401
            revisit_results,
            visits,
        )
        from seller_sandbox.faults.signals import fault_changed  # noqa: PLC0415
        from seller_sandbox.jobs.signals import job_changed, job_to_be_locked  # noqa: PLC0415
        from seller_sandbox.messages import channels  # noqa: PLC0415
        from seller_sandbox.messages.models import ThreadKind  # noqa: PLC0415

        channels.register(ThreadKind.TICKET, notifying.CHANNEL)
        operations.register()
        fault_changed.connect(triage.on_fault_changed, dispatch_uid="triage")
        fault_changed.connect(visits.on_fault_changed, dispatch_uid="visits")
        fault_changed.connect(follow_up_slots.on_fault_changed, dispatch_uid="late_slots")
        line_changed.connect(repaired_lines.on_line_changed, dispatch_uid="faults")
        load_changed.connect(repaired_lines.on_load_changed, dispatch_uid="faults")
        job_to_be_locked.connect(revisit_results.lock_report, dispatch_uid="faults")
        job_changed.connect(revisit_results.on_job_changed, dispatch_uid="faults")
