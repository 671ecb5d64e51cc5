"""Attacks on what was made, as an outsider would try them."""
