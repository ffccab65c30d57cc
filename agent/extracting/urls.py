from django.urls import path

from agent.extracting import views

app_name = "extracting"
urlpatterns = [
    path("studies/<slug:slug>/extractions/", views.runs, name="runs"),
    path("studies/<slug:slug>/extractions/<int:pk>/", views.run, name="run"),
]
