"""What is said to a model, per language. `texts(lang)` gives the table; both tables have the same keys."""

from types import MappingProxyType

from tao.dialects.prompts.en import TEXTS as EN
from tao.dialects.prompts.zh import TEXTS as ZH

TABLES = MappingProxyType({"en": EN, "zh": ZH})


def texts(lang: str) -> dict[str, str]:
    """The texts of a language; English where there is no table for it."""
    return TABLES.get(lang, EN)
