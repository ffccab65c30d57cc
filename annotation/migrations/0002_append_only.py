"""Answers, events and audit rows can be added, never changed."""

from django.db import migrations

from annotation.append_only import protect, unprotect

TABLES = ("annotation_answer", "annotation_event", "annotation_auditentry")


def forwards(apps, editor):
    for table in TABLES:
        protect(editor, table)


def backwards(apps, editor):
    for table in TABLES:
        unprotect(editor, table)


class Migration(migrations.Migration):
    dependencies = [("annotation", "0001_initial")]
    operations = [migrations.RunPython(forwards, backwards)]
