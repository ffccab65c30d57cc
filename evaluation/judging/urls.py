from django.urls import path

from evaluation.judging import views

app_name = "judging"
urlpatterns = [
    path("studies/<slug:slug>/runs/", views.runs, name="runs"),
    path("studies/<slug:slug>/runs/<int:pk>/", views.run, name="run"),
    path("studies/<slug:slug>/runs/<int:pk>/progress/", views.progress, name="progress"),
    path("studies/<slug:slug>/runs/<int:pk>/act/", views.act, name="act"),
    path("studies/<slug:slug>/questions/<int:pk>/", views.question, name="question"),
    path("studies/<slug:slug>/verdicts/<int:pk>/", views.task, name="task"),
]
