"""One rule of what a run may do, checked when it is made; and rules from the tables of a settings file."""

import fnmatch
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tao.errors import ConfigError, both
from tao.permissions.constraints import wrong

VERDICTS = ("allow", "ask", "deny")
PEOPLE = ("users", "roles", "tenants", "sessions")
LISTS = ("effects", *PEOPLE)
FIELDS = (*VERDICTS, *LISTS, "where", "unless", "tainted", "reason")
"""What a table of a settings file may hold."""


class BadRule(ConfigError):
    """A rule that makes no sense. `field` is where; the text says what came and what was wanted, in two languages."""

    def __init__(self, field: str, english: str, chinese: str) -> None:
        super().__init__(both(f"permission rule, {field}: {english}", f"权限规则，{field}：{chinese}"))
        self.field, self.english, self.chinese = field, english, chinese


@dataclass(frozen=True, slots=True)
class Rule:
    """Calls, and what is to happen with them: "allow", "ask" (a person) or "deny".

    `tools` are names, with `*`; none: every tool. `effects`: a deny or ask is for tools that declare one of these, an
    allow for tools that declare no others. `where` maps a parameter ("path", "options.path") to a constraint that must
    hold, `unless` to one that must not (`{"path": {"under": "/data"}}`). `users`, `roles`, `tenants` and `sessions` (with
    `*`) say for whom; none: for everybody. `tainted` lets an allow cover changes whose arguments come from an untrusted
    tool. `reason` is told to the model and to the person who is asked. Raises ConfigError where this makes no sense.
    """

    verdict: str
    tools: tuple[str, ...] = ()
    effects: tuple[str, ...] = ()
    where: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    unless: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    users: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    tenants: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()
    tainted: bool = False
    reason: str = ""

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise BadRule("verdict", f"got {self.verdict!r}; wanted: allow, ask or deny", f"得到 {self.verdict!r}；应为 allow、ask 或 deny")
        for name in ("tools", *LISTS):
            object.__setattr__(self, name, _names(name, getattr(self, name)))
        if self.verdict == "allow" and not (self.tools or self.effects):
            raise BadRule(
                "allow", 'names no tool and no effect; to allow everything write "*"', '没有写明工具或效果；若要允许全部请写 "*"'
            )
        for name in ("where", "unless"):
            _constraints(name, getattr(self, name))
        for name, kind, english, chinese in (("tainted", bool, "true or false", "true 或 false"), ("reason", str, "a text", "文本")):
            if not isinstance(getattr(self, name), kind):
                raise BadRule(
                    name, f"got {getattr(self, name)!r:.80}; wanted: {english}", f"得到 {getattr(self, name)!r:.80}；应为：{chinese}"
                )
        if self.tainted and self.verdict != "allow":
            raise BadRule("tainted", "only an allow can cover tainted changes", "只有 allow 规则可以使用 tainted")

    def names(self, tool: str) -> bool:
        """Whether the rule is for the tool of this name."""
        return not self.tools or any(fnmatch.fnmatchcase(tool, pattern) for pattern in self.tools)

    def covers(self, effects: tuple[str, ...]) -> bool:
        """Whether it is for a tool with these effects: of an allow all must be listed, of the others one."""
        if not self.effects:
            return True
        return bool(effects) and set(self.effects).issuperset(effects) if self.verdict == "allow" else bool({*self.effects} & {*effects})

    def concerns(self, who: Mapping[str, Any]) -> bool:
        """Whether it is for whom the run is for. `who` holds "user", "role", "tenant" and "session": a text, or a list of texts."""
        return all(
            any(fnmatch.fnmatchcase(one, pattern) for one in _whose(who, name) for pattern in getattr(self, name))
            for name in PEOPLE
            if getattr(self, name)
        )


def _whose(who: Mapping[str, Any], name: str) -> list[str]:
    said = [who.get(key) for key in (name, name.removesuffix("s"))]
    return [str(one) for it in said if it is not None for one in (it if isinstance(it, list | tuple) else [it])]


def _names(name: str, value: Any) -> tuple[str, ...]:
    """A text, or a list of texts, as a tuple."""
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, list | tuple) or not all(isinstance(one, str) and one.strip() for one in listed):
        raise BadRule(name, f"got {value!r:.120}; wanted: a list of names", f"得到 {value!r:.120}；应为：名称列表")
    return tuple(listed)


def _constraints(name: str, value: Any) -> None:
    if not isinstance(value, Mapping):
        english, chinese = 'wanted: parameters with constraints, such as path = {under = "/data"}', '应为参数及其约束，例如 path = {under = "/data"}'
        raise BadRule(name, f"got {value!r:.120}; {english}", f"得到 {value!r:.120}；{chinese}")
    for parameter, options in value.items():
        if problem := wrong(options):
            option, english, chinese = problem
            raise BadRule(".".join(filter(None, (name, parameter, option))), english, chinese)


# ── from a settings file ──────────────────────────────────────────────────────


def read_rules(tables: Any, source: str = "tao.toml") -> tuple[Rule, ...]:
    """The rules of `[[permissions.rules]]` tables. Raises ConfigError that names the source, the rule and the field."""
    if not isinstance(tables, list | tuple):
        text = both(
            f"{source}: permissions.rules is {tables!r:.80}; wanted: tables [[permissions.rules]]",
            f"{source}：permissions.rules 为 {tables!r:.80}；应为 [[permissions.rules]] 表",
        )
        raise ConfigError(text)
    return tuple(table if isinstance(table, Rule) else _read(table, number, source) for number, table in enumerate(tables, 1))


def _read(table: Any, number: int, source: str) -> Rule:
    try:
        return _rule(table)
    except BadRule as bad:
        raise ConfigError(both(
            f"{source}, permissions rule {number}, {bad.field}: {bad.english}",
            f"{source}，第 {number} 条权限规则，{bad.field}：{bad.chinese}",
        )) from bad  # fmt: skip


def _rule(table: Any) -> Rule:
    if not isinstance(table, Mapping):
        raise BadRule("rule", f"got {table!r:.120}; wanted: a table", f"得到 {table!r:.120}；应为表")
    if strange := [name for name in table if name not in FIELDS]:
        raise BadRule(
            strange[0], f"there is no such field; known: {', '.join(FIELDS)}", f"没有这个字段；可用：{'、'.join(FIELDS)}"
        )
    said = [verdict for verdict in VERDICTS if verdict in table]
    if len(said) != 1:
        raise BadRule(
            "allow, ask, deny", f"exactly one of them was wanted, with names of tools; got: {', '.join(said) or 'none'}",
            f"应恰好写其中一个，并给出工具名；得到：{'、'.join(said) or '无'}",
        )
    verdict = said[0]
    tools = _names(verdict, table[verdict])
    if not tools and not table.get("effects"):
        raise BadRule(verdict, 'names no tool and no effect; for every tool write "*"', '没有写明工具或效果；若指全部工具请写 "*"')
    return Rule(verdict, tools, **{name: value for name, value in table.items() if name not in VERDICTS})
