"""The rows of the agent app; import them from here."""

from agent.models.judges import Judge

__all__ = ["Judge"]
