#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Drives a real window of the viewer by mouse and keys under Xvfb: opens a rig, picks a vertex, drags a vertex of the
# driver, saves, undoes, saves, opens a broken file, resizes to almost nothing and back, hides and shows the window,
# closes it; stops a bind in another. usage: window.sh VIEWER PELT FOLDER. Exit code 77: no Xvfb.
set -euo pipefail
readonly viewer=$1 pelt=$2 folder=$3

for tool in Xvfb xdotool import convert; do
  if ! command -v "$tool" >/dev/null; then
    echo "viewer_window: $tool is not installed"
    if [[ ${CI:-} == true ]]; then exit 1; fi
    exit 77
  fi
done

fail() {
  echo "viewer_window: $*"
  echo "pictures are in $folder; the viewer said:"
  cat "$folder/viewer.log" || true
  exit 1
}

stop_all() {
  if [[ -n ${viewer_pid:-} ]]; then kill "$viewer_pid" 2>/dev/null || true; fi
  if [[ -n ${server_pid:-} ]]; then kill "$server_pid" 2>/dev/null || true; fi
}
trap stop_all EXIT

rm -rf "$folder"
mkdir -p "$folder"
cd "$folder"
"$pelt" bind builtin:limb --deformer surface-ffd --write-rig limb.json -o limb.pelt >bind.log
cp limb.json before.json
cp limb.json biped.json  # fits every model

Xvfb -displayfd 3 -screen 0 1280x800x24 -noreset 3>display.txt 2>xvfb.log &
server_pid=$!
for ((i = 0; i < 100; ++i)); do
  if [[ -s display.txt ]]; then break; fi
  sleep 0.1
done
[[ -s display.txt ]] || fail "Xvfb did not start"
DISPLAY=:$(<display.txt)
export DISPLAY

# runs: succeeds if the viewer still runs and is no zombie.
runs() { [[ -e /proc/$viewer_pid ]] && ! grep -q '^State:.Z' "/proc/$viewer_pid/status"; }
# shot NAME: takes a picture of the screen.
shot() { import -window root "$1.png"; }
# differs A B GEOMETRY: succeeds if two pictures differ visibly within a rectangle.
differs() {
  local mean
  mean=$(convert "$1.png" "$2.png" -crop "$3" +repage -compose difference -composite -colorspace gray \
    -format '%[fx:mean>0.0005]' info:)
  [[ $mean == 1 ]]
}
# until_differs A B GEOMETRY WHAT: takes picture B until it differs from A.
until_differs() {
  local i
  for ((i = 0; i < 120; ++i)); do
    shot "$2"
    if differs "$1" "$2" "$3"; then return; fi
    runs || fail "the viewer has ended: $4"
    sleep 0.5
  done
  fail "nothing changed: $4"
}
# until_bright GEOMETRY WHAT: waits until bright pixels, of text for example, are within a rectangle of the screen.
until_bright() {
  local i
  for ((i = 0; i < 120; ++i)); do
    shot bright
    if [[ $(convert bright.png -crop "$1" +repage -format '%[fx:maxima>0.5]' info:) == 1 ]]; then return; fi
    runs || fail "the viewer has ended: $2"
    sleep 0.5
  done
  fail "$2"
}
# drag X Y TO_X [COMMAND...]: drags with the left button; COMMAND runs before it is released.
drag() {
  local i
  xdotool mousemove "$1" "$2"
  sleep 0.3
  xdotool mousedown 1
  sleep 0.5
  for ((i = 1; i <= 5; ++i)); do
    xdotool mousemove $(($1 + ($3 - $1) * i / 5)) "$2"
    sleep 0.2
  done
  sleep 1  # so that a frame of a busy machine sees the button down at the end
  "${@:4}"
  xdotool mouseup 1
  sleep 0.3
}
# until_saved WHAT COMMAND...: presses ctrl+s until COMMAND succeeds.
until_saved() {
  local what=$1 i
  shift
  for ((i = 0; i < 40; ++i)); do
    xdotool key ctrl+s
    sleep 0.5
    if "$@"; then return; fi
  done
  fail "$what"
}

# open_window NAME: shows a built-in model by its rig, NAME.json.
open_window() {
  "$viewer" "$1.json" --model "builtin:$1" --validate --size 1000x640 >viewer.log 2>&1 &
  viewer_pid=$!
  window=$(timeout 60 xdotool search --sync --onlyvisible --name 'Pelt' | head -n 1) || fail "there is no window"
  xdotool windowfocus "$window"
}

