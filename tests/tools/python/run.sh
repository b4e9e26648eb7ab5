#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# run.sh PYTHON PYTHON_DIR FILE [ARGUMENT...]: runs a test of the Python module. Ends with 77, "skipped" to ctest, if
# something is missing; without PYTHON the build has no module.
skip() {
  echo "skipped: $1"
  exit 77
}
[ -n "$1" ] || skip "the build has no Python module; install pybind11-dev and python3-dev"
"$1" -c 'import numpy' 2>/dev/null || skip "numpy is missing; install python3-numpy"
python=$1
export PYTHONPATH="$2" PYTHONDONTWRITEBYTECODE=1
shift 2
case $1 in
  *example*) "$python" -c 'import matplotlib' 2>/dev/null || skip "matplotlib is missing; install python3-matplotlib" ;;
esac
exec "$python" "$@"
