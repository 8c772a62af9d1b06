#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The command line as a Windows program: command_line.sh EMULATOR... PROGRAM. It binds by every deformer, moves vertices
# on the CPU and on the device alike, and refuses broken files with a sentence and nothing half-written.
set -euo pipefail
folder=$(mktemp --directory)
trap 'rm --recursive "$folder"' EXIT
cd "$folder"
pelt=("$@")

fail() {
  echo "command_line.sh: $*" >&2
  exit 1
}

# refused SENTENCE ARGUMENT...: the program exits with a status that is not 0 and prints SENTENCE.
refused() {
  local status=0
  "${pelt[@]}" "${@:2}" >refused.txt 2>&1 || status=$?
  ((status != 0)) || fail "${*:2}: accepted"
  grep --quiet --fixed-strings "$1" refused.txt || fail "${*:2}: says $(cat refused.txt)"
}

"${pelt[@]}" verify
for deformer in linear_blend dual_quaternion surface_ffd curve_skeleton mos hierarchical_bspline; do
  "${pelt[@]}" bind builtin:limb --deformer "$deformer" -o "$deformer.pelt"
  "${pelt[@]}" info "$deformer.pelt" | grep --quiet "$deformer" || fail "info does not name $deformer"
  "${pelt[@]}" verify "$deformer.pelt"
  "${pelt[@]}" deform "$deformer.pelt" --backend cpu -o cpu.pc2
  "${pelt[@]}" deform "$deformer.pelt" --backend gpu -o gpu.pc2
  [[ $(stat --format %s cpu.pc2) == "$(stat --format %s gpu.pc2)" ]] || fail "$deformer: point caches differ in size"
done

"${pelt[@]}" info "$folder/mos.pelt" >absolute.txt  # a path that begins with a slash
refused 'no such file' info missing.pelt
head --bytes 1000 mos.pelt >broken.pelt
refused 'broken.pelt' info broken.pelt
refused 'OpenVDB' skeleton builtin:limb -o made.glb
mkdir folder
refused 'folder' deform mos.pelt -o folder
[[ -z $(find . -name '*.tmp') ]] || fail "temporary files are left: $(find . -name '*.tmp')"
