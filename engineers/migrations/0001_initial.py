import django.contrib.auth.validators
import django.core.validators
import django.db.models.deletion
import django.db.models.functions.text
import django.utils.timezone
import engineers.models.people
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    initial = True

    dependencies = [
        ('auth', '0012_alter_user_first_name_max_length'),
    ]

    operations = [
        migrations.CreateModel(
            name='Area',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('name', models.CharField(max_length=60, validators=[django.core.validators.RegexValidator(';', 'Leave out the semicolon.', inverse_match=True)])),
                ('postcodes', models.CharField(blank=True, help_text='Outward codes or postcode areas separated by spaces, for example: LS1 LS2 BD', max_length=1000, validators=[django.core.validators.RegexValidator('^[A-Z]{1,2}[0-9A-Z]{0,2}( [A-Z]{1,2}[0-9A-Z]{0,2})*$')])),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('name'), name='area_named_once')],
            },
        ),
        migrations.CreateModel(
            name='Skill',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('code', models.SlugField(unique=True)),
                ('name', models.CharField(max_length=80)),
            ],
            options={
                'ordering': ['name'],
                'constraints': [models.UniqueConstraint(django.db.models.functions.text.Lower('name'), name='skill_named_once')],
            },
        ),
        migrations.CreateModel(
            name='User',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('password', models.CharField(max_length=128, verbose_name='password')),
                ('last_login', models.DateTimeField(blank=True, null=True, verbose_name='last login')),
                ('is_superuser', models.BooleanField(default=False, help_text='Designates that this user has all permissions without explicitly assigning them.', verbose_name='superuser status')),
                ('username', models.CharField(error_messages={'unique': 'A user with that username already exists.'}, help_text='Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.', max_length=150, unique=True, validators=[django.contrib.auth.validators.UnicodeUsernameValidator()], verbose_name='username')),
                ('first_name', models.CharField(blank=True, max_length=150, verbose_name='first name')),
                ('last_name', models.CharField(blank=True, max_length=150, verbose_name='last name')),
                ('email', models.EmailField(blank=True, max_length=254, verbose_name='email address')),
                ('is_staff', models.BooleanField(default=False, help_text='Designates whether the user can log into this admin site.', verbose_name='staff status')),
                ('is_active', models.BooleanField(default=True, help_text='Designates whether this user should be treated as active. Unselect this instead of deleting accounts.', verbose_name='active')),
                ('date_joined', models.DateTimeField(default=django.utils.timezone.now, verbose_name='date joined')),
                ('role', models.CharField(choices=[('supervisor', 'Supervisor'), ('senior_dispatcher', 'Senior dispatcher'), ('dispatcher', 'Dispatcher'), ('planner', 'Planner'), ('auditor', 'Auditor (read only)'), ('engineer', 'Engineer')], default='engineer', max_length=30, verbose_name='role')),
                ('language', models.CharField(blank=True, max_length=10)),
                ('must_change_password', models.BooleanField(default=False, editable=False)),
                ('anonymised_at', models.DateTimeField(editable=False, null=True)),
                ('groups', models.ManyToManyField(blank=True, help_text='The groups this user belongs to. A user will get all permissions granted to each of their groups.', related_name='user_set', related_query_name='user', to='auth.group', verbose_name='groups')),
                ('user_permissions', models.ManyToManyField(blank=True, help_text='Specific permissions for this user.', related_name='user_set', related_query_name='user', to='auth.permission', verbose_name='user permissions')),
            ],
            options={
                'verbose_name': 'user',
                'verbose_name_plural': 'users',
                'abstract': False,
            },
            managers=[
                ('objects', engineers.models.people.PeopleManager()),
            ],
        ),
        migrations.CreateModel(
            name='AuditEntry',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('action', models.CharField(max_length=60, verbose_name='action')),
                ('subject', models.CharField(max_length=150, verbose_name='subject')),
                ('before', models.JSONField(null=True, verbose_name='before')),
                ('after', models.JSONField(null=True, verbose_name='after')),
                ('recorded_at', models.DateTimeField(verbose_name='recorded')),
                ('actor', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL, verbose_name='actor')),
            ],
            options={
                'verbose_name': 'audit entry',
                'verbose_name_plural': 'audit entries',
                'ordering': ['-recorded_at', '-pk'],
                'indexes': [models.Index(fields=['action', 'subject', 'recorded_at'], name='audit_by_subject'), models.Index(fields=['recorded_at', 'id'], name='audit_by_time')],
            },
        ),
        migrations.CreateModel(
            name='Engineer',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('staff_number', models.CharField(max_length=20, unique=True, validators=[django.core.validators.RegexValidator('\\A\\w[\\w.-]*\\Z', 'Use letters, digits, dots, hyphens and underscores, a letter or digit first.')])),
                ('phone_identity', models.CharField(editable=False, max_length=30, unique=True)),
                ('export_key_number', models.PositiveIntegerField(default=0, editable=False)),
                ('phone', models.CharField(max_length=30, validators=[django.core.validators.RegexValidator('\\A\\+?[0-9(][0-9 ()./-]+\\Z', 'Use digits, spaces and + ( ) . / - only, as in 07700 900123.')])),
                ('home_address', models.CharField(blank=True, max_length=200)),
                ('home_latitude', models.FloatField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(-90), django.core.validators.MaxValueValidator(90)])),
                ('home_longitude', models.FloatField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(-180), django.core.validators.MaxValueValidator(180)])),
                ('shares_position_since', models.DateTimeField(blank=True, editable=False, null=True)),
                ('max_hours_per_day', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(24)])),
                ('max_hours_per_week', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(168)])),
                ('min_rest_hours', models.PositiveSmallIntegerField(blank=True, null=True, validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(24)])),
                ('area', models.ForeignKey(blank=True, null=True, on_delete=django.db.models.deletion.PROTECT, related_name='engineers', to='engineers.area')),
                ('further_areas', models.ManyToManyField(blank=True, related_name='further_engineers', to='engineers.area')),
                ('user', models.OneToOneField(on_delete=django.db.models.deletion.PROTECT, related_name='engineer', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['user__first_name', 'user__last_name', 'staff_number'],
            },
        ),
        migrations.CreateModel(
            name='DrivingPosition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('latitude', models.FloatField()),
                ('longitude', models.FloatField()),
                ('taken_at', models.DateTimeField(db_index=True)),
                ('engineer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='driving_positions', to='engineers.engineer')),
            ],
            options={
                'ordering': ['taken_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='CalendarFeed',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('secret_sha256', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('last_read_at', models.DateTimeField(null=True)),
                ('engineer', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='calendar_feed', to='engineers.engineer')),
            ],
        ),
        migrations.CreateModel(
            name='LastPosition',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('latitude', models.FloatField()),
                ('longitude', models.FloatField()),
                ('accuracy_metres', models.FloatField(null=True)),
                ('taken_at', models.DateTimeField()),
                ('engineer', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='last_position', to='engineers.engineer')),
            ],
        ),
        migrations.CreateModel(
            name='LastSync',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('version', models.CharField(blank=True, max_length=16)),
                ('release', models.CharField(blank=True, max_length=20)),
                ('synced_at', models.DateTimeField()),
                ('engineer', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, related_name='last_sync', to='engineers.engineer')),
            ],
        ),
        migrations.CreateModel(
            name='PhoneMessage',
            fields=[
                ('message_id', models.UUIDField(primary_key=True, serialize=False)),
                ('kind', models.CharField(max_length=40)),
                ('provider_job_id', models.CharField(blank=True, db_index=True, max_length=36)),
                ('body', models.JSONField()),
                ('body_sha256', models.CharField(max_length=64)),
                ('occurred_at', models.DateTimeField()),
                ('clock_ahead_seconds', models.BigIntegerField(default=0)),
                ('received_at', models.DateTimeField()),
                ('outcome', models.CharField(choices=[('applied', 'Applied'), ('refused', 'Refused')], max_length=10)),
                ('answer', models.JSONField()),
                ('purged_at', models.DateTimeField(null=True)),
                ('engineer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='phone_messages', to='engineers.engineer')),
            ],
            options={
                'ordering': ['received_at'],
                'indexes': [models.Index(condition=models.Q(('purged_at__isnull', True)), fields=['received_at'], name='phone_message_unpurged'), models.Index(condition=models.Q(('body__body__has_key', 'position'), models.Q(('body__has_key', 'rounded'), _negated=True)), fields=['occurred_at'], name='phone_message_exact')],
            },
        ),
        migrations.CreateModel(
            name='PushSubscription',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('endpoint', models.CharField(max_length=1000, unique=True)),
                ('public_key', models.CharField(max_length=100)),
                ('auth_secret', models.CharField(max_length=40)),
                ('subscribed_at', models.DateTimeField()),
                ('engineer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='push_subscriptions', to='engineers.engineer')),
            ],
            options={
                'ordering': ['subscribed_at', 'pk'],
            },
        ),
        migrations.CreateModel(
            name='SignInLink',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('secret_sha256', models.CharField(max_length=64, unique=True)),
                ('created_at', models.DateTimeField()),
                ('expires_at', models.DateTimeField()),
                ('used_at', models.DateTimeField(null=True)),
                ('created_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='sign_in_links', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['-created_at', '-pk'],
            },
        ),
        migrations.CreateModel(
            name='HeldSkill',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('expires_on', models.DateField(blank=True, null=True)),
                ('engineer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='held_skills', to='engineers.engineer')),
                ('skill', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to='engineers.skill')),
            ],
            options={
                'ordering': ['skill__name'],
            },
        ),
        migrations.AddField(
            model_name='engineer',
            name='skills',
            field=models.ManyToManyField(blank=True, related_name='engineers', through='engineers.HeldSkill', to='engineers.skill'),
        ),
        migrations.CreateModel(
            name='CheckIn',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('provider_job_id', models.CharField(max_length=36)),
                ('started_at', models.DateTimeField()),
                ('due_at', models.DateTimeField()),
                ('ended_at', models.DateTimeField(null=True)),
                ('end_reason', models.CharField(blank=True, choices=[('done', 'Engineer is OK'), ('again', 'Timer reset'), ('closed', 'Job closed'), ('office', 'Reached by the office')], max_length=10)),
                ('acknowledged_at', models.DateTimeField(null=True)),
                ('acknowledged_by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.PROTECT, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('engineer', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='check_ins', to='engineers.engineer')),
            ],
            options={
                'ordering': ['due_at', 'pk'],
                'constraints': [models.UniqueConstraint(condition=models.Q(('ended_at', None)), fields=('engineer',), name='one_running_check_in')],
            },
        ),
        migrations.CreateModel(
            name='Absence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('starts_at', models.DateTimeField()),
                ('ends_at', models.DateTimeField()),
                ('reason', models.CharField(blank=True, max_length=120)),
                ('engineer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='absences', to='engineers.engineer')),
            ],
            options={
                'ordering': ['starts_at'],
                'constraints': [models.CheckConstraint(condition=models.Q(('starts_at__lt', models.F('ends_at'))), name='absence_starts_before_it_ends'), models.UniqueConstraint(models.F('engineer'), models.F('starts_at'), models.F('ends_at'), name='absence_once_per_times')],
            },
        ),
        migrations.CreateModel(
            name='Shift',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('week', models.PositiveSmallIntegerField(choices=[(0, 'Every week'), (1, 'Week A'), (2, 'Week B')], default=0)),
                ('weekday', models.PositiveSmallIntegerField(choices=[(0, 'Monday'), (1, 'Tuesday'), (2, 'Wednesday'), (3, 'Thursday'), (4, 'Friday'), (5, 'Saturday'), (6, 'Sunday')])),
                ('starts', models.TimeField()),
                ('ends', models.TimeField(help_text='A time before the start means the next day.')),
                ('starts_on', models.DateField(blank=True, null=True)),
                ('ends_on', models.DateField(blank=True, null=True)),
                ('engineer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shifts', to='engineers.engineer')),
            ],
            options={
                'ordering': ['week', 'weekday', 'starts'],
                'constraints': [models.CheckConstraint(condition=models.Q(('starts', models.F('ends')), _negated=True), name='shift_has_a_length', violation_error_message='The end must differ from the start.'), models.UniqueConstraint(models.F('engineer'), models.F('week'), models.F('weekday'), models.F('starts'), condition=models.Q(('ends_on', None)), name='shift_once_per_start'), models.CheckConstraint(condition=models.Q(('starts_on', None), ('ends_on', None), ('starts_on__lte', models.F('ends_on')), _connector='OR'), name='shift_begins_before_it_ends')],
            },
        ),
        migrations.CreateModel(
            name='ShiftException',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('day', models.DateField()),
                ('starts', models.TimeField(blank=True, null=True)),
                ('ends', models.TimeField(blank=True, null=True)),
                ('engineer', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='shift_exceptions', to='engineers.engineer')),
            ],
            options={
                'ordering': ['day'],
                'constraints': [models.UniqueConstraint(models.F('engineer'), models.F('day'), name='shift_exception_once_per_day'), models.CheckConstraint(condition=models.Q(models.Q(('ends', None), ('starts', None)), models.Q(('ends__isnull', False), ('starts__isnull', False), models.Q(('starts', models.F('ends')), _negated=True)), _connector='OR'), name='shift_exception_has_a_length')],
            },
        ),
        migrations.AddConstraint(
            model_name='heldskill',
            constraint=models.UniqueConstraint(models.F('engineer'), models.F('skill'), name='skill_held_once'),
        ),
        migrations.CreateModel(
            name='RoleRights',
            fields=[
                ('role', models.CharField(choices=[('supervisor', 'Supervisor'), ('senior_dispatcher', 'Senior dispatcher'), ('dispatcher', 'Dispatcher'), ('planner', 'Planner'), ('auditor', 'Auditor (read only)'), ('engineer', 'Engineer')], max_length=30, primary_key=True, serialize=False)),
                ('rights', models.JSONField()),
            ],
        ),
        migrations.CreateModel(
            name='AreaLimit',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('area', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='area_limits', to='engineers.area')),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='area_limits', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'ordering': ['area__name'],
                'constraints': [models.UniqueConstraint(models.F('user'), models.F('area'), name='area_limited_once')],
            },
        ),
        migrations.AddField(
            model_name='user',
            name='limited_areas',
            field=models.ManyToManyField(related_name='+', through='engineers.AreaLimit', to='engineers.area'),
        ),
        migrations.CreateModel(
            name='CompanyIdentity',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('issuer', models.CharField(max_length=200)),
                ('subject', models.CharField(max_length=255)),
                ('linked_at', models.DateTimeField()),
                ('user', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='company_identities', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(models.F('issuer'), models.F('subject'), name='company_identity_once'), models.UniqueConstraint(models.F('user'), models.F('issuer'), name='one_company_identity_per_user')],
            },
        ),
    ]
