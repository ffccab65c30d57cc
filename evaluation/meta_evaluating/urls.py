from django.urls import path

from evaluation.meta_evaluating import views

app_name = "meta"
urlpatterns = [
    path("studies/<slug:slug>/agreement/judges/", views.judges, name="judges"),
    path("studies/<slug:slug>/agreement/people/", views.humans, name="humans"),
    path("studies/<slug:slug>/agreement/coverage/", views.coverage, name="coverage"),
    path(
        "studies/<slug:slug>/agreement/coverage/<int:pk>/", views.covered_text, name="covered_text"
    ),
    path("studies/<slug:slug>/agreement/<slug:key>/rows/", views.rows, name="rows"),
    path("studies/<slug:slug>/agreement/<slug:key>/ratings/", views.ratings, name="ratings"),
    path("studies/<slug:slug>/agreement/saved/", views.save, name="save"),
    path("studies/<slug:slug>/agreement/saved/<int:pk>/", views.saved, name="saved"),
]
