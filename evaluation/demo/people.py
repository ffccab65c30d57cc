"""The accounts of the demo. PURE. They exist only where the demo was loaded."""

from __future__ import annotations

DEMO_PASSWORD = "gavel-demo"  # noqa: S105  printed on purpose; the demo is for one's own machine
SITE_ADMIN = "admin"

# Annotators besides these are those of the demo study itself.
STAFF = (("adi", "adjudicator"), ("rhea", "researcher"), (SITE_ADMIN, "admin"))
