"""Native call markup of every model family, leaked into a reply's text.

A reply that should have come as structured calls, from a server that does not know the model's own form, or from a model
that falls back into it. Each family's own documentation or chat template is the source of its form.
"""

from tao.dialects.leaks.openers import OPENER, SOUGHT, begun, breaks_off, opener_from, seek
from tao.dialects.leaks.reading import Leak, leak_at

__all__ = ["OPENER", "SOUGHT", "Leak", "begun", "breaks_off", "leak_at", "opener_from", "seek"]