# close_window: by ctrl+q, which it presses every four seconds: without a window manager a window that has just been
# shown may not take keys yet.
close_window() {
  local i code=0
  for ((i = 0; i < 120; ++i)); do
    if ! runs; then break; fi
    if ((i % 8 == 0)); then xdotool windowfocus "$window" key ctrl+q || true; fi
    sleep 0.5
  done
  if runs; then fail "the window did not close"; fi
  wait "$viewer_pid" || code=$?
  ((code == 0)) || fail "exit code $code"
  if [[ -s viewer.log ]]; then fail "messages"; fi
}

open_window limb
readonly picture=280x400+360+60 inspector=320x480+670+60 timeline=900x30+10+605

convert -size 1280x800 xc:black empty.png
until_differs empty opened "$picture" "no picture after opening"
sleep 3
shot opened
xdotool mousemove 500 300 click 1
until_differs opened picked "$inspector" "pick a vertex"
undone() {
  if cmp -s limb.json before.json; then return; fi
  xdotool key ctrl+z
  sleep 0.5
  return 1
}
# The cage is dense: any click on the limb has one of its vertices within reach.
shot restored
xdotool key d
until_differs restored caged "$picture" "show the driver"
xdotool mousemove 500 300 click 1
until_differs caged selected "$picture" "select a vertex of the driver"
sleep 1
shot hovered
driver_moved() {
  python3 -c 'import json, sys
offsets = json.load(open("limb.json"))["layers"][0]["parameters"]["driver"].get("offsets", [])
sys.exit(0 if len(offsets) == 1 and any(offsets[0][1:]) else 1)'
}
# drag_vertex: drags the selected vertex and saves; fails if a busy machine saw the button too late.
drag_vertex() {
  local i
  drag 500 300 560 until_differs hovered moved "$picture" "the skin does not follow the driver while it is dragged"
  for ((i = 0; i < 20; ++i)); do
    xdotool key ctrl+s
    sleep 0.5
    if driver_moved; then return; fi
  done
  return 1
}
drag_vertex || drag_vertex || drag_vertex || fail "the moved vertex was not saved"
until_saved "undo did not bring the driver back" undone
python3 -m json.tool limb.json >/dev/null || fail "the saved rig is no JSON"
xdotool key d
sleep 1

# A broken file gives a message, and the character stays.
echo 'no model' >broken.glb
shot restored
xdotool key ctrl+o
until_differs restored dialog "$picture" "no dialog to open a file"
xdotool type --delay 60 "$folder/broken.glb"
shot typed
xdotool key Return
until_differs typed refused "$picture" "the dialog did not close"
xdotool mousemove 300 300
sleep 1
shot refused
until_differs restored refused 300x60+340+530 "no message about a file that is wrong"

# Resize to almost nothing, and back.
shot large
xdotool windowsize "$window" 1 1
until_differs large tiny "$picture" "the window did not become small"
sleep 1
xdotool windowsize "$window" 1000 640
until_differs tiny back "$picture" "no picture after the window was large again"
xdotool windowsize "$window" 800 500
sleep 2
shot resized
runs || fail "the viewer has ended after a resize"

# A hidden window draws nothing and takes hardly any time; when shown again, it draws.
ticks() { awk '{print $14 + $15}' "/proc/$viewer_pid/stat"; }
xdotool windowunmap "$window"
until_differs resized hidden 280x300+260+60 "the window is still seen"
sleep 1
before=$(ticks)
sleep 3
after=$(ticks)
((after - before < 100)) || fail "$((after - before)) hundredths of 3 seconds of work while the window is hidden"
xdotool windowmap "$window"
until_differs hidden shown 280x300+260+60 "no picture after the window was shown again"
close_window

# Escape stops a bind, unless it came too late: a whole character takes seconds.
open_window biped
until_bright "$timeline" "no timeline after opening"
sleep 3
for ((i = 0; i < 10; ++i)); do
  shot changing
  drag 220 295 280
  xdotool key Escape
  sleep 1
  shot stopped
  if differs changing stopped 280x60+360+485; then break; fi
done
differs changing stopped 280x60+360+485 || fail "Escape does not stop a bind"
close_window
echo "viewer_window: done"
