"""The addresses of the pages about people, below /board/people/."""

from django.urls import path

from board.people import access_views, import_views, rota_views, views

urlpatterns = [
    path("", views.people, name="people"),
    path("new/", views.new_engineer, name="engineer-new"),
    path("import/", import_views.import_engineers, name="engineer-import"),
    path("import/template.csv", import_views.import_template, name="engineer-template"),
    path("export.csv", import_views.export_engineers, name="engineer-export"),
    path("<int:pk>/", views.engineer, name="engineer"),
    path("<int:pk>/edit/", views.edit_engineer, name="engineer-edit"),
    path("<int:pk>/suspend/", views.suspend, name="engineer-suspend"),
    path("<int:pk>/reinstate/", views.reinstate, name="engineer-reinstate"),
    path("<int:pk>/sign-out/", access_views.sign_out_everywhere, name="sign-out-everywhere"),
    path("accounts/<int:pk>/sign-in-link/", access_views.issue_link, name="sign-in-link"),
    path("<int:pk>/calendar/", access_views.issue_feed, name="feed-issue"),
    path("<int:pk>/calendar/revoke/", access_views.revoke_feed, name="feed-revoke"),
    path("<int:pk>/absences/", rota_views.add_absence, name="absence-add"),
    path("<int:pk>/absences/remove/", rota_views.remove_absence, name="absence-remove"),
    path("<int:pk>/exceptions/", rota_views.set_exception, name="exception-set"),
    path("<int:pk>/exceptions/remove/", rota_views.remove_exception, name="exception-remove"),
]
