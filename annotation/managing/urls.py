from django.urls import path

from annotation.managing import views

app_name = "managing"
urlpatterns = [
    path("studies/<slug:slug>/", views.study, name="study"),
    path("studies/<slug:slug>/people/", views.people, name="people"),
    path("studies/<slug:slug>/sets/<slug:key>/", views.task_set, name="task_set"),
    path("studies/<slug:slug>/sets/<slug:key>/tasks/<int:pk>/", views.task, name="task"),
]
