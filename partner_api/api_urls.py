"""The addresses of the partner's interface, below /api/v1/."""

from django.urls import path

from partner_api import export_api, job_api, people_api
from partner_api.api_view import UnknownAddressView

app_name = "partner_api"
urlpatterns = [
    path("jobs", job_api.JobListView.as_view(), name="jobs"),
    path("jobs/<str:number>", job_api.JobView.as_view(), name="job"),
    path("engineers", people_api.EngineerListView.as_view(), name="engineers"),
    path("areas", people_api.AreaListView.as_view(), name="areas"),
    path("shifts", people_api.ShiftListView.as_view(), name="shifts"),
    path("exports/<str:kind>.<str:file_format>", export_api.ExportView.as_view(), name="export"),
    path("<path:address>", UnknownAddressView.as_view(), name="unknown"),
]
