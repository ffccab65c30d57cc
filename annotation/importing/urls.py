from django.urls import path

from annotation.importing import views

app_name = "importing"
urlpatterns = [
    path("studies/<slug:slug>/imports/", views.imports, name="imports"),
    path("studies/<slug:slug>/imports/new/", views.upload, name="upload"),
    path("studies/<slug:slug>/imports/<int:pk>/", views.report, name="report"),
    path("studies/<slug:slug>/imports/<int:pk>/<slug:suffix>/", views.report_file, name="file"),
    path("studies/<slug:slug>/uploads/<int:pk>/", views.job, name="job"),
    path("studies/<slug:slug>/uploads/<int:pk>/progress/", views.progress, name="progress"),
    path("studies/<slug:slug>/uploads/<int:pk>/act/", views.act, name="act"),
    path(
        "studies/<slug:slug>/uploads/<int:pk>/preview/<slug:suffix>/",
        views.preview_file,
        name="preview",
    ),
]
