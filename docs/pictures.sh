#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Makes the pictures of the documents and the views that the viewer is tested against, from built-in characters and the
# built programs: pelt, pelt_game, pelt_viewer, viewer_views_test; that of the Python package also from the libraries for
# C, by a Python with NumPy; those of Blender by Blender and Xvfb. Each is renamed to its place when it is whole.
# usage: docs/pictures.sh [--list | PICTURE...]; PICTURE as --list prints it, none is all; views are made together.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
readonly root=$PWD
readonly bin=$root/build/release/bin
# Committed pictures must not depend on the graphics card.
export PELT_DEVICE=llvmpipe

# Every function make_NAME below writes NAME.png into the working directory.
readonly documents=(
  anchors armpit blender_cage blender_face blender_learn blender_limb blender_panels cage correctives
  curve_skeleton_compared curve_skeleton_figures curve_skeleton_limbs demo drape engine garment hierarchical_biped
  hierarchical_dog hierarchical_ears hierarchical_elbow hierarchical_figures hierarchical_head hierarchical_hinge
  mos_biped mos_compared mos_figures mos_poses mos_quadruped mos_tail muscle_figures muscles python real_characters
  sculpture skeletonize surface_ffd_figures surface_ffd_streamed viewer wrinkles
)
readonly views=tests/samples/viewer/views

list() {
  printf 'docs/%s.png\n' "${documents[@]}"
  sed -n 's|.*"picture": "\(.*\)".*|'"$views"'/\1|p' tests/samples/viewer/views.json tests/samples/viewer/views_2x.json
}

# --------------------------------------------------------------------------------------------------------------- tools

pelt() { "$bin/pelt" "$@"; }
parts() { python3 "$root/docs/pictures_parts.py" "$@"; }

# Converts pictures, so that the same pixels make the same file. finish OPERATION... OUT.png
finish() { convert "${@:1:$#-1}" -strip -depth 8 -define png:compression-level=9 "${!#}"; }

# Draws the scene that standard input describes (pictures_parts.py), from the front and level. scene OUT.png
scene() {
  parts scene scene.gltf
  pelt render scene.gltf --deformer linear-blend --yaw 0 --pitch 0 -o "$1"
}

