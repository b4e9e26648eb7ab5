#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_skipped.py SOURCE_DIR DOCUMENT...: the documents are all that show commands, each entry of run_commands.SKIPPED and
ENDS_WITH matches a command, and a document of which nothing can run counts as skipped."""

import pathlib
import re
import subprocess
import sys
import tempfile

import run_commands

# BENCHMARKS.md records how something was measured, with models and on machines that are not here.
RECORDS = {"BENCHMARKS.md"}
# Folders of other people's files, and of builds.
FOREIGN = {"build", "node_modules", ".git"}

source = pathlib.Path(sys.argv[1])
documents = sys.argv[2:]
problems = []

for path in source.rglob("*.md"):
    name = path.relative_to(source)
    if FOREIGN & set(name.parts) or str(name) in RECORDS or str(name) in documents:
        continue
    if any(True for _ in run_commands.commands_of(path)):
        problems.append(f"{name} shows commands and is not in tests/docs/CMakeLists.txt")

commands = [c for name in documents for c in run_commands.commands_of(source / name)]
for pattern, _ in run_commands.SKIPPED + run_commands.ENDS_WITH:
    if not any(re.search(pattern, command) for command in commands):
        problems.append(f"no command of any document matches {pattern}")

with tempfile.TemporaryDirectory(prefix="infer-docs-") as folder:
    document = pathlib.Path(folder, "document.md")
    document.write_text("```sh\ntools/test.sh\n```\n")
    run = subprocess.run(
        [sys.executable, pathlib.Path(__file__).with_name("run_commands.py"), document, folder, source],
        capture_output=True, text=True,
    )
    if run.returncode != run_commands.SKIP_CODE or "\nskipped: 0 of 1 commands were run: builds everything\n" not in run.stdout:
        problems.append(f"a document of which nothing runs ended with {run.returncode}: {run.stdout}{run.stderr}")
    document.write_text("```\n$ cat a.txt\none\ntwo\n$ cat b.txt\nthree\n```\nfour\n")
    if run_commands.files_of(document) != {"a.txt": "one\ntwo\n", "b.txt": "three\n"}:
        problems.append(f"files that a document shows: {run_commands.files_of(document)}")

for problem in problems:
    print(problem)
skipped = sum(run_commands.skip_reason(command) is not None for command in commands)
print(f"{len(commands)} commands in {len(documents)} documents, {skipped} not run")
sys.exit(1 if problems else 0)
