#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Binds every built-in model and every character of $PELT_SHARED by every deformer, by MOS's presets, and by the
# default, and prints the SHA-256 of each. Two builds that bind alike print the same:
#
#   tests/bound_bytes.sh build/release/bin/pelt > before.txt
set -uo pipefail
readonly pelt=${1:?usage: tests/bound_bytes.sh PELT}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# sum NAME OPTION...: binds with these options and prints a line.
sum() {
  local sum
  rm -f "$folder/character.pelt"
  "$pelt" bind "${@:2}" -o "$folder/character.pelt" >"$folder/log" 2>&1
  if [[ -f $folder/character.pelt ]]; then
    sum=$(sha256sum <"$folder/character.pelt")
    echo "${sum%% *} $1"
  else
    echo "$(tail -n 1 "$folder/log") $1"
  fi
}

mapfile -t deformers < <(sed -n 's/^PELT_DEFORMER(\(.*\))$/\1/p' "$(dirname "$0")/../engine/authoring/bind/deformers.list" | tr _ -)
models=(builtin:arm builtin:biped builtin:limb builtin:tail)
if [[ -n ${PELT_SHARED-} ]]; then
  while read -r file; do models+=("$file"); done < <(
    find "$PELT_SHARED"/assets/{characters,ordinary} -name '*.glb' -o -name '*.gltf' -o -name '*.obj' | LC_ALL=C sort)
fi
for model in "${models[@]}"; do
  name=${model##*/}
  sum "$name" "$model"
  for deformer in "${deformers[@]}"; do
    sum "$name $deformer" "$model" --deformer "$deformer" --no-fallback
  done
done
for preset in biped limb; do sum "builtin:$preset preset" "builtin:$preset" --preset "$preset"; done
sum "lioness" "$(dirname "$0")/../samples/rigs/lioness.glb" --rig "$(dirname "$0")/../samples/rigs/lioness.json"
sum "builtin:arm muscles" builtin:arm --rig "$(dirname "$0")/../samples/rigs/arm_muscles.json"