# Sets `operations` to those that write each text, its top left corner at (X, Y). labels [X Y TEXT]...
labels() {
  operations=(-font DejaVu-Sans -pointsize 16 -fill '#303030' -gravity NorthWest)
  while (($# > 0)); do
    operations+=(-annotate "+$1+$2" "$3")
    shift 3
  done
}

# Takes one picture of the viewer, on the built-in biped. view OUT.png WxH SETTINGS
view() {
  cat >view.json <<END
{ "format": "pelt-view 1", "steps": [{ "set": $3, "bind": true, "picture": "$1" }] }
END
  "$bin/pelt_viewer" builtin:biped --headless --size "$2" --script view.json -o .
}

# ------------------------------------------------------------------------------------------------------------ pictures

source docs/pictures_figures.sh

# Draws a picture inside Blender, or several side by side. in_blender limb|cage|face|learn [X Y TEXT]...
in_blender() {
  labels "${@:2}"
  PELT_PROGRAM=$bin/pelt HOME=$PWD blender --background --factory-startup --python-exit-code 1 \
    --python "$root/docs/pictures_blender.py" -- "$PWD" "$1"
  if [[ ! -e blender_$1.png ]]; then convert [0-9].png +append "blender_$1.png"; fi
  finish "blender_$1.png" "${operations[@]}" finished.png
  mv finished.png "blender_$1.png"
}

make_blender_limb() {
  in_blender limb 20 370 'bones without segments' 420 370 'bendy bones in Blender' 820 370 'Pelt, curve skeleton' \
    1220 370 'Pelt, plain joints'
}

make_blender_cage() { in_blender cage 120 670 'Blender' 600 670 'Pelt'; }
make_blender_learn() {
  pelt bind builtin:biped --deformer linear-blend -o biped.glb
  in_blender learn 130 260 'linear blend' 430 260 'its errors' 730 260 'learnt' 1030 260 'its errors' 1330 260 'Blender'
}

make_blender_face() { in_blender face 180 490 'at rest' 560 490 'Blender' 960 490 'Pelt'; }

# Panels of an object, of the scene after learning and of a bone, as the test of the window shows them.
make_blender_panels() {
  PELT_PICTURES=$PWD "$root/tests/samples/blender/window.sh" "$bin/pelt" "$PWD/window"
  local name
  for name in object learnt bone; do finish "$name.png" -crop 412x560+1986+430 +repage "cut_$name.png"; done
  finish cut_object.png cut_learnt.png cut_bone.png +append +dither -colors 64 blender_panels.png
}

make_demo() {
  pelt bind builtin:biped --deformer surface-ffd -o biped.pelt
  pelt render biped.pelt --clip flex --time 0.9 --frame left_hand --compare linear-blend,dual-quaternion \
    --size 1200x480 -o demo.png
}

# Walkers come for 20 seconds, so that all four kinds are there.
make_engine() {
  "$bin/pelt_game" --wait --instances 300 --frames 60 --rate 3 --size 2400x1350 -o engine_large.png
  finish engine_large.png -resize 40% +dither -colors 256 engine.png
}

make_wrinkles() {
  "$bin/pelt_game" --wait --instances 40 --frames 10 --rate 3 --triangles 20000 --size 3200x2400 -o close.png
  finish close.png -crop 1000x560+1450+1270 +repage wrinkles.png
}

make_anchors() {
  "$bin/pelt_game" --wait --props --instances 24 --frames 40 --rate 3 --size 2000x1125 -o anchors_large.png
  finish anchors_large.png -crop 2000x640+0+485 +repage -resize 60% +dither -colors 256 anchors.png
}

# The steps of the page, whose rigs it has.
make_armpit() {
  local rig name
  for rig in bad armpit; do
    sed -n "/^<!-- file: $rig.json -->\$/,/^\`\`\`\$/{/^[<\`]/d;p}" "$root/docs/armpit.md" >"$rig.json"
  done
  pelt bind builtin:biped --rig bad.json -o 0.pelt
  pelt bind builtin:biped --deformer curve-skeleton -o 1.pelt
  pelt bind builtin:biped --deformer surface-ffd -o 2.pelt
  pelt bind builtin:biped --rig armpit.json -o 3.pelt
  for name in 0 1 2 3; do
    pelt render "$name.pelt" --clip raise --time 1.44 --yaw 20 --frame left_upper_arm --size 760x960 -o "$name.png"
  done
  montage [0123].png -resize 50% -tile 4x1 -geometry +2+2 montage.png
  labels 12 10 'bad.json' 396 10 'step 1' 780 10 'step 2' 1164 10 'step 3'
  finish montage.png "${operations[@]}" armpit.png
}

make_hierarchical_biped() {
  pelt bind builtin:biped --deformer hierarchical-bspline -o surface.pelt
  pelt render surface.pelt --clip flex --time 1.3 --compare linear-blend,dual-quaternion,surface-ffd --size 1600x640 \
    -o hierarchical_biped.png
}

make_hierarchical_dog() {
  parts pose "$PELT_SHARED/assets/characters/dm_dog_skin.glb" dog.glb upper_leg_L:z:40 lower_leg_L:z:-70 foot_L:z:60 \
    upper_leg_R:z:-45 lower_leg_R:z:30 upper_arm_L:z:-50 lower_arm_L:z:80 hand_L:z:-40 upper_arm_R:z:45 \
    lower_arm_R:z:20 L_3:z:12 L_5:z:12 jaw:z:-25 C_4:z:15 Ca_4:z:20 Ca_8:z:25
  pelt bind dog.glb --deformer hierarchical-bspline -o dog.pelt
  pelt render dog.pelt --clip pose --time 1 --yaw 160 --compare linear-blend,dual-quaternion,surface-ffd \
    --size 3200x900 -o dog_large.png
  finish dog_large.png -resize 50% hierarchical_dog.png
}

make_viewer() {
  view viewer.png 1280x720 '{
    "playback": { "clip": "flex", "time": 1.3 },
    "camera": { "target": [-0.01, 1.335, 0], "yaw": 0.25, "pitch": 0.05, "distance": 1.95, "framed": true },
    "shown": { "skeleton": true },
    "compare": { "mode": "split", "deformers": ["linear_blend"], "split": 0.5 },
    "heat": { "kind": "difference" },
    "panels": { "tab": "Heat" }
  }'
}

# Runs the page, which writes the meshes.
make_python() {
  local python=/usr/bin/python3 name x=0
  if python3 -c 'import numpy' 2>/dev/null; then python=python3; fi
  PYTHONPATH=$root/runtime/python PELT_LIBRARY=$root/build/release/runtime/c/libpelt.so PYTHONDONTWRITEBYTECODE=1 \
    "$python" "$root/tests/runtime/python/run_document.py" "$root/docs/python.md" .
  for name in linear_blend surface_ffd; do
    echo "${name}_kept.obj $x 0"
    echo "${name}_crushed.obj $x 0 3"
    x=1.3
  done | parts scene scene.gltf
  pelt render scene.gltf --deformer linear-blend --yaw 0 --pitch 0 --size 2400x1280 -o python_large.png
  finish python_large.png -crop 2000x600+200+50 +repage -resize 50% python.png
}

make_curve_skeleton_compared() {
  pelt quality --radius 1 --write meshes
  local y=16 deformer
  for deformer in linear_blend dual_quaternion curve_skeleton; do
    echo "meshes/radius_1/${deformer}_bend_90.obj 0 $y"
    echo "meshes/radius_1/${deformer}_bend_135.obj 11 $y"
    echo "meshes/radius_1/${deformer}_twist_180.obj 22 $y"
    echo "meshes/radius_1/${deformer}_twist_450.obj 33 $y"
    y=$((y - 8))
  done | scene curve_skeleton_compared.png
}

make_curve_skeleton_limbs() {
  pelt quality --radius 0.5,1.5 --deformer curve-skeleton --write meshes
  local x=0 degrees
  for degrees in 45 90 120 150; do
    echo "meshes/radius_0.5/curve_skeleton_bend_$degrees.obj $x 9"
    echo "meshes/radius_1.5/curve_skeleton_bend_$degrees.obj $x 0"
    x=$((x + 10))
  done | scene scene.png
  labels 20 20 'radius 0.5' 20 370 'radius 1.5' 90 620 '45 degrees' 405 620 '90' 715 620 '120' 1030 620 '150'
  finish scene.png "${operations[@]}" curve_skeleton_limbs.png
}

make_mos_compared() {
  pelt quality --radius 1 --write meshes
  local y=108 deformer
  for deformer in linear_blend dual_quaternion mos; do
    echo "meshes/radius_1/${deformer}_bend_90.obj 0 ${y}e-1 meshes/radius_1/rest.obj 1 8"
    echo "meshes/radius_1/${deformer}_bend_135.obj 5.7 ${y}e-1 meshes/radius_1/rest.obj 1 8"
    echo "meshes/radius_1/${deformer}_twist_180.obj 11.2 ${y}e-1 meshes/radius_1/rest.obj 1 8"
    y=$((y - 54))
  done | scene scene.png
  labels 25 12 'bend 90' 258 12 'bend 135' 480 12 'twist 180' \
    816 196 'linear blend' 816 411 'dual quaternion' 816 626 'MOS'
  finish scene.png -crop 970x720+225+0 +repage "${operations[@]}" mos_compared.png
}

# Prints a rig of MOS for the built-in limb with the chain of docs/mos.md. points_rig EDITS
points_rig() {
  cat <<END
{
  "format": "pelt-rig 1",
  "layers": [{
    "deformer": "mos",
    "parameters": {
      "automatic": false,
      "chains": [{
        "name": "limb",
        "points": [
          { "name": "upper", "joint": "root", "offset": [1, 0, 0] },
          { "name": "before", "joint": "root", "offset": [3, 0, 0] },
          { "name": "elbow", "joint": "joint", "bisecting": true },
          { "name": "after", "joint": "joint", "offset": [1, 0, 0] },
          { "name": "lower", "joint": "joint", "offset": [3, 0, 0] }
        ]
      }],
      "edits": [$1]
    }
  }]
}
END
}

make_mos_figures() {
  local driver='"driver": { "joint": "joint", "axis": [0, 0, 1] }, "share": [[0, 0], '
  local by_45="${driver}[45, 1]]" by_90="${driver}[90, 1]]"
  points_rig '{ "operation": "bulge", "points": ["elbow"], "factor": 1.25, "pivot": [4, -1.5, 0], '"$by_90"' },
    { "operation": "scale", "points": ["before", "after"], "scale": [1, 1.35, 1.35], '"$by_90"' }' >3f.json
  points_rig '{ "operation": "bulge", "points": ["before"], "factor": 1.6, "pivot": [3, 1, 0], '"$by_45"' }' >10c.json
  points_rig '{ "operation": "slide", "points": ["before", "elbow"], "distance": 0.8, '"$by_45"' }' >10d.json
  points_rig '{ "operation": "scale", "points": ["elbow"], "scale": [1, 2, 2], '"$by_45"' }' >10e.json
  points_rig '{ "operation": "twist", "points": ["elbow"], "degrees": 90, "in_bind": false },
    { "operation": "twist", "points": ["after", "lower"], "degrees": 180, "in_bind": false }' >11a.json
  cat >bones.json <<'END'
{ "format": "pelt-rig 1", "layers": [{ "deformer": "mos", "parameters": { "points_per_joint": 0 } }] }
END

  # Writes the limb, bent by 90 degrees a second. bent OUT.obj SECONDS OPTION...
  bent() { pelt deform builtin:limb "${@:3}" --clip bend --time "$2" -o "$1"; }
  bent rest.obj 0 --deformer linear-blend
  bent 3d.obj 1 --deformer linear-blend
  bent bones.obj 1 --rig bones.json
  bent 3e.obj 1 --deformer mos
  bent 3f.obj 1 --rig 3f.json
  local figure
  for figure in 10c 10d 10e 11a; do bent "$figure.obj" 0.5 --rig "$figure.json"; done
  local x=0
  for figure in 3d bones 3e 3f; do
    echo "$figure.obj $x.2 5 rest.obj 1 8"
    x=$((x + 8))
  done >figures.txt
  x=0
  for figure in 10c 10d 10e 11a; do
    echo "$figure.obj $((x - 1)) 0 rest.obj 1 8"
    x=$((x + 8))
  done >>figures.txt
  scene scene.png <figures.txt
  labels 55 16 'Fig. 3D: linear blend' 320 16 'MOS, no points at the joint' 640 16 'Fig. 3E: MOS' 900 16 'Fig. 3F: bulge, scale' \
    60 440 'Fig. 10C: bulge' 350 440 'Fig. 10D: slide' 640 440 'Fig. 10E: scale' 930 440 'Fig. 11A: twist'
  finish scene.png -crop 1180x470+50+125 +repage "${operations[@]}" mos_figures.png
}

make_mos_tail() {
  cat >scaled.json <<'END'
{
  "format": "pelt-rig 1",
  "layers": [{
    "deformer": "mos",
    "parameters": {
      "edits": [{
        "operation": "scale", "points": ["tail_3"], "scale": [1, 1.8, 1.8],
        "driver": { "joint": "tail_4", "axis": [0, 0, 1] }, "share": [[-30, 1], [0, 0], [30, 1]]
      }]
    }
  }]
}
END
  pelt bind builtin:tail --deformer linear-blend -o blend.pelt
  pelt bind builtin:tail --deformer mos -o mos.pelt
  pelt bind builtin:tail --deformer dual-quaternion -o dual.pelt
  pelt bind builtin:tail --rig scaled.json -o scaled.pelt
  pelt deform blend.pelt -o rest.obj
  local x=0 how
  for how in blend dual mos scaled; do
    pelt deform "$how.pelt" --clip curl --time 0.85 -o "${how}_snake.obj"
    pelt deform "$how.pelt" --clip curl --time 2.2 -o "${how}_spiral.obj"
    echo "${how}_snake.obj ${x}e-2 1.43 rest.obj 0.06 12" >>tails.txt
    echo "${how}_spiral.obj ${x}e-2 0 rest.obj 0.06 12" >>tails.txt
    x=$((x + 142))
  done
  scene scene.png <tails.txt
  labels 50 16 'linear blend' 320 16 'dual quaternion' 610 16 'MOS' 890 16 'MOS, scaled by an edit'
  finish scene.png -crop 1180x420+50+150 +repage "${operations[@]}" mos_tail.png
}

make_mos_biped() {
  pelt render builtin:biped --clip flex --time 3.5 --preset biped --compare linear-blend,mos --size 1200x600 \
    -o mos_biped.png
}

make_mos_quadruped() {
  local lioness=$root/samples/rigs/lioness how seconds
  pelt bind "$lioness.glb" --deformer linear-blend -o 0.pelt
  pelt bind "$lioness.glb" --deformer dual-quaternion -o 1.pelt
  pelt bind "$lioness.glb" --rig "$lioness.json" -o 2.pelt
  for how in 0 1 2; do
    for seconds in 4 5; do
      pelt render "$how.pelt" --clip poses --time "$seconds" --yaw 75 --pitch 6 --size 1600x1280 -o whole.png
      convert whole.png -crop 1600x1120+0+60 +repage -resize 400x280 "${seconds}_$how.png"
    done
  done
  montage [45]_[012].png -tile 3x2 -geometry +2+2 montage.png
  labels 12 256 'linear blend' 416 256 'dual quaternion' 820 256 'MOS with points and edits'
  finish montage.png "${operations[@]}" +dither -colors 128 -depth 8 png8:mos_quadruped.png
}

make_muscles() {
  pelt bind builtin:arm --deformer curve-skeleton -o curve.pelt
  pelt bind builtin:arm --rig "$root/samples/rigs/arm_muscles.json" -o muscles.pelt
  local seconds
  for seconds in 0.00 0.75 1.50; do
    local pose=(--clip flex --time "$seconds" --frame elbow --yaw 0 --pitch 0 --size 480x270)
    pelt render curve.pelt "${pose[@]}" -o "0_$seconds.png"
    pelt render muscles.pelt "${pose[@]}" -o "1_$seconds.png"
    pelt render muscles.pelt "${pose[@]}" --driver -o "2_$seconds.png"
  done
  montage 0_*.png 1_*.png 2_*.png -tile 3x3 -geometry +2+2 montage.png
  labels 12 10 'curve skeleton' 12 284 'with muscles' 12 558 'the muscles'
  finish montage.png "${operations[@]}" muscles.png
}

make_correctives() {
  pelt bind builtin:biped --deformer linear-blend -o 0.pelt
  pelt bind builtin:biped --rig "$root/samples/rigs/biped_correctives.json" -o 1.pelt
  local i
  for i in 0 1; do
    local pose=(--clip flex --time 1.3 --size 1600x1400)
    pelt render "$i.pelt" "${pose[@]}" --frame left_forearm --yaw 20 -o whole.png
    convert whole.png -crop 960x800+100+280 +repage -resize 600x500 "arm_$i.png"
    pelt render "$i.pelt" "${pose[@]}" --frame left_shin --yaw 90 -o whole.png
    convert whole.png -crop 600x500+460+400 +repage "knee_$i.png"
  done
  montage {arm,knee}_[01].png -tile 2x2 -geometry +2+2 montage.png
  labels 16 12 'linear blend' 620 12 'with correctives'
  finish montage.png "${operations[@]}" correctives.png
}

make_hierarchical_ears() {
  python3 "$root/samples/rigs/surfaces.py" head head.glb .
  local rig seconds
  for rig in head_teeth head_ears; do
    pelt bind head.glb --rig "$rig.json" -o "$rig.pelt"
    for seconds in 1.15 1.27 1.38 1.55; do
      pelt render "$rig.pelt" --clip turn --time "$seconds" --yaw 0 --pitch 50 --size 1200x900 -o whole.png
      convert whole.png -crop 740x700+230+130 +repage -resize 370x350 "${rig}_$seconds.png"
    done
  done
  montage head_teeth_*.png head_ears_*.png -tile 4x2 -geometry +2+2 montage.png
  labels 12 12 'as the joints turn' 12 366 'secondary action'
  finish montage.png "${operations[@]}" hierarchical_ears.png
}

make_hierarchical_elbow() {
  pelt deform builtin:arm -o arm.obj
  python3 "$root/samples/rigs/surfaces.py" elbow arm.obj .
  local i
  for i in 1 2 3 4; do
    pelt bind builtin:arm --rig "elbow_$i.json" -o "$i.pelt"
    pelt render "$i.pelt" --clip flex --time 1.7 --yaw 0 --pitch 0 --size 2400x2000 -o "$i.png"
    convert "$i.png" -crop 960x800+1090+1100 +repage -resize 720x600 "$i.png"
  done
  montage [1234].png -tile 2x2 -geometry +2+2 montage.png
  labels 20 16 '1: the base alone' 744 16 '2: five finer vertices' 20 620 '3: the dimple mended' 744 620 '4: shaped'
  finish montage.png "${operations[@]}" hierarchical_elbow.png
}

make_hierarchical_head() {
  python3 "$root/samples/rigs/surfaces.py" head head.glb .
  local rig
  for rig in head_jaw head_teeth; do
    pelt bind head.glb --rig "$rig.json" -o "$rig.pelt"
    pelt render "$rig.pelt" --clip open --time 1 --yaw 40 --pitch 14 --size 2400x1800 -o "$rig.png"
  done
  pelt render head_jaw.pelt --yaw 40 --pitch 14 --size 2400x1800 -o head.png
  convert head.png head_jaw.png head_teeth.png -crop 1240x1240+450+290 +repage -resize 492x492 part.png
  montage part-[012].png -tile 3x1 -geometry +2+2 montage.png
  labels 20 16 'at rest' 516 16 'one attachment' 1012 16 'teeth locked'
  finish montage.png "${operations[@]}" hierarchical_head.png
}

make_hierarchical_hinge() {
  local limb time
  for limb in knuckle knee; do
    python3 "$root/samples/rigs/surfaces.py" "$limb" "$limb.glb" .
    for time in 0 1; do
      pelt render "$limb.glb" --rig "$limb.json" --clip bend --time "$time" --frame lower --yaw 125 --pitch 10 \
        --size 1800x1600 -o "${limb}_$time.png"
      convert "${limb}_$time.png" -crop 1560x1200+200+400 +repage -resize 370x284 "${limb}_$time.png"
    done
  done
  montage knuckle_[01].png knee_[01].png -tile 4x1 -geometry +2+2 montage.png
  finish montage.png hierarchical_hinge.png
}

# The rig is that of the page.
make_sculpture() {
  sed -n '/^<!-- file: sculpture.json -->$/,/^```$/{/^[<`]/d;p}' "$root/docs/sculpture.md" >sculpture.json
  pelt bind builtin:biped --paint -o hero.pelt
  pelt bind builtin:biped --paint --rig sculpture.json -o masked.pelt
  view 0.png 900x900 '{
    "playback": { "clip": "" }, "shown": { "skeleton": true, "ground": false },
    "camera": { "target": [0, 1.02, 0], "yaw": 0.35, "pitch": 0.05, "distance": 4.6, "framed": true },
    "panels": { "left": false, "right": false, "timeline": false }
  }'
  pelt render hero.pelt --weights left_upper_arm --yaw 20 --size 1600x1600 -o 1.png
  local pose=(--clip raise --time 1.44 --yaw 20 --frame left_upper_arm --size 740x1120)
  pelt render hero.pelt "${pose[@]}" -o 2.png
  pelt render masked.pelt "${pose[@]}" -o 3.png
  montage '(' 0.png -crop 370x560+265+170 ')' '(' 1.png -crop 560x848+520+80 -resize 370x560 ')' \
    '(' 2.png 3.png -resize 50% ')' -tile 4x1 -geometry 370x560+2+2 montage.png
  labels 12 8 'skeleton' 386 8 'weights' 760 8 'defaults' 1134 8 'mask'
  finish montage.png "${operations[@]}" sculpture.png
}

