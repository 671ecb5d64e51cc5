"""Every verb, declared once: what it takes, reads, promises, spends, does and says."""
