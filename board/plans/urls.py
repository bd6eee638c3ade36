"""The addresses of the planner, below /board/plans/."""

from django.urls import path

from board.plans import learned_views, views

urlpatterns = [
    path("", views.plan_list, name="plans"),
    path("capacity/", views.capacity, name="capacity"),
    path("capacity/capacity.csv", views.capacity_file, name="capacity-csv"),
    path("replan/", views.replan, name="replan"),
    path("compare/<int:pk>/", views.comparison, name="comparison"),
    path("learned/", learned_views.learned, name="learned"),
    path("learned/length/<int:pk>/", learned_views.switch_length, name="switch-length"),
    path("learned/drive/<int:pk>/", learned_views.switch_drive, name="switch-drive"),
    path("<int:pk>/", views.plan, name="plan"),
    path("<int:pk>/board/", views.plan_on_board, name="plan-on-board"),
    path("<int:pk>/stop/", views.stop_plan, name="stop-plan"),
    path("<int:pk>/accept/", views.accept_plan, name="accept-plan"),
]
