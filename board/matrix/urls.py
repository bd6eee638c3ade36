"""The addresses of the question matrix, below /board/matrix/."""

from django.urls import path

from board.matrix import views

urlpatterns = [
    path("", views.matrix_editions_list, name="matrix"),
    path("preview/", views.preview_edition, name="matrix-preview"),
    path("import/", views.import_edition, name="matrix-import"),
    path("template.csv", views.download_matrix_csv, name="matrix-csv"),
    path("template.xlsx", views.download_matrix_xlsx, name="matrix-xlsx"),
]
