"""Names under which a model calls the tools of a server: `server__tool`."""

from collections.abc import Container

from tao.tools.naming import provider_name


def namespaced(server: str, tool: str, taken: Container[str] = ()) -> str:
    """`server__tool`, as every provider takes it; see `provider_name`."""
    return provider_name(f"{server}__{tool}", f"{server}\n{tool}", taken)
