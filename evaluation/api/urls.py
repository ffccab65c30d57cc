"""Routes of judge runs, verdicts and saved figures."""

from django.urls import path

from evaluation.api import views

urlpatterns = [
    path("studies/<slug:slug>/runs/", views.RunListView.as_view(), name="api-runs"),
    path("studies/<slug:slug>/runs/<int:pk>/", views.RunView.as_view(), name="api-run"),
    path("studies/<slug:slug>/verdicts/", views.VerdictListView.as_view(), name="api-verdicts"),
    path(
        "studies/<slug:slug>/meta-evaluations/",
        views.MetaEvaluationListView.as_view(),
        name="api-meta-evaluations",
    ),
    path(
        "studies/<slug:slug>/meta-evaluations/<int:pk>/",
        views.MetaEvaluationView.as_view(),
        name="api-meta-evaluation",
    ),
]
