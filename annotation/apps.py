from django.apps import AppConfig


class AnnotationConfig(AppConfig):
    name = "annotation"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self) -> None:
        from annotation import checks  # noqa: F401  registers the system checks
        from annotation.importing.builtin import register_formats

        register_formats()
