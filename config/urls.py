"""The addresses for people: the board and the phone. The seller has a server of its own (seller_link.server)."""

from django.contrib import admin
from django.urls import include, path

from customer_messages import views as customer_views
from engineers import views
from engineers.sign_in import company_sign_in_views, password_reset_views, session_views, sign_in_link_views
from phone import calendar_feed, offline_import_views

handler500 = "monitoring.middleware.server_error"

urlpatterns = [
    path("", views.home, name="home"),
    path("login/", views.login, name="login"),
    path("start/<str:token>/", sign_in_link_views.sign_in_link, name="sign-in-link"),
    path("calendar/<str:token>.ics", calendar_feed.calendar_feed, name="calendar-feed"),
    path("logout/", company_sign_in_views.sign_out, name="logout"),
    path("sign-in/company/", company_sign_in_views.company_sign_in, name="company-sign-in"),
    path("sign-in/company/callback/", company_sign_in_views.company_callback, name="company-callback"),
    path("password/forgotten/", password_reset_views.password_reset, name="password-reset"),
    path("sessions/", session_views.own_sessions, name="own-sessions"),
    path("sessions/end/", session_views.end_own_sessions, name="end-own-sessions"),
    path("password/", views.password_change, name="password-change"),
    path("second-factor/", views.second_factor_page, name="second-factor"),
    path("second-factor/codes/", views.recovery_codes, name="recovery-codes"),
    path("second-factor/replace/", views.replace_authenticator, name="second-factor-replace"),
    path("language/", views.language, name="language"),
    path("", include("monitoring.urls")),
    path("evidence/", include("closures.urls")),
    path("board/offline-import/", offline_import_views.offline_import_page, name="offline-import"),
    path("board/alarms/contacts/", include("alerting.urls")),
    path("", include("operations.urls")),
    path("board/interfaces/", include("partner_api.office_urls")),
    path("board/customer-messages/", include("customer_messages.office_urls")),
    path("board/", include("board.urls")),
    path("phone/", include("phone.urls")),
    path("api/v1/", include("partner_api.api_urls")),
    path("visit/<str:token>/", customer_views.live_page, name="live-page"),
    path("admin/", admin.site.urls),
]
