# SPDX-License-Identifier: Apache-2.0
"""example_test.py SCRIPT MODEL: the example draws a picture, with the options that tools/python/README.md shows."""

import os
import pathlib
import subprocess
import sys
import tempfile

script, model = sys.argv[1:]
with tempfile.TemporaryDirectory() as folder:
    picture = pathlib.Path(folder) / "placement.png"
    places = ["--place", "op=attention,tokens<=4=simd", "--place", "op=add_rms_norm=scalar"]
    run = subprocess.run(
        [sys.executable, script, "-m", model, *places, "-o", picture],
        env={**os.environ, "MPLBACKEND": "Agg", "MPLCONFIGDIR": folder},
        capture_output=True,
        text=True,
    )
    print(run.stdout, run.stderr)
    assert run.returncode == 0, run.returncode
    assert picture.read_bytes().startswith(b"\x89PNG"), "no picture"
    assert "layer" in run.stdout, "no table"
