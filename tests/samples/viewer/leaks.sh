#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The viewer opens, binds, edits, undoes, loses its device and ends, and must have freed all memory: LeakSanitizer is
# preloaded into the unchanged program. Memory that the software driver keeps does not count; the driver stays loaded so
# that its memory can be told apart. usage: leaks.sh VIEWER LSAN_LIBRARY DRIVER_LIBRARY FOLDER. Exit code 77: the
# sanitizer cannot run here.
set -euo pipefail
readonly viewer=$1 sanitizer=$2 driver=$3 folder=$4

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
cat >script.json <<'END'
{"format": "pelt-view 1", "steps": [
  {"set": {"compare": {"mode": "side_by_side", "deformers": ["mos"]}}, "frames": 2},
  {"edit": {"/layers/0/parameters/local": 2}, "bind": true},
  {"key": "ctrl+z", "bind": true},
  {"open": "builtin:arm", "frames": 2},
  {"lose_device": true, "frames": 2},
  {"set": {"panels": {"tab": "Heat", "measure": true}, "heat": {"kind": "stretch"}}, "frames": 2, "picture": "end.png"}
]}
END
printf 'leak:%s\n' libvulkan_lvp libLLVM libVkLayer >suppressions.txt
status=0
LSAN_OPTIONS=suppressions=suppressions.txt LD_PRELOAD="$sanitizer $driver" \
  "$viewer" --headless --size 320x180 --script script.json -o . builtin:limb >log.txt 2>&1 || status=$?
if grep -q 'LeakSanitizer has encountered a fatal error' log.txt; then
  echo "viewer_leaks: LeakSanitizer cannot run here:"
  cat log.txt
  exit 77
fi
if ((status != 0)) || [[ ! -s end.png ]]; then
  echo "viewer_leaks: the viewer ended with $status:"
  cat log.txt
  exit 1
fi
