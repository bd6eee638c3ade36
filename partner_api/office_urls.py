"""The addresses of the page “Interfaces”, below /board/interfaces/."""

from django.urls import path

from partner_api import interface_views

urlpatterns = [
    path("", interface_views.interfaces, name="interfaces"),
    path("tokens/", interface_views.add_token, name="access-token-add"),
    path("tokens/<int:pk>/revoke/", interface_views.revoke_token, name="access-token-revoke"),
    path("webhooks/", interface_views.add_webhook, name="webhook-add"),
    path("webhooks/<int:pk>/", interface_views.webhook, name="webhook"),
    path("webhooks/<int:pk>/replay/", interface_views.replay_deliveries, name="webhook-replay"),
    path("webhooks/<int:pk>/secret/", interface_views.replace_secret, name="webhook-secret"),
    path("webhooks/<int:pk>/<str:action>/", interface_views.change_webhook, name="webhook-change"),
    path("export/", interface_views.export, name="export-download"),
]
