"""What a column holds: one small module for each family of values, and one for names of columns."""
