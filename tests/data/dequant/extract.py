#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Cuts the bytes of a few weight rows out of GGUF files, next to the floats they stand for.

usage: extract.py MODELS_DIR DEQUANT_DIR

DEQUANT_DIR holds dequant.json, a list of {file, tensor, type, rows, columns, offset}, and
dequant.bin, the floats, made with the `gguf` Python package; offset counts floats. For each type
writes <type>.bin, the raw rows of all its entries, and <type>.f32, the floats. Files that were made
from one source share rows; those are written once.
"""
import json
import pathlib
import struct
import sys

SCALAR_FORMATS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q",
                  12: "d"}
STRING, ARRAY = 8, 9
# Elements and bytes of a block.
BLOCKS = {"F16": (1, 2), "BF16": (1, 2), "Q8_0": (32, 34), "Q4_0": (32, 18), "Q4_1": (32, 20),
          "Q5_0": (32, 22), "Q5_1": (32, 24), "Q2_K": (256, 84), "Q3_K": (256, 110),
          "Q4_K": (256, 144), "Q5_K": (256, 176), "Q6_K": (256, 210), "IQ4_NL": (32, 18),
          "IQ4_XS": (256, 136), "MXFP4": (32, 17)}


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def number(self, code):
        (value,) = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize("<" + code)
        return value

    def string(self):
        count = self.number("Q")
        self.at += count
        return self.data[self.at - count : self.at].decode()

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind == ARRAY:
            item, count = self.number("I"), self.number("Q")
            return [self.value(item) for _ in range(count)]
        return self.number(SCALAR_FORMATS[kind])


def tensor_offsets(data):
    """Byte offset of each tensor in the file."""
    reader = Reader(data)
    reader.at = 8  # magic and version
    tensors, pairs = reader.number("Q"), reader.number("Q")
    metadata = {}
    for _ in range(pairs):
        key = reader.string()
        metadata[key] = reader.value(reader.number("I"))
    offsets = {}
    for _ in range(tensors):
        name = reader.string()
        for _ in range(reader.number("I")):
            reader.number("Q")
        reader.number("I")
        offsets[name] = reader.number("Q")
    alignment = metadata.get("general.alignment", 32)
    start = -(-reader.at // alignment) * alignment
    return {name: start + offset for name, offset in offsets.items()}


def main():
    models, dequant = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    floats = (dequant / "dequant.bin").read_bytes()
    rows = {}  # by type: floats by raw bytes
    for entry in json.loads((dequant / "dequant.json").read_text()):
        data = (models / entry["file"]).read_bytes()
        elements = entry["rows"] * entry["columns"]
        block_elements, block_bytes = BLOCKS[entry["type"]]
        begin = tensor_offsets(data)[entry["tensor"]]
        raw = data[begin : begin + elements // block_elements * block_bytes]
        wide = floats[4 * entry["offset"] : 4 * (entry["offset"] + elements)]
        if rows.setdefault(entry["type"], {}).setdefault(raw, wide) != wide:
            sys.exit(f"{entry['file']}: {entry['tensor']}: equal bytes stand for other floats")
    here = pathlib.Path(__file__).parent
    for kind, wide_by_raw in rows.items():
        (here / f"{kind.lower()}.bin").write_bytes(b"".join(wide_by_raw))
        (here / f"{kind.lower()}.f32").write_bytes(b"".join(wide_by_raw.values()))


if __name__ == "__main__":
    main()
