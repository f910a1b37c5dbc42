"""Everything that can go wrong and is not a bug, as one tree.

    AgentError                    an operator can mend it; recorded as Ended("failed"), or as its `ends` says
    ├── ModelError                the model could not answer
    │   ├── Transient             worth trying again (rate limit, overload, broken connection)
    │   ├── Refused               not worth trying again (key, quota, malformed request)
    │   │   └── Declined          the model or its provider's filter will not answer this; recorded as Ended("refused")
    │   ├── ToolsUnsupported      the server does not take structured tool calls
    │   └── TooLong               the prompt does not fit
    ├── WeightsError              a model file could not be fetched, verified or loaded
    ├── StoreError                a run could not be written or read
    ├── RulingError               a person's ruling does not fit what waits
    ├── OverBudget                a session, user or tenant has used up what was agreed
    ├── InvalidOutput             a run's answer does not fit what was asked for
    └── ConfigError               a setting is missing or makes no sense
    ToolError                     the model can mend it; becomes an observation
    ├── UnknownTool
    └── BadArguments              only other arguments are wanted; raised by a tool it does not count as a failure of it
    Pause                         not an error: the run waits for a person

A plain exception anywhere else is a bug and leaves the loop.
"""

import errno


class AgentError(Exception):
    """An operator can mend this; the run records it and ends, for the reason `ends`."""

    ends = "failed"


class ModelError(AgentError):
    """The model could not answer."""


class Transient(ModelError):
    """Worth trying again; `retry_after` is the server's own wish in seconds, where it gave one."""

    def __init__(self, message: str, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Refused(ModelError):
    """The server understood and said no; trying the same again cannot help."""


class Declined(Refused):
    """The model, or a filter of its provider, will not answer what was asked; another way to put it, or another model, may."""

    ends = "refused"


class ToolsUnsupported(Refused):
    """The server does not take structured tool calls; a text dialect can go on."""


class TooLong(ModelError):
    """The prompt is longer than the model's context."""


class WeightsError(AgentError):
    """A model file could not be fetched, verified or loaded."""


class StoreError(AgentError):
    """A run could not be written or read."""


class RulingError(AgentError):
    """A person's ruling does not fit what waits; nothing was recorded."""


class OverBudget(AgentError):
    """A session, user or tenant has used up what was agreed for a time; no run was begun."""


class InvalidOutput(AgentError):
    """The answer of a run does not fit the schema or type that was asked for."""


class ConfigError(AgentError):
    """A setting is missing or makes no sense."""


class ToolError(Exception):
    """The model can mend this: its message becomes the observation."""


class UnknownTool(ToolError):
    """The call names a tool that does not exist or is not available now."""


class BadArguments(ToolError):
    """The arguments do not fit the tool's schema; or the tool itself says that they are wrong ("no such user; give an id").

    Raised by a tool it is no failure of the tool: it is not taken away for that.
    """


class Pause(Exception):
    """The run has to wait for a person; `reason` and `call_id` become the event `Paused`."""

    def __init__(self, reason: str, call_id: str | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.call_id = call_id


def both(english: str, chinese: str) -> str:
    """A text for people whose language is not known where it is said: English, and Chinese on the line below."""
    return f"{english}\n{chinese}"


_FILES = {
    errno.ENOENT: "没有这个文件或目录", errno.EACCES: "没有权限", errno.EPERM: "没有权限", errno.EISDIR: "这是一个目录", errno.ENOTDIR: "路径中有一部分不是目录",
    errno.ENOSPC: "磁盘已满", errno.EROFS: "文件系统为只读", errno.ENAMETOOLONG: "文件名过长", errno.EEXIST: "文件已存在",
}  # fmt: skip


def unread(error: Exception) -> tuple[str, str]:
    """Why a file could not be read or written, in English and in Chinese; its name is for the caller to say."""
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text", "不是 UTF-8 文本"
    said = (error.strerror if isinstance(error, OSError) else "") or str(error)
    return said, _FILES.get(error.errno or 0, said) if isinstance(error, OSError) else said
