#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a Windows program with Wine, on a virtual screen if there is no display: Wine offers Vulkan only to programs with
# a screen.
set -euo pipefail
export WINEPREFIX=${WINEPREFIX:-$HOME/.cache/pelt-wine} WINEDEBUG=${WINEDEBUG:--all} WINEARCH=win64
mkdir -p "$WINEPREFIX"
if [[ -n ${DISPLAY-} ]]; then exec wine "$@"; fi
exec xvfb-run --auto-servernum wine "$@"
