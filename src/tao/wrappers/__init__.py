"""Wrappers around `Act`: each changes one thing about how calls are carried out, and is told nothing but the call and the run.

The order, outermost first: strikes · same_call · fence · truncate · limits · retry · timeout · the registry.
`same_call` gives back what an earlier call gave as the model saw it, so it stands above what shapes observations.
"""
