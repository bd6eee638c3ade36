import django.db.models.deletion
import django.db.models.functions.text
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('engineers', '0001_initial'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='FlagRule',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.CharField(max_length=40, unique=True)),
                ('skill', models.CharField(blank=True, max_length=50)),
                ('needs_two_people', models.BooleanField(default=False)),
                ('extra_minutes', models.PositiveSmallIntegerField(default=0)),
                ('kit', models.JSONField(default=list)),
                ('lead_days', models.PositiveSmallIntegerField(default=0)),
                ('needs_survey', models.BooleanField(default=False)),
                ('version', models.PositiveIntegerField(default=0)),
            ],
            options={
                'ordering': ['code'],
            },
        ),
        migrations.CreateModel(
            name='Job',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider_job_id', models.CharField(max_length=36, unique=True, verbose_name='job number')),
                ('seller_job_id', models.CharField(max_length=36, unique=True, verbose_name='the seller\'s job number')),
                ('content_sha256', models.CharField(max_length=64)),
                ('job_type', models.CharField(choices=[('installation', 'Installation'), ('revisit', 'Revisit'), ('external', 'External'), ('civils', 'Civils')], max_length=12, verbose_name='job type')),
                ('state', models.CharField(choices=[('received', 'Unassigned'), ('assigned', 'Assigned'), ('en_route', 'En route'), ('on_site', 'On site'), ('in_review', 'In review'), ('closed', 'Closed'), ('cancelled', 'Cancelled')], max_length=10, verbose_name='state')),
                ('received_at', models.DateTimeField(verbose_name='received')),
                ('buyer_order_reference', models.CharField(blank=True, db_index=True, max_length=36)),
                ('seller_order_reference', models.CharField(blank=True, db_index=True, max_length=36)),
                ('service_identifier', models.TextField(blank=True)),
                ('product_name', models.TextField()),
                ('line_profile', models.TextField(blank=True)),
                ('reservation_key', models.TextField(blank=True)),
                ('uprn', models.CharField(db_index=True, max_length=12)),
                ('address_lines', models.JSONField(default=list)),
                ('town', models.TextField(blank=True)),
                ('postcode', models.TextField(blank=True, verbose_name='postcode')),
                ('postcode_key', models.CharField(blank=True, db_index=True, max_length=20)),
                ('latitude', models.FloatField(null=True)),
                ('longitude', models.FloatField(null=True)),
                ('classification', models.TextField(blank=True)),
                ('flags', models.JSONField(default=list)),
                ('contact_name', models.TextField()),
                ('contact_phone', models.TextField()),
                ('contact_email', models.TextField(blank=True)),
                ('access_restrictions', models.TextField(blank=True)),
                ('preferred_ont_location', models.TextField(blank=True)),
                ('hazards', models.TextField(blank=True)),
                ('site_notes', models.TextField(blank=True)),
                ('window_start', models.DateTimeField(verbose_name='start of the window')),
                ('window_end', models.DateTimeField(verbose_name='end of the window')),
                ('duration_minutes', models.PositiveSmallIntegerField()),
                ('ont_vendor', models.TextField(blank=True)),
                ('ont_model', models.TextField(blank=True)),
                ('ont_fsan', models.TextField(blank=True)),
                ('ont_serial_number', models.TextField(blank=True)),
                ('network', models.JSONField(default=dict)),
                ('previous_provider_job_id', models.CharField(blank=True, max_length=36)),
                ('fault', models.JSONField(default=dict)),
                ('matrix_edition', models.CharField(blank=True, max_length=60)),
                ('last_event_seq', models.PositiveIntegerField(default=0)),
                ('held_at', models.DateTimeField(null=True)),
                ('held_for', models.CharField(blank=True, max_length=300)),
                ('anonymised_at', models.DateTimeField(null=True)),
            ],
            options={
                'verbose_name': 'job',
                'verbose_name_plural': 'jobs',
                'ordering': ['window_start', 'postcode', 'pk'],
                'indexes': [models.Index(fields=['state', 'window_start'], name='job_by_state_and_window'), models.Index(fields=['window_start'], name='job_by_window'), models.Index(condition=models.Q(('held_at__isnull', False)), fields=['held_at'], name='job_on_hold'), models.Index(django.db.models.functions.text.Upper('buyer_order_reference'), name='job_by_buyer_reference'), models.Index(django.db.models.functions.text.Upper('seller_order_reference'), name='job_by_seller_reference'), models.Index(django.db.models.functions.text.Upper('seller_job_id'), name='job_by_seller_job_id')],
                'constraints': [models.CheckConstraint(condition=models.Q(('window_start__lt', models.F('window_end'))), name='window_starts_before_it_ends')],
            },
        ),
        migrations.CreateModel(
            name='JobSearchText',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('keywords', models.TextField()),
                ('job', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='search_text', to='dispatch.job')),
            ],
        ),
        migrations.CreateModel(
            name='OntScan',
            fields=[
                ('scan_id', models.UUIDField(default=uuid.uuid4, primary_key=True, serialize=False)),
                ('fsan', models.CharField(max_length=12)),
                ('serial_number', models.CharField(blank=True, max_length=40)),
                ('source', models.CharField(choices=[('typed', 'Entered manually'), ('camera', 'Camera')], default='typed', max_length=10)),
                ('scanned_at', models.DateTimeField()),
                ('recorded_at', models.DateTimeField()),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='scans', to='dispatch.job')),
            ],
            options={
                'ordering': ['recorded_at'],
            },
        ),
        migrations.CreateModel(
            name='PlanAction',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('made_at', models.DateTimeField()),
                ('undone_at', models.DateTimeField(null=True)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='plan_actions', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='AbsenceStep',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('starts_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField()),
                ('action', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='absence_steps', to='dispatch.planaction')),
                ('engineer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='engineers.engineer')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='PlanStep',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('start_before', models.DateTimeField(null=True)),
                ('start_after', models.DateTimeField(null=True)),
                ('version_before', models.CharField(max_length=40)),
                ('version_after', models.CharField(max_length=40)),
                ('action', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='steps', to='dispatch.planaction')),
                ('engineer_after', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='engineers.engineer')),
                ('engineer_before', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='engineers.engineer')),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dispatch.job')),
                ('second_after', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='engineers.engineer')),
                ('second_before', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='engineers.engineer')),
            ],
            options={
                'ordering': ['pk'],
            },
        ),
        migrations.CreateModel(
            name='ProvisioningResult',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('result_id', models.PositiveSmallIntegerField()),
                ('success', models.BooleanField()),
                ('details', models.TextField(blank=True)),
                ('occurred_at', models.DateTimeField()),
                ('recorded_at', models.DateTimeField()),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='results', to='dispatch.job')),
                ('scan', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='results', to='dispatch.ontscan')),
            ],
            options={
                'ordering': ['recorded_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='Visit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('planned_start', models.DateTimeField()),
                ('planned_end', models.DateTimeField()),
                ('travel_started_at', models.DateTimeField(null=True)),
                ('arrived_at', models.DateTimeField(null=True)),
                ('ended_at', models.DateTimeField(null=True)),
                ('unassigned_at', models.DateTimeField(null=True)),
                ('is_pinned', models.BooleanField(default=False)),
                ('engineer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='visits', to='engineers.engineer')),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='visits', to='dispatch.job')),
                ('second_engineer', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='accompanied_visits', to='engineers.engineer')),
            ],
            options={
                'ordering': ['planned_start', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='JobEvent',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('seq', models.PositiveIntegerField(verbose_name='number')),
                ('kind', models.CharField(choices=[('received', 'Job pack received'), ('located', 'Location set'), ('engineer_assigned', 'Engineer assigned'), ('moved', 'Visit rescheduled'), ('second_changed', 'Second engineer changed'), ('unassigned', 'Job unassigned'), ('en_route', 'En route'), ('on_site', 'On site'), ('hand_over_asked', 'Handover requested'), ('ont_scanned', 'ONT scanned'), ('ont_provisioned', 'Provisioning result'), ('submitted', 'Submitted for review'), ('sent_back', 'Sent back to the engineer'), ('closed', 'Closed'), ('cancelled', 'Cancelled by the seller'), ('held', 'Put on hold'), ('released', 'Released'), ('pinned', 'Pinned'), ('unpinned', 'Unpinned'), ('note_added', 'Note'), ('reported_late', 'Sync conflict')], max_length=20, verbose_name='event')),
                ('from_state', models.CharField(blank=True, choices=[('received', 'Unassigned'), ('assigned', 'Assigned'), ('en_route', 'En route'), ('on_site', 'On site'), ('in_review', 'In review'), ('closed', 'Closed'), ('cancelled', 'Cancelled')], max_length=10, verbose_name='state before')),
                ('to_state', models.CharField(choices=[('received', 'Unassigned'), ('assigned', 'Assigned'), ('en_route', 'En route'), ('on_site', 'On site'), ('in_review', 'In review'), ('closed', 'Closed'), ('cancelled', 'Cancelled')], max_length=10, verbose_name='state after')),
                ('actor', models.CharField(choices=[('seller', 'Seller'), ('dispatcher', 'Dispatcher'), ('engineer', 'Engineer'), ('system', 'System')], max_length=10, verbose_name='actor')),
                ('occurred_at', models.DateTimeField(verbose_name='occurred')),
                ('recorded_at', models.DateTimeField(verbose_name='recorded')),
                ('facts', models.JSONField(default=dict, verbose_name='facts')),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='events', to='dispatch.job')),
                ('user', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='user')),
            ],
            options={
                'verbose_name': 'job event',
                'verbose_name_plural': 'job events',
                'ordering': ['job', 'seq'],
                'constraints': [models.UniqueConstraint(fields=('job', 'seq'), name='event_once_per_place')],
            },
        ),
        migrations.AddIndex(
            model_name='ontscan',
            index=models.Index(fields=['fsan'], name='scan_by_fsan'),
        ),
        migrations.AddIndex(
            model_name='planaction',
            index=models.Index(fields=['user', 'undone_at'], name='action_by_user'),
        ),
        migrations.AddConstraint(
            model_name='planstep',
            constraint=models.UniqueConstraint(fields=('action', 'job'), name='job_once_per_action'),
        ),
        migrations.AddConstraint(
            model_name='planstep',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('engineer_before', None), ('start_before', None)), models.Q(('engineer_before__isnull', False), ('start_before__isnull', False)), _connector='OR'), name='step_before_is_whole'),
        ),
        migrations.AddConstraint(
            model_name='planstep',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('engineer_after', None), ('start_after', None)), models.Q(('engineer_after__isnull', False), ('start_after__isnull', False)), _connector='OR'), name='step_after_is_whole'),
        ),
        migrations.AddIndex(
            model_name='provisioningresult',
            index=models.Index(fields=['recorded_at'], name='result_by_time'),
        ),
        migrations.AddIndex(
            model_name='visit',
            index=models.Index(fields=['engineer', 'planned_start'], name='visit_by_engineer_and_start'),
        ),
        migrations.AddConstraint(
            model_name='visit',
            constraint=models.UniqueConstraint(condition=models.Q(('unassigned_at', None)), fields=('job',), name='one_standing_visit_per_job'),
        ),
        migrations.AddConstraint(
            model_name='visit',
            constraint=models.CheckConstraint(condition=models.Q(('planned_start__lt', models.F('planned_end'))), name='visit_starts_before_it_ends'),
        ),
        migrations.AddConstraint(
            model_name='visit',
            constraint=models.CheckConstraint(condition=models.Q(('second_engineer', None), models.Q(('second_engineer', models.F('engineer')), _negated=True), _connector='OR'), name='second_engineer_is_another'),
        ),
        migrations.CreateModel(
            name='PlanComparison',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('requested_at', models.DateTimeField()),
                ('occasion', models.CharField(choices=[('urgent_job', 'A job is urgent'), ('engineer_absent', 'An engineer is absent'), ('visit_longer', 'A visit takes longer'), ('job_cancelled', 'A job is cancelled')], max_length=20)),
                ('absent_since', models.DateTimeField(null=True)),
                ('longer_minutes', models.PositiveSmallIntegerField(default=0)),
                ('engineer', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='engineers.engineer')),
                ('job', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dispatch.job')),
                ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='plan_comparisons', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='PlanProposal',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('requested_at', models.DateTimeField()),
                ('starts_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField()),
                ('scope', models.JSONField(default=dict)),
                ('seconds', models.PositiveSmallIntegerField()),
                ('neighbourhoods', models.PositiveIntegerField(null=True)),
                ('seed', models.PositiveIntegerField(default=1)),
                ('change_minutes', models.PositiveSmallIntegerField(default=0)),
                ('way', models.CharField(blank=True, choices=[('nearest', 'Only the nearest engineers'), ('wider', 'Engineers in a wider circle'), ('everybody', 'Everybody, and all unassigned jobs')], max_length=10)),
                ('comparison', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='proposals', to='dispatch.plancomparison')),
                ('state', models.CharField(choices=[('requested', 'Waiting'), ('planning', 'Planning'), ('ready', 'Ready'), ('failed', 'Failed')], default='requested', max_length=10)),
                ('started_at', models.DateTimeField(null=True)),
                ('stop_requested_at', models.DateTimeField(null=True)),
                ('made_at', models.DateTimeField(null=True)),
                ('ended_by', models.CharField(blank=True, max_length=10)),
                ('failure', models.CharField(blank=True, max_length=300)),
                ('travel_note', models.CharField(blank=True, choices=[('unreachable', "Travel times estimated: the travel server can't be reached."), ('incomplete', 'Some travel times are estimated: the travel server has not answered for them yet.')], max_length=12)),
                ('value', models.PositiveIntegerField(default=0)),
                ('possible_value', models.PositiveIntegerField(default=0)),
                ('travel_seconds_before', models.PositiveIntegerField(default=0)),
                ('travel_seconds', models.PositiveIntegerField(default=0)),
                ('misses_before', models.FloatField(null=True)),
                ('misses', models.FloatField(null=True)),
                ('action', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to='dispatch.planaction')),
                ('requested_by', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='plan_proposals', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-pk'],
            },
        ),
        migrations.CreateModel(
            name='ProposedChange',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('assign', 'Assign'), ('reassign', 'Reassign'), ('reschedule', 'Reschedule'), ('unassign', 'Unassign'), ('remain', 'Remains unassigned')], max_length=10)),
                ('start_before', models.DateTimeField(null=True)),
                ('start_after', models.DateTimeField(null=True)),
                ('version', models.CharField(max_length=40)),
                ('reason', models.CharField(max_length=30)),
                ('parameters', models.JSONField(default=dict)),
                ('accepted_at', models.DateTimeField(null=True)),
                ('engineer_after', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='engineers.engineer')),
                ('engineer_before', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to='engineers.engineer')),
                ('job', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='dispatch.job')),
                ('proposal', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='changes', to='dispatch.planproposal')),
            ],
            options={
                'ordering': ['start_after', 'pk'],
            },
        ),
        migrations.AddConstraint(
            model_name='planproposal',
            constraint=models.UniqueConstraint(fields=('comparison', 'way'), name='way_once_per_comparison'),
        ),
        migrations.AddConstraint(
            model_name='planproposal',
            constraint=models.CheckConstraint(condition=models.Q(('starts_at__lt', models.F('ends_at'))), name='proposal_starts_before_it_ends'),
        ),
        migrations.AddConstraint(
            model_name='proposedchange',
            constraint=models.UniqueConstraint(fields=('proposal', 'job'), name='job_once_per_proposal'),
        ),
        migrations.AddConstraint(
            model_name='proposedchange',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('engineer_after', None), ('start_after', None)), models.Q(('engineer_after__isnull', False), ('start_after__isnull', False)), _connector='OR'), name='change_after_is_whole'),
        ),
        migrations.CreateModel(
            name='DayForecast',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField(unique=True)),
                ('made_at', models.DateTimeField()),
                ('misses', models.FloatField()),
                ('most_misses', models.PositiveIntegerField()),
                ('chances', models.JSONField(default=dict)),
                ('finishes', models.JSONField(default=dict)),
            ],
        ),
        migrations.CreateModel(
            name='LearnedSpread',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('kind', models.CharField(choices=[('travel', 'Drive'), ('length', 'Time on site'), ('no_access', 'No access')], max_length=10)),
                ('job_type', models.CharField(blank=True, choices=[('installation', 'Installation'), ('revisit', 'Revisit'), ('external', 'External'), ('civils', 'Civils')], max_length=12)),
                ('learned_at', models.DateTimeField()),
                ('learned_from', models.PositiveIntegerField()),
                ('ratios', models.JSONField(default=list)),
                ('share', models.FloatField(null=True)),
            ],
            options={
                'ordering': ['kind', 'job_type'],
                'constraints': [models.UniqueConstraint(fields=('kind', 'job_type'), name='spread_once_per_type')],
            },
        ),
        migrations.CreateModel(
            name='RecordedChance',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('hour', models.DateTimeField(db_index=True)),
                ('planned_start', models.DateTimeField()),
                ('chance', models.FloatField()),
                ('visit', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='recorded_chances', to='dispatch.visit')),
            ],
            options={
                'constraints': [models.UniqueConstraint(fields=('visit', 'hour'), name='chance_once_per_hour'), models.CheckConstraint(condition=models.Q(('chance__gte', 0), ('chance__lte', 1)), name='chance_is_a_share')],
            },
        ),
        migrations.CreateModel(
            name='RoadDrive',
            fields=[
                ('pair', models.CharField(max_length=40, primary_key=True, serialize=False)),
                ('seconds', models.PositiveIntegerField(null=True)),
                ('metres', models.PositiveIntegerField(null=True)),
                ('fetched_at', models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name='TravelServerHealth',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('url', models.CharField(max_length=300, unique=True)),
                ('failures', models.PositiveIntegerField(default=0)),
                ('last_error', models.CharField(blank=True, max_length=300)),
                ('open_until', models.DateTimeField(null=True)),
            ],
        ),
        migrations.CreateModel(
            name='DriveCorrection',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('source', models.CharField(choices=[('estimate', 'Estimate'), ('road', 'Travel server')], max_length=10)),
                ('hour', models.PositiveSmallIntegerField(null=True)),
                ('factor', models.FloatField()),
                ('learned_from', models.PositiveIntegerField()),
                ('learned_at', models.DateTimeField()),
                ('is_used', models.BooleanField(default=True)),
            ],
            options={
                'ordering': ['source', 'hour'],
                'constraints': [models.UniqueConstraint(fields=('source', 'hour'), name='correction_once_per_hour'), models.UniqueConstraint(condition=models.Q(('hour', None)), fields=('source',), name='correction_once_for_all_hours'), models.CheckConstraint(condition=models.Q(('factor__gt', 0)), name='correction_is_positive')],
            },
        ),
        migrations.CreateModel(
            name='LearnedLength',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('job_type', models.CharField(choices=[('installation', 'Installation'), ('revisit', 'Revisit'), ('external', 'External'), ('civils', 'Civils')], max_length=12)),
                ('product', models.CharField(blank=True, max_length=200)),
                ('flag', models.CharField(blank=True, max_length=40)),
                ('minutes', models.JSONField(default=list)),
                ('learned_from', models.PositiveIntegerField()),
                ('learned_at', models.DateTimeField()),
                ('is_used', models.BooleanField(default=True)),
            ],
            options={
                'ordering': ['job_type', 'product', 'flag'],
                'constraints': [models.UniqueConstraint(fields=('job_type', 'product', 'flag'), name='length_once_per_group')],
            },
        ),
    ]
