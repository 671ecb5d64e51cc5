"""What is promised: pure values, no data, no randomness."""
