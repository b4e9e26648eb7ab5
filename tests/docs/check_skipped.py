#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_skipped.py SOURCE_DIR DOCUMENT...: each entry of run_commands.SKIPPED and ENDS_WITH must match a command."""

import pathlib
import re
import sys

import run_commands

source = pathlib.Path(sys.argv[1])
commands = [c for name in sys.argv[2:] for c in run_commands.commands_of(source / name)]
stale = [pattern for pattern, _ in run_commands.SKIPPED + run_commands.ENDS_WITH
         if not any(re.search(pattern, command) for command in commands)]
for pattern in stale:
    print(f"no command of any document matches {pattern}")
print(f"{len(commands)} commands in {len(sys.argv) - 2} documents, {sum(run_commands.skip_reason(c) is not None for c in commands)} not run")
sys.exit(1 if stale else 0)