make_skeletonize() {
  pelt skeleton builtin:biped -o found.glb
  # From 100 m away the picture is 2 m high, whatever the depth: a metre is 480 pixels, and y = 0 is at 480 + 0.9 x 480.
  local camera='"target": [0, 0.9, 0], "pitch": 0, "distance": 100, "vertical_fov": 0.02, "framed": true'
  local hidden='"playback": { "clip": "" }, "shown": { "ground": false },
    "panels": { "left": false, "right": false, "timeline": false }'
  view front.png 960x960 '{ "camera": { "yaw": 0, '"$camera"' }, '"$hidden"' }'
  view side.png 960x960 '{ "camera": { "yaw": -1.5707963, '"$camera"' }, '"$hidden"' }'
  convert front.png -draw "$(parts joints found.glb 480 912 x 480)" front_joints.png
  convert side.png -draw "$(parts joints found.glb 480 912 z 480)" side_joints.png
  finish '(' front_joints.png -crop 700x930+130+30 ')' '(' side_joints.png -crop 330x930+320+30 ')' +append \
    skeletonize.png
}

make_surface_ffd_streamed() {
  cat >streamed.json <<'END'
{
  "format": "pelt-rig 1",
  "layers": [
    { "deformer": "surface_ffd", "parameters": { "driver": { "file": "cage.obj", "follow": "streamed" } } }
  ]
}
END
  parts wave cage.obj cage.pc2
  pelt bind builtin:limb --rig streamed.json -o limb.pelt
  pelt render limb.pelt --cache cage.pc2 --time 1 --driver -o large.png
  finish large.png -resize 50% surface_ffd_streamed.png
}

