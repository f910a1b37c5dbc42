"""Tools of an OpenAPI document: `Agent(model, openapi_tools("shop.yaml", base_url="https://shop.example.com"))`."""

from tao.tools.openapi.document import Document, fetch_document, open_document
from tao.tools.openapi.tools import openapi_tools

__all__ = ["Document", "fetch_document", "open_document", "openapi_tools"]
