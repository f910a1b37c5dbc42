"""Who answers: `connect(name)` gives a model for a name such as "local" or "openai:gpt-5.5"."""

from tao.models.connect import connect

__all__ = ["connect"]
