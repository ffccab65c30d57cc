"""The built-in baseline is there from the start."""

from django.db import migrations


def add(apps, editor):
    apps.get_model("agent", "Judge").objects.get_or_create(
        name="rules", defaults={"kind": "rules"}
    )


class Migration(migrations.Migration):
    dependencies = [("agent", "0001_initial")]
    # Going back leaves the row: runs may point at it, and its table goes with 0001.
    operations = [migrations.RunPython(add, migrations.RunPython.noop)]
