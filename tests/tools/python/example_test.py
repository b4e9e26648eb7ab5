# SPDX-License-Identifier: Apache-2.0
"""example_test.py SCRIPT: the example draws a picture."""

import os
import pathlib
import subprocess
import sys
import tempfile

with tempfile.TemporaryDirectory() as folder:
    picture = pathlib.Path(folder) / "placement.png"
    run = subprocess.run(
        [sys.executable, sys.argv[1], "-o", picture],
        env={**os.environ, "MPLBACKEND": "Agg", "MPLCONFIGDIR": folder},
        capture_output=True,
        text=True,
    )
    print(run.stdout, run.stderr)
    assert run.returncode == 0, run.returncode
    assert picture.read_bytes().startswith(b"\x89PNG"), "no picture"
    assert "layer" in run.stdout, "no table"