make_drape() {
  local models=$root/samples/garments seen=(--with cylinder.gltf --deformer linear-blend --size 1200x1000)
  parts cloth "$models/cloth_cage.obj" "$models/cloth_cage.pc2" coarse.obj cylinder.obj
  echo coarse.obj 0 0 | parts scene coarse.gltf
  echo cylinder.obj 0 0 2 | parts scene cylinder.gltf
  pelt bind "$models/cloth.glb" --rig "$models/cloth.json" -o cloth.pelt
  pelt render coarse.gltf "${seen[@]}" --wire -o 0.png
  # Checks of three quads; the cloth has rows of 37 vertices.
  pelt deform cloth.pelt --cache "$models/cloth_cage.pc2" --time 2 -o cloth.obj
  awk '/^v / { print "v", n % 37, 0, int(n / 37); n += 1; next } { print }' cloth.obj >quads.obj
  echo cloth.obj 0 0 quads.obj 3 0 | parts scene checks.gltf
  pelt render checks.gltf "${seen[@]}" -o 1.png
  montage [01].png -resize 50% -tile 2x1 -geometry +2+2 montage.png
  labels 14 10 'simulated' 618 10 'carried'
  finish montage.png "${operations[@]}" drape.png
}

# These show characters that are not in this repository; docs/quality.md lists their sources.
readonly of_blender=(blender_cage blender_face blender_learn blender_limb blender_panels)
readonly of_characters=(cage garment real_characters)

