"""The annotator's pages."""

from django.urls import URLPattern, URLResolver, path

from annotation.annotating import views

app_name = "work"
urlpatterns: list[URLPattern | URLResolver] = [
    path("work/<int:set_id>/", views.queue, name="queue"),
    path("work/<int:set_id>/next/", views.next_task, name="next"),
    path("work/<int:set_id>/guidelines/", views.guidelines, name="guidelines"),
    path("work/a/<int:pk>/", views.task, name="task"),
    path("work/a/<int:pk>/act/", views.act, name="act"),
    path("work/a/<int:pk>/submit/", views.submit, name="submit"),
    path("work/a/<int:pk>/skip/", views.skip, name="skip"),
    path("work/a/<int:pk>/undo/", views.undo, name="undo"),
    path("work/a/<int:pk>/redo/", views.redo, name="redo"),
    path("work/a/<int:pk>/reopen/", views.reopen, name="reopen"),
    path("work/a/<int:pk>/visit/", views.visit, name="visit"),
    path("work/a/<int:pk>/fast/", views.fast_mode, name="fast"),
]
