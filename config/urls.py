"""People's addresses: the board and the phone. The seller has a door of its own (seller_link.server)."""

from django.contrib import admin
from django.urls import include, path

from engineers import second_factor_views, views
from phone import offline_import_views

handler500 = "monitoring.middleware.server_error"

urlpatterns = [
    path("", views.home, name="home"),
    path("login/", views.login, name="login"),
    path("logout/", views.logout, name="logout"),
    path("password/", views.password_change, name="password_change"),
    path("second-factor/", second_factor_views.second_factor_page, name="second_factor"),
    path("second-factor/codes/", second_factor_views.recovery_codes, name="recovery_codes"),
    path("second-factor/replace/", second_factor_views.replace, name="second_factor_replace"),
    path("language/", views.language, name="language"),
    path("", include("monitoring.urls")),
    path("evidence/", include("closures.urls")),
    path("board/offline-import/", offline_import_views.offline_import_page, name="offline_import"),
    path("board/", include("board.urls")),
    path("phone/", include("phone.urls")),
    path("admin/", admin.site.urls),
]