make_garment() {
  local body=$PELT_SHARED/assets/characters/mannequiny-0.3.0.glb
  pelt bind "$root/samples/garments/mannequiny_shirt.glb" --weights-of "$body" -o shirt.pelt
  pelt bind "$body" -o body.pelt
  pelt render body.pelt --with shirt.pelt --clip run --time 0.1 --size 1000x1200 -o run.png
  pelt render body.pelt --with shirt.pelt --clip fight_kick --time 0.6 --size 1000x1200 -o kick.png
  finish run.png kick.png -crop 920x1130+40+0 +repage +append -resize 60% garment.png
}

make_cage() {
  pelt bind "$PELT_SHARED/assets/characters/mannequiny-0.3.0.glb" \
    --rig "$root/samples/garments/mannequiny_cage.json" -o caged.pelt
  pelt render caged.pelt --clip fight_kick --time 0.6 --driver --size 2400x1600 -o large.png
  finish large.png -resize 50% cage.png
}

make_real_characters() {
  local characters=$PELT_SHARED/assets/characters pose=(--size 2400x640 --deformer surface-ffd)
  pose+=(--compare linear-blend,dual-quaternion,curve-skeleton,mos)
  pelt render "$characters/CesiumMan.glb" --clip clip_0 --time 0.4 --frame node_8 --yaw 70 "${pose[@]}" -o 0.png
  pelt render "$characters/mannequiny-0.3.0.glb" --clip fight_kick --time 0.5 --frame thigh.r "${pose[@]}" -o 1.png
  finish 0.png 1.png -append -resize 60% real_characters.png
}

