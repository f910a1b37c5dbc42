"""Wrappers around `Act`: each changes one thing about how calls are carried out, and is told nothing but the call and the run.

The order is written once, in `tao.acting`.
`same_call` gives back what an earlier call gave as the model saw it, so it stands above what shapes observations.
"""
