"""What a table would give away, for the eyes of its owner only."""
