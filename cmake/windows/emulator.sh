#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Runs a Windows program by Wine, with a screen of its own where there is none: Wine gives Vulkan to programs that have
# one.
set -euo pipefail
export WINEPREFIX=${WINEPREFIX:-$HOME/.cache/pelt-wine} WINEDEBUG=${WINEDEBUG:--all} WINEARCH=win64
mkdir -p "$WINEPREFIX"
if [[ -n ${DISPLAY-} ]]; then exec wine "$@"; fi
exec xvfb-run --auto-servernum wine "$@"
