"""The sandbox's own command line: `python -m seller_sandbox.manage <command>`."""

import gc
import os
import sys

from django.core.management import execute_from_command_line

if __name__ == "__main__":
    # hardly anything that is imported becomes garbage; apps.py enables it again when Django is set up
    gc.disable()
    os.environ["DJANGO_SETTINGS_MODULE"] = "seller_sandbox.settings"
    execute_from_command_line(sys.argv)
