"""Label Studio: what a project asks, its tasks, and what people answered there. PURE."""
