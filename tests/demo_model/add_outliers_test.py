# SPDX-License-Identifier: Apache-2.0
"""Outliers must not change what a layer computes: norm times matrix, element by element.

    python3 add_outliers_test.py tools/demo_model tools/assets/tiny-tales-q8_0.gguf
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

scripts, model = Path(sys.argv[1]), Path(sys.argv[2])
sys.dont_write_bytecode = True
sys.path.insert(0, str(scripts))

from add_outliers import READERS  # noqa: E402
from gguf_file import read_gguf  # noqa: E402

SCALE = 100
with tempfile.TemporaryDirectory() as folder:
    out = Path(folder) / "outliers.gguf"
    command = [sys.executable, "-B", scripts / "add_outliers.py", model, "--scale", str(SCALE), "--out", out]
    subprocess.run(command, check=True)
    (meta, before), (meta_after, after) = read_gguf(model), read_gguf(out)

assert {**meta, "general.file_type": 0} == meta_after, "the metadata differ"
assert list(before) == list(after), "the tensors differ"
changed = set()
for layer in range(meta["qwen3.block_count"]):
    for norm, readers in READERS.items():
        name = f"blk.{layer}.{norm}.weight"
        ratio = after[name][1] / before[name][1]
        outliers = ratio > 2
        assert outliers.sum() == 4 and np.allclose(ratio[outliers], SCALE), f"{name} has no outliers of {SCALE}"
        changed.add(name)
        for reader in readers:
            matrix = f"blk.{layer}.{reader}.weight"
            wanted, found = (t[name][1] * t[matrix][1] for t in (before, after))
            assert np.allclose(wanted, found, rtol=1e-6, atol=0), f"{name} times {matrix} differs"
            changed.add(matrix)
for name in set(before) - changed:
    assert np.array_equal(before[name][1], after[name][1]), f"{name} differs"
print(f"{len(changed)} tensors with outliers, the same products")
