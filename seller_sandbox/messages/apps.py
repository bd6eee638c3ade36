from django.apps import AppConfig


class MessagesConfig(AppConfig):
    name = "seller_sandbox.messages"
    label = "sandbox_messages"
