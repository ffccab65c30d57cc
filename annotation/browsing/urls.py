from django.urls import path

from annotation.browsing import views

app_name = "browsing"
urlpatterns = [
    path("studies/<slug:slug>/cases/", views.cases, name="cases"),
    path("studies/<slug:slug>/cases/<int:pk>/", views.case, name="case"),
    path("studies/<slug:slug>/checklists/<int:pk>/", views.checklist, name="checklist"),
    path("studies/<slug:slug>/texts/documents/<int:pk>/", views.document, name="document"),
    path("studies/<slug:slug>/texts/summaries/<int:pk>/", views.summary, name="summary"),
]
