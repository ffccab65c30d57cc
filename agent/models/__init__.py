"""The rows of the agent app; import them from here."""

from agent.models.judges import Judge
from agent.models.runs import ExtractionRun, RunStep

__all__ = ["ExtractionRun", "Judge", "RunStep"]
