#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a test inside Blender. usage: run.sh TEST.py PELT FOLDER [NAME...]. Exit code 77: no Blender, or shared files
# that the test needs are missing.
set -euo pipefail
readonly test=$1 pelt=$2 folder=$3

skip() {
  echo "blender: $*"
  if [[ ${CI:-} == true ]]; then exit 1; fi
  exit 77
}

if ! command -v blender >/dev/null; then skip "blender is not installed: .ci/packages.txt"; fi
if [[ $test == *characters_test.py && -z ${PELT_SHARED:-} ]]; then skip "PELT_SHARED is not set"; fi
rm -rf "$folder"
mkdir -p "$folder"
export PELT_PROGRAM=$pelt HOME=$folder
readonly path="import sys; sys.path.insert(0, '$(dirname "$test")')"  # of the modules that tests import
# The exit code option must stand before the script, and Blender ends with 0 on some failures: so the last line counts.
blender --background --factory-startup --python-exit-code 1 --python-expr "$path" --python "$test" \
  -- "$folder" "${@:4}" 2>&1 | tee "$folder/log.txt"
grep -qx 'ALL PASSED' "$folder/log.txt"
