from django.apps import AppConfig


class OrdersConfig(AppConfig):
    name = "seller_sandbox.orders"
    label = "sandbox_orders"
