"""People's addresses: the board and the phone. The seller has a door of its own (seller_link.endpoint)."""

from django.contrib import admin
from django.urls import include, path

from config import health, rescue, views

urlpatterns = [
    path("", views.home, name="home"),
    path("login/", views.login, name="login"),
    path("logout/", views.logout, name="logout"),
    path("language/", views.language, name="language"),
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("evidence/<str:token>", views.photo, name="evidence"),
    path("evidence/<str:token>/small", views.small_photo, name="evidence_small"),
    path("board/rescue/", rescue.page, name="rescue"),
    path("board/", include("dispatch.board.urls")),
    path("phone/", include("engineers.phone.urls")),
    path("admin/", admin.site.urls),
]
