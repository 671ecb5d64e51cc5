"""Several questions in one text: where one statement ends and the next begins."""

from __future__ import annotations

from privet.errors import BadQuestion


def statements(text: str) -> list[str]:
    """The statements of a text, told apart by semicolons; those in quotes and comments tell nothing apart."""
    import sqlglot
    from sqlglot.errors import SqlglotError

    try:
        tokens = sqlglot.tokenize(text, read="duckdb")
    except SqlglotError:
        raise BadQuestion(
            "the text cannot be read as SQL: a quote or a comment does not end.", "Close it."
        ) from None
    ends = [token.start for token in tokens if token.token_type is sqlglot.TokenType.SEMICOLON]
    found, begin = [], 0
    for end in (*ends, len(text)):
        part = text[begin:end].strip()
        # A part without words is a comment, or what follows the last semicolon.
        if any(begin <= token.start < end for token in tokens):
            found.append(part)
        begin = end + 1
    return found
