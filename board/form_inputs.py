"""Inputs of days and moments: a browser takes a value in one way of writing only, whatever the reader's language."""

from django import forms

DAY_INPUT = forms.DateInput(format="%Y-%m-%d", attrs={"type": "date"})
MOMENT_INPUT = forms.DateTimeInput(format="%Y-%m-%dT%H:%M", attrs={"type": "datetime-local"})
