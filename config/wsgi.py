"""The application of board and phone. Served by manage.py web, whose workers begin in config.web_worker."""

import gc
import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
# as in manage.py
gc.disable()
application = get_wsgi_application()
