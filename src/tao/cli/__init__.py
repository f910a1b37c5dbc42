"""The command `tao`. Each command lives in a module of its own that is imported when the command is used."""

from tao.cli.app import main

__all__ = ["main"]
