#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Stands for Apple's compiler of shaders, `copy_compiler.sh OPTION... -o LIBRARY SHADER`: a compiled library of the
# emulation is the source. Like clang, it refuses a text that has an #error.
set -eu
while [ "$1" != -o ]; do shift; done
cp "$3" "$2"
if grep '#error' "$3" >&2; then exit 1; fi
