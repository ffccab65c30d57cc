from django.urls import path

from evaluation.releasing import views

app_name = "releasing"
urlpatterns = [
    path("studies/<slug:slug>/verdicts/", views.verdicts, name="verdicts"),
]
