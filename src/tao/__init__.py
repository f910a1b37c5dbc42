"""Thought, Action, Observation."""
