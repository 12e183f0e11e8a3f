#!/usr/bin/env python3
"""Writes the images of tests/fuzz/seeds/image: ramps, whose pixel i (row after row) is i modulo the
number of values that the format has (times 257 with 16 bits), and files that must be refused.
Usage: make_image_seeds.py FOLDER"""
import struct
import sys
import zlib

WIDTH, HEIGHT = 16, 16
GRAY, RGB, PALETTE, GRAY_ALPHA = 0, 2, 3, 4
ADAM7 = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def header(width, height, depth, colour, interlaced=0):
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced))


def png(head, rows, extra=b""):
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    return b"\x89PNG\r\n\x1a\n" + head + extra + chunk(b"IDAT", data) + chunk(b"IEND", b"")


def row_of(values, depth):
    """One row of pixels, packed from the highest bit on."""
    bits = "".join(format(value, "0%db" % depth) for value in values)
    bits += "0" * (-len(bits) % 8)
    return bytes(int(bits[i : i + 8], 2) for i in range(0, len(bits), 8))


def ramp(depth):
    step = 257 if depth == 16 else 1
    return [i * step % (1 << depth) for i in range(WIDTH * HEIGHT)]


def rows_of(values):
    return [values[y * WIDTH : (y + 1) * WIDTH] for y in range(HEIGHT)]


def gray_png(depth):
    rows = [row_of(row, depth) for row in rows_of(ramp(depth))]
    return png(header(WIDTH, HEIGHT, depth, GRAY), rows)


def interlaced_png():
    image = rows_of(ramp(8))
    rows = []
    for x, y, dx, dy in ADAM7:
        rows += [bytes(row[x::dx]) for row in image[y::dy]]
    return png(header(WIDTH, HEIGHT, 8, GRAY, 1), rows)


def pgm(magic, maximum, body):
    return b"%s\n%d %d\n%d\n" % (magic, WIDTH, HEIGHT, maximum) + body


def images():
    for depth in (1, 2, 4, 8, 16):
        yield "gray%d.png" % depth, gray_png(depth)
    yield "interlaced.png", interlaced_png()
    with_alpha = [b"".join(bytes([v, 255 - v]) for v in row) for row in rows_of(ramp(8))]
    yield "alpha.png", png(header(WIDTH, HEIGHT, 8, GRAY_ALPHA), with_alpha)
    yield "ramp.pgm", pgm(b"P5", 255, bytes(ramp(8)))
    yield "wide.pgm", pgm(b"P5", 65535, struct.pack(">256H", *ramp(16)))
    yield "ten-bits.pgm", pgm(b"P5", 1023, struct.pack(">256H", *range(256)))
    text = "\n".join(" ".join(map(str, row)) for row in rows_of(ramp(8)))
    yield "plain.pgm", b"P2 # a comment\r\n16\t# another\n 16 255 # one more\n" + text.encode()

    # what must be refused
    yield "colour.png", png(header(2, 1, 8, RGB), [bytes(6)])
    yield "palette.png", png(header(2, 1, 8, PALETTE), [bytes(2)], chunk(b"PLTE", bytes(3)))
    yield "colour.ppm", b"P6 1 1 255\nabc"
    whole = gray_png(8)
    yield "cut.png", whole[: len(whole) // 2]
    yield "damaged.png", whole[:60] + bytes([whole[60] ^ 1]) + whole[61:]
    yield "huge.png", png(header(60000, 60000, 16, GRAY), [bytes(8)])
    yield "cut.pgm", pgm(b"P5", 255, bytes(200))
    yield "two.pgm", pgm(b"P5", 255, bytes(ramp(8))) * 2
    yield "too-bright.pgm", pgm(b"P5", 100, bytes(ramp(8)))
    yield "huge.pgm", b"P5 4000000000 4000000000 255\nabc"


for name, content in images():
    with open(sys.argv[1] + "/" + name, "wb") as file:
        file.write(content)
