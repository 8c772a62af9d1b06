#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs window_test.py in a window under Xvfb. usage: window.sh PELT FOLDER. Exit code 77: no Blender or no Xvfb.
set -euo pipefail
readonly pelt=$1 folder=$2
here=$(cd "$(dirname "$0")" && pwd)

for tool in blender Xvfb xvfb-run; do
  if ! command -v "$tool" >/dev/null; then
    echo "blender: $tool is not installed: .ci/packages.txt, packages.txt"
    if [[ ${CI:-} == true ]]; then exit 1; fi
    exit 77
  fi
done
rm -rf "$folder"
mkdir -p "$folder"
export PELT_PROGRAM=$pelt HOME=$folder LIBGL_ALWAYS_SOFTWARE=1
readonly path="import sys; sys.path.insert(0, '$here')"
blender --background --factory-startup --python-exit-code 1 --python-expr "$path" --python "$here/window_test.py" \
  -- "$folder" make >"$folder/make.txt" 2>&1
grep -qx MADE "$folder/make.txt"
size=1600x1200
if [[ -n ${PELT_PICTURES:-} ]]; then size=2400x1300; fi
timeout 240 xvfb-run -a -s "-screen 0 ${size}x24 +extension GLX" \
  blender --factory-startup --enable-event-simulate --window-geometry 0 0 "${size%x*}" "${size#*x}" "$folder/window.blend" \
  --python-expr "$path" --python "$here/window_test.py" -- "$folder" 2>&1 | tee "$folder/log.txt"
if grep -q 'Error: Python\|Traceback' "$folder/log.txt"; then exit 1; fi
grep -qx 'ALL PASSED' "$folder/log.txt"
