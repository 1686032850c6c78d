"""Draws media/icon.png: a page whose headings are lines, one of them found. Nothing but the standard library.

python scripts/icon.py
"""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

SIZE, FINE = 128, 4
"""Pixels of a side; samples of a pixel's side, for smooth edges."""
NIGHT, PAGE, LINE, FOUND, RING = (24, 43, 73), (244, 247, 251), (159, 176, 199), (242, 153, 45), (242, 153, 45)
Colour = tuple[int, int, int]


def rounded(x: float, y: float, box: tuple[float, float, float, float], radius: float) -> bool:
    """Whether a point is in a box with round corners."""
    left, top, right, bottom = box
    dx = max(left + radius - x, x - right + radius, 0.0)
    dy = max(top + radius - y, y - bottom + radius, 0.0)
    return left <= x <= right and top <= y <= bottom and dx * dx + dy * dy <= radius * radius


def near_segment(x: float, y: float, start: tuple[float, float], end: tuple[float, float], width: float) -> bool:
    """Whether a point is on a stroke with round ends."""
    (ax, ay), (bx, by) = start, end
    along = ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / ((bx - ax) ** 2 + (by - ay) ** 2)
    t = min(1.0, max(0.0, along))
    return (x - ax - t * (bx - ax)) ** 2 + (y - ay - t * (by - ay)) ** 2 <= (width / 2) ** 2


def colour_at(x: float, y: float) -> Colour | None:
    """The colour of a point; None outside the picture."""
    distance = ((x - 80) ** 2 + (y - 74) ** 2) ** 0.5
    if 20 <= distance <= 27 or near_segment(x, y, (97, 92), (110, 106), 9):
        return RING
    if not rounded(x, y, (2, 2, 126, 126), 26):
        return None
    if rounded(x, y, (28, 22, 92, 106), 8):
        if rounded(x, y, (66, 69, 86, 79), 5) or (distance < 20 and 69 <= y <= 79 and 38 <= x <= 86):
            return FOUND
        for left, top, right in ((38, 36, 70), (38, 51, 82), (38, 66, 50), (38, 81, 52), (38, 93, 66)):
            if rounded(x, y, (left, top, right, top + 6), 3) and distance > 30:
                return LINE
        return PAGE
    return (36, 60, 97) if distance < 20 else NIGHT


def pixel(column: int, row: int) -> bytes:
    """Red, green, blue and opacity of one pixel."""
    steps = [(at + 0.5) / FINE for at in range(FINE)]
    found = [colour for dy in steps for dx in steps if (colour := colour_at(column + dx, row + dy))]
    if not found:
        return bytes(4)
    mean = [round(sum(colour[part] for colour in found) / len(found)) for part in range(3)]
    return bytes([*mean, round(255 * len(found) / FINE**2)])


def chunk(kind: bytes, data: bytes) -> bytes:
    """One part of a PNG file."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def main() -> None:
    """Write the file."""
    rows = b"".join(b"\0" + b"".join(pixel(column, row) for column in range(SIZE)) for row in range(SIZE))
    header = struct.pack(">IIBBBBB", SIZE, SIZE, 8, 6, 0, 0, 0)
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) + chunk(b"IEND", b"")
    target = Path(__file__).parents[1] / "media" / "icon.png"
    target.parent.mkdir(exist_ok=True)
    target.write_bytes(png)


if __name__ == "__main__":
    main()
