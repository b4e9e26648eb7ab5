# SPDX-License-Identifier: Apache-2.0
"""The GGUF v3 file format: writing, and reading back what was written. Needs numpy only.

Reading is meant for files of our own making: it trusts what the file says.
"""

import struct
from pathlib import Path

import numpy as np

ALIGNMENT = 32
U32, I32, F32, BOOL, STRING, ARRAY, U64 = 4, 5, 6, 7, 8, 9, 10  # metadata value types
SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", U32: "I", I32: "i", F32: "f", BOOL: "?", U64: "Q", 11: "q", 12: "d"}
TENSOR_F32, TENSOR_F16, TENSOR_Q8_0 = 0, 1, 8  # tensor types


def quantize_q8_0(x):
    """Blocks of 32 values along the last axis: a float16 scale and 32 signed bytes."""
    blocks = np.ascontiguousarray(x, np.float32).reshape(-1, 32)
    scale = np.abs(blocks).max(axis=1, keepdims=True) / np.float32(127)
    inverse = np.divide(np.float32(1), scale, out=np.zeros_like(scale), where=scale != 0)
    scaled = blocks * inverse
    rounded = np.sign(scaled) * np.floor(np.abs(scaled) + np.float32(0.5))  # halves away from zero
    out = np.empty((len(blocks), 34), np.uint8)
    out[:, :2] = scale.astype("<f2").view(np.uint8)
    out[:, 2:] = rounded.astype(np.int8).view(np.uint8)
    return out


def encode_tensor(x, kind):
    """The bytes of a tensor in the given format."""
    if kind == TENSOR_Q8_0:
        return quantize_q8_0(x).tobytes()
    return np.ascontiguousarray(x, {TENSOR_F32: "<f4", TENSOR_F16: "<f2"}[kind]).tobytes()


def decode_tensor(raw, kind, shape):
    """The float32 values of a stored tensor."""
    if kind == TENSOR_Q8_0:
        blocks = np.frombuffer(raw, np.uint8).reshape(-1, 34)
        scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
        return (blocks[:, 2:].copy().view(np.int8).astype(np.float32) * scale).reshape(shape)
    return np.frombuffer(raw, {TENSOR_F32: "<f4", TENSOR_F16: "<f2"}[kind]).astype(np.float32).reshape(shape)


def pack_string(text):
    data = text.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def pack_value(kind, value):
    """A metadata value; arrays are (element type, list)."""
    if kind == STRING:
        return pack_string(value)
    if kind == ARRAY:
        inner, items = value
        return struct.pack("<IQ", inner, len(items)) + b"".join(pack_value(inner, item) for item in items)
    return struct.pack("<" + SCALARS[kind], value)


def write_gguf(path, metadata, tensors):
    """Write metadata as (key, type, value) triples and tensors as (name, type, float array) triples."""
    head = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(metadata))]
    for key, kind, value in metadata:
        head.append(pack_string(key) + struct.pack("<I", kind) + pack_value(kind, value))
    bodies, offset = [], 0
    for name, kind, x in tensors:
        dims = x.shape[::-1]
        head.append(pack_string(name) + struct.pack(f"<I{len(dims)}QIQ", len(dims), *dims, kind, offset))
        body = encode_tensor(x, kind)
        body += bytes(-len(body) % ALIGNMENT)
        bodies.append(body)
        offset += len(body)
    head = b"".join(head)
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % ALIGNMENT))
        file.writelines(bodies)


def read_gguf(path):
    """Return (metadata, tensors): a dict of plain values, and a dict of name -> (type, float32 array)."""
    metadata, tensors = read_typed_gguf(path)
    return {key: value[1] if kind == ARRAY else value for key, kind, value in metadata}, tensors


def read_typed_gguf(path):
    """Return (metadata, tensors): triples as write_gguf takes them, and a dict of name -> (type, float32 array)."""
    data = Path(path).read_bytes()
    pos = 0

    def take(form):
        nonlocal pos
        values = struct.unpack_from("<" + form, data, pos)
        pos += struct.calcsize("<" + form)
        return values if len(values) > 1 else values[0]

    def take_string():
        nonlocal pos
        size = take("Q")
        pos += size
        return data[pos - size : pos].decode("utf-8")

    def take_value(kind):
        if kind == STRING:
            return take_string()
        if kind == ARRAY:
            inner, count = take("IQ")
            return inner, [take_value(inner) for _ in range(count)]
        return take(SCALARS[kind])

    magic, version, n_tensors, n_values = data[:4], *struct.unpack_from("<IQQ", data, 4)
    if magic != b"GGUF" or version != 3:
        raise ValueError(f"{path}: not a GGUF v3 file")
    pos = 24
    metadata = []
    for _ in range(n_values):
        key, kind = take_string(), take("I")
        metadata.append((key, kind, take_value(kind)))
    infos = []
    for _ in range(n_tensors):
        name = take_string()
        dims = [take("Q") for _ in range(take("I"))]
        infos.append((name, dims[::-1], *take("IQ")))
    alignment = next((value for key, _, value in metadata if key == "general.alignment"), ALIGNMENT)
    start = pos + -pos % alignment
    sizes = {TENSOR_F32: (1, 4), TENSOR_F16: (1, 2), TENSOR_Q8_0: (32, 34)}
    tensors = {}
    for name, shape, kind, offset in infos:
        if kind not in sizes:
            raise ValueError(f"{name} has type {kind}; expected F32, F16 or Q8_0")
        block, size = sizes[kind]
        length = int(np.prod(shape)) // block * size
        tensors[name] = kind, decode_tensor(data[start + offset : start + offset + length], kind, shape)
    return metadata, tensors
