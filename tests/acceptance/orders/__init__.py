"""An acceptance program for a seller of orders: it uses HTTPS, XML and the control interface, and nothing of the code.

Run it with `python -m tests.acceptance.orders --endpoint … --control … --certs …`.
"""
