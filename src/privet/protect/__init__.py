"""Making something safe: the only room that may call a mechanism."""
