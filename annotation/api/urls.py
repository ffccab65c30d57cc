"""Routes of studies, task sets, tasks and answers."""

from django.urls import path

from annotation.api import views

urlpatterns = [
    path("studies/", views.StudyListView.as_view(), name="api-studies"),
    path("studies/<slug:slug>/", views.StudyView.as_view(), name="api-study"),
    path("studies/<slug:slug>/task-sets/", views.TaskSetListView.as_view(), name="api-task-sets"),
    path("studies/<slug:slug>/tasks/", views.TaskListView.as_view(), name="api-tasks"),
    path("studies/<slug:slug>/tasks/<int:pk>/", views.TaskView.as_view(), name="api-task"),
    path("studies/<slug:slug>/answers/", views.AnswerListView.as_view(), name="api-answers"),
]
