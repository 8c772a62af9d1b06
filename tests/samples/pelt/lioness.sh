#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Binds the lioness of samples/rigs, whose skin is not painted, by every deformer and by her own rig, and compares the
# device with the CPU and with known answers. usage: lioness.sh PELT FOLDER. Exit code 77: no device.
set -euo pipefail
readonly pelt=$1 folder=$2 tree=$(cd "$(dirname "$0")/../../.." && pwd)
readonly lioness=$tree/samples/rigs/lioness
rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
sed -n 's/^PELT_DEFORMER(\(.*\))$/\1/p' "$tree/engine/authoring/bind/deformers.list" | tr _ - | while read -r deformer; do
  "$pelt" bind "$lioness.glb" --deformer "$deformer" -o "$deformer.pelt"
done
"$pelt" bind "$lioness.glb" --rig "$lioness.json" -o own.pelt | tee own.txt
grep "weights were made for 'body', on 35 joints" own.txt
"$pelt" verify ./*.pelt >verified.txt 2>&1 && status=0 || status=$?
cat verified.txt
if grep -qE 'no Vulkan loader is installed|no driver supports Vulkan 1\.1' verified.txt && [[ ${CI:-} != true ]]; then exit 77; fi
exit "$status"
