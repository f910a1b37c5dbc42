"""Texts for people that have to be said before anybody's language is known: English and Chinese, one below the other."""


def both(english: str, chinese: str) -> str:
    """The two as one text."""
    return f"{english}\n{chinese}"
