"""Who answers: `connect.connect(name)` gives a model for a name such as "local" or "openai:gpt-5.5"."""
