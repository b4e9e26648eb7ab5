#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the tests for x86-64 and runs them under qemu: tools/test_qemu.sh x86_64 [argument of ctest...].
exec "$(dirname "${BASH_SOURCE[0]}")/test_qemu.sh" x86_64 "$@"