# ----------------------------------------------------------------------------------------------------------------- all

make_document() {
  local name=$1
  echo "docs/$name.png"
  mkdir "$work/$name"
  cd "$work/$name"
  "make_$name" >log.txt
  mv "$name.png" "$root/docs/$name.png"
  cd "$root"
}

# Has the test write the views, all at once.
make_views() {
  echo "$views"
  touch "$work/begun"
  local status=0 picture
  env -u CI PELT_UPDATE_VIEWS=1 "$bin/viewer_views_test" --gtest_filter='ViewerViews.*' >"$work/log.txt" || status=$?
  if ((status == 77)); then status=0; fi  # it compared nothing, and counts as skipped
  for picture in $(list | grep "^$views/"); do
    if ((status != 0)) || [[ ! $picture -nt $work/begun ]]; then
      cat "$work/log.txt" >&2
      echo "pictures: $picture was not written" >&2
      exit 1
    fi
  done
}

if [[ ${1:-} == --list ]]; then
  list
  exit
fi
wanted=("$@")
if (($# == 0)); then mapfile -t wanted < <(list); fi
for picture in "${wanted[@]}"; do
  if ! list | grep -xF "$picture" >/dev/null; then
    echo "pictures: there is no recipe for '$picture'; --list says for which there are" >&2
    exit 2
  fi
done
for program in pelt pelt_viewer; do  # most pictures need no other
  if [[ ! -x $bin/$program ]]; then
    echo "pictures: $bin/$program is not there; ./run build makes it" >&2
    exit 1
  fi
done

work=$(mktemp -d "$root/build/pictures.XXXXXX")
trap 'rm -rf "$work"' EXIT
with_views=
for picture in "${wanted[@]}"; do
  if [[ $picture == "$views"/* ]]; then
    with_views=1
  elif [[ -z ${PELT_SHARED:-} && " ${of_characters[*]/%/.png} " == *" $(basename "$picture") "* ]]; then
    echo "$picture: stays as it is, since PELT_SHARED does not say where the characters are"
  elif [[ " ${of_blender[*]/%/.png} " == *" $(basename "$picture") "* ]] && ! command -v blender >/dev/null; then
    echo "$picture: stays as it is, since blender is not installed"
  else
    make_document "$(basename "$picture" .png)"
  fi
done
if [[ $with_views ]]; then make_views; fi
