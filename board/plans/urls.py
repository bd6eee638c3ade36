"""The addresses of the planner, below /board/plans/."""

from django.urls import path

from board.plans import views

urlpatterns = [
    path("", views.plan_list, name="plans"),
    path("<int:pk>/", views.plan, name="plan"),
    path("<int:pk>/stop/", views.stop_plan, name="stop-plan"),
    path("<int:pk>/accept/", views.accept_plan, name="accept-plan"),
]
