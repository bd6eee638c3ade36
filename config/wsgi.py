"""For granian, gunicorn and the like: people's process, or the seller's with DOORS=seller."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
