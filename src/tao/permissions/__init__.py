"""What a run may do: rules, and what they say about one call. Pure, save that paths are looked up on the disk.

`Rule` is one rule, `read_rules` makes them from tables of a settings file, `judge` says "allow", "ask" or "deny".
"""

from tao.permissions.effects import LOOKING, UNTRUSTED, looks, only_looks, say
from tao.permissions.judge import Judgement, judge, verdicts
from tao.permissions.outward import Outward, from_nobody, leads_out
from tao.permissions.rules import Rule, read_rules
from tao.permissions.taint import rests_on

__all__ = ["LOOKING", "UNTRUSTED", "Judgement", "Outward", "Rule", "from_nobody", "judge", "leads_out", "looks", "only_looks", "read_rules", "rests_on", "say", "verdicts"]
