#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Give a model channels with outliers, as large models have them, without changing what it computes. Needs numpy only.

In each layer a few elements of both norm weights are multiplied by a scale, and the columns of the matrices that read
the norm's result are divided by it. The activations between them then have a few elements that are far larger than
the rest, which is what rounding them to 8 bits suffers from.

    python3 add_outliers.py tiny-tales-f16.gguf --scale 20 --out tiny-tales-f32-outliers.gguf

The input is F32, F16 or Q8_0. The output is F32 unless --type says otherwise: F16 has no exact quotients, and rounding
them would be a difference between the two models.
"""

import argparse
import struct

import numpy as np

from export_gguf import FILE_TYPES
from gguf_file import TENSOR_F32, read_typed_gguf, write_gguf

READERS = {  # norm -> matrices that read its result
    "attn_norm": ("attn_q", "attn_k", "attn_v"),
    "ffn_norm": ("ffn_gate", "ffn_up"),
}


def outlier_channels(width, count):
    """Spread over the width and not in step with blocks of 32 or 256."""
    return np.unique((np.arange(count) * width // count + 7 * np.arange(1, count + 1)) % width)


def add_outliers(tensors, layers, count, scale):
    """Scale channels of name -> (type, array) in place."""
    for layer in range(layers):
        for norm, readers in READERS.items():
            weight = tensors[f"blk.{layer}.{norm}.weight"][1]
            channels = outlier_channels(weight.shape[0], count)
            weight[channels] *= np.float32(scale)
            for reader in readers:
                tensors[f"blk.{layer}.{reader}.weight"][1][:, channels] /= np.float32(scale)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--scale", type=float, default=20, help="factor of the outliers (default: %(default)s)")
    parser.add_argument("--channels", type=int, default=4, help="outliers in each norm (default: %(default)s)")
    parser.add_argument("--type", choices=FILE_TYPES, default="f32", help="of the matrices (default: %(default)s)")
    parser.add_argument("--out", required=True)
    args = parser.parse_args()
    if not 0 < args.scale < float("inf") or args.channels < 1:
        parser.error("--scale must be positive and --channels at least 1")

    try:
        metadata, tensors = read_typed_gguf(args.model)
    except (OSError, ValueError, struct.error) as error:
        parser.error(f"{args.model}: {error}")
    tensors = {name: (kind, x.copy()) for name, (kind, x) in tensors.items()}
    add_outliers(tensors, sum(name.endswith(".ffn_norm.weight") for name in tensors), args.channels, args.scale)
    kind, file_type = FILE_TYPES[args.type]
    metadata = [(key, t, file_type if key == "general.file_type" else value) for key, t, value in metadata]
    write_gguf(args.out, metadata, [(name, TENSOR_F32 if x.ndim == 1 else kind, x) for name, (_, x) in tensors.items()])


if __name__ == "__main__":
    main()
