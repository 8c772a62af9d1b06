# SPDX-License-Identifier: MIT
# The pictures that docs/figures.md has and no other page; docs/pictures.sh, which includes this file, makes them.

# Writes pictures of the viewer without its panels and menu: each line of standard input is NAME.png SETTINGS, added to
# those before. H includes 24 pixels of the menu. viewer_pictures WxH MODEL [OPTION...]
viewer_pictures() {
  local name settings names=()
  {
    echo '{ "format": "pelt-view 1", "steps": [{ "bind": true, "set": { "playback": { "clip": "" },
      "shown": { "ground": false }, "panels": { "left": false, "right": false, "timeline": false } } }'
    while read -r name settings; do
      names+=("$name")
      echo ", { \"set\": { $settings }, \"picture\": \"$name\" }"
    done
    echo ']}'
  } >steps.json
  "$bin/pelt_viewer" "${@:2}" --headless --size "$1" --script steps.json -o .
  mogrify -gravity North -chop 0x24 "${names[@]}"
}

# Prints the setting of a camera that looks at (X, Y, 0). camera X Y YAW DISTANCE
camera() {
  echo "\"camera\": { \"target\": [$1, $2, 0], \"yaw\": $3, \"pitch\": 0.05, \"distance\": $4, \"framed\": true }"
}

# Joins pictures, scaled to WxH and with a text below each, in rows of N. tiles OUT.png N WxH [TEXT PICTURE.png]...
tiles() {
  local out=$1 row=$2 size=$3 labelled=()
  shift 3
  while (($# > 0)); do
    labelled+=(-label "$1" "$2")
    shift 2
  done
  montage -font DejaVu-Sans -pointsize 13 -fill '#303030' -background '#e4e4e6' "${labelled[@]}" \
    -tile "${row}x" -geometry "$size+2+2" montage.png
  finish montage.png -dither FloydSteinberg -colors 128 -depth 8 "png8:$out"
}

# Prints a rig of one layer for all meshes. layer DEFORMER PARAMETERS [KEYS]
layer() {
  echo "{ \"format\": \"pelt-rig 1\", ${3:-} \"layers\": [{ \"deformer\": \"$1\", \"parameters\": { $2 } }] }"
}

make_surface_ffd_figures() {
  layer surface_ffd '"driver": { "triangles": 1000 }' '"check": "none",' >cage.json
  viewer_pictures 640x744 cage.json --model builtin:biped <<END
1.png $(camera 0 0.95 0.35 4.2), "shown": { "drivers": true }
4_left.png $(camera 0 0.98 0.35 4.2), "playback": { "clip": "flex", "time": 1.3 }, \
  "shown": { "skin": false, "skeleton": true }
4_right.png "shown": { "skin": true, "drivers": false, "skeleton": false }
END
  parts pose "$root/samples/garments/belly.glb" wave.glb left_shoulder:z:15 left_upper_arm:z:75 left_forearm:z:60 \
    right_upper_arm:y:70 right_forearm:y:40
  pelt bind "$root/samples/garments/belly_shirt.glb" --driver wave.glb -o shirt.pelt
  viewer_pictures 640x744 wave.glb --with shirt.pelt <<END
3.png $(camera 0.12 1.42 0.17 2.4), "playback": { "clip": "pose", "time": 1 }
END

  # Weights by distance only, which fade slowly; then no leg follows the other.
  local keys='"mode": "basic", "local": 1.5, "distance_unit": 0.05, "elements": 400, "driver": { "triangles": 1500 }'
  local left='{ "name": "left", "region": { "box": { "min": [0.002, 0, -1], "max": [1, 0.93, 1] } } }'
  local right='{ "name": "right", "region": { "box": { "min": [-1, 0, -1], "max": [-0.002, 0.93, 1] } } }'
  local apart='"exclude": [{ "elements": "left", "vertices": "right" }, { "elements": "right", "vertices": "left" }]'
  layer surface_ffd "$keys" '"check": "none",' >5_near.json
  layer surface_ffd "$keys, $apart" "\"check\": \"none\", \"groups\": [$left, $right]," >5_apart.json
  parts pose "$root/engine/authoring/model/builtin/biped.glb" legs.glb right_thigh:z:-50
  local figure
  for figure in 5_near 5_apart; do
    pelt render legs.glb --rig "$figure.json" --clip pose --time 1 --yaw 0 --pitch 0 --size 1280x1440 -o "$figure.png"
    mogrify -crop 480x540+400+560 +repage "$figure.png"
  done
  tiles surface_ffd_figures.png 3 288x324 '1: the driver on a character' 1.png \
    '4 left: the driver on its skeleton' 4_left.png '4 right: the skin' 4_right.png '3: a shirt on a raised arm' 3.png \
    '5: by distance one thigh pulls the other' 5_near.png '5: with exclusions it does not' 5_apart.png
}

make_curve_skeleton_figures() {
  layer curve_skeleton '' >curve.json
  local left='{ "joint": "left_thigh", "rotation": [-0.5, 0, 0.3, 0.81] }'
  local right='{ "joint": "right_thigh", "rotation": [0.2, 0, -0.1, 0.97] }'
  viewer_pictures 480x624 curve.json --model builtin:biped <<END
4a_1.png $(camera 0 1 0.35 4.2), "playback": { "clip": "flex", "time": 3.5 }
4a_2.png $(camera -0.1 1 0.35 4.2), "playback": { "clip": "reach", "time": 1.1 }
4a_3.png $(camera 0 0.75 0.6 4.2), "playback": { "clip": "squat", "time": 1.3 }
4b.png $(camera 0 1 0.35 4.2), "playback": { "clip": "" }, "shown": { "curves": true, "skin": false }
6a.png $(camera 0.2 1.35 0.2 1.9), "playback": { "clip": "raise", "time": 0.7 }, "shown": { "skin": true }
6b.png $(camera 0 0.85 0 2.2), "playback": { "clip": "" }, "turns": [$left, $right]
6c.png $(camera 0 0.85 1.4 2.2)
END
  layer curve_skeleton '"frames": "tangent"' >tangent.json
  viewer_pictures 480x624 tangent.json --model builtin:limb <<END
1_0.png $(camera 4 2 0 22), "shown": { "curves": true }
1_1.png $(camera 4.5 1 0 13), "playback": { "clip": "bend", "time": 0.5 }, \
  "shown": { "skin": false, "skeleton": true }
1_2.png "playback": { "clip": "bend", "time": 1.2 }
END
  tiles curve_skeleton_figures.png 5 220x275 '4a: stretched poses' 4a_1.png '4a' 4a_2.png '4a' 4a_3.png \
    '4b: the curves' 4b.png '6a: a shoulder' 6a.png '6b: hips' 6b.png '6c: from the side' 6c.png \
    '1a1: a limb and its curve' 1_0.png '1a2: rounder, the more' 1_1.png '1a2: the joint bends' 1_2.png
}

# Prints a rig of muscles and the layers over a curve skeleton that move the skin near them.
# muscle_rig JOINTS WRING [NAME FROM OFFSET TO OFFSET RADIUS]...
muscle_rig() {
  local joints=$1 wring=$2 muscles='' layers='{ "deformer": "curve_skeleton" }'
  shift 2
  while (($# > 0)); do
    muscles+="${muscles:+, }{ \"name\": \"$1\", \"from\": { \"joint\": \"$2\", \"offset\": [$3] }, \"radius\": $6,
      \"to\": { \"joint\": \"$4\", \"offset\": [$5] },
      \"points\": [{ \"at\": 0.25 }, { \"at\": 0.5 }, { \"at\": 0.75 }],
      \"bulge\": 1.5, \"wring\": $wring }"
    layers+=", { \"deformer\": \"surface_ffd\", \"parameters\": { \"driver\": { \"mesh\": \"$1\" } },
      \"mask\": { \"joints\": [$joints], \"near\": { \"mesh\": \"$1\", \"falloff\": 0.03 } } }"
    shift 6
  done
  echo "{ \"format\": \"pelt-rig 1\", \"muscles\": [$muscles], \"layers\": [$layers] }"
}

make_muscle_figures() {
  # Checks show how the twist is distributed.
  layer curve_skeleton '' >even.json
  local late='"joint": "elbow", "to": "wrist", "twist": [[0, 0], [0.3, 0.08], [0.6, 0.35], [1, 1]]'
  layer curve_skeleton "\"bones\": [{ $late }]" >late.json
  pelt deform builtin:arm --deformer linear-blend -o rest.obj
  pelt deform builtin:arm --rig even.json --clip twist --time 2.5 -o even.obj
  pelt deform builtin:arm --rig late.json --clip twist --time 2.5 -o late.obj
  scene 3a.png <<<$'even.obj 0 0.25 rest.obj 0.04 12\nlate.obj 0 0 rest.obj 0.04 12'
  muscle_rig '"shoulder", "elbow", "wrist"' true biceps shoulder '0, 0.024, 0' elbow '0.045, 0.014, 0' 0.022 \
    triceps shoulder '0, -0.022, 0' elbow '0, -0.022, 0' 0.02 \
    flexor elbow '-0.02, 0.005, 0.022' wrist '0, 0.004, 0.015' 0.014 \
    extensor elbow '-0.02, -0.005, -0.022' wrist '0, -0.004, -0.015' 0.014 >arm.json
  viewer_pictures 600x424 arm.json --model builtin:arm <<END
3b_0.png $(camera 0.36 0.02 0 1.05), "shown": { "drivers": true, "skin": false }
3b_1.png "playback": { "clip": "twist", "time": 2.5 }
3b_2.png "shown": { "drivers": false, "skin": true }
5b.png $(camera 0.26 0.17 0 1.05), "playback": { "clip": "flex", "time": 1.5 }, \
  "turns": [{ "joint": "wrist", "rotation": [0.8, 0, 0, 0.6] }]
5a.png "shown": { "drivers": true, "skin": false }
END
  muscle_rig '"chest", "neck", "head"' false left chest '0.018, 0.225, 0.045' head '0.055, 0.02, -0.02' 0.016 \
    right chest '-0.018, 0.225, 0.045' head '-0.055, 0.02, -0.02' 0.016 >neck.json
  viewer_pictures 600x424 neck.json --model builtin:biped <<END
5d.png $(camera 0 1.52 0.3 0.75), \
  "turns": [{ "joint": "head", "rotation": [0, 0.4, 0, 0.92] }, { "joint": "neck", "rotation": [0, 0.2, 0, 0.98] }]
5c.png "shown": { "drivers": true, "skin": false, "skeleton": true }
END
  tiles muscle_figures.png 4 290x193 '3a: even twist, and mostly at the wrist' 3a.png '3b: muscles at rest' 3b_0.png \
    '3b: as the arm twists' 3b_1.png '3b: the skin' 3b_2.png '5a: bend and twist' 5a.png '5b: the skin' 5b.png \
    '5c: a neck' 5c.png '5d: the skin' 5d.png
}

make_hierarchical_figures() {
  parts sheet .
  echo sheet.obj 0 0 | parts scene sheet.gltf
  local figure tile=(--yaw 30 --pitch 25 --size 600x500)
  for figure in 2a 2b 2c 2d 2e 2f 9; do
    pelt render sheet.gltf --rig "$figure.json" --show levels "${tile[@]}" -o "$figure.png"
  done
  pelt render sheet.gltf --rig 2a.json --weights 'surface vertex 40' "${tile[@]}" -o before.png
  pelt render sheet.gltf --rig 2a.json --weights 'surface level 1 vertex 0' "${tile[@]}" -o after.png
  mogrify -crop 500x405+50+45 +repage 2?.png 9.png before.png after.png
  python3 "$root/samples/rigs/surfaces.py" head head.glb .
  pelt render head.glb --rig head_teeth.json --show levels --yaw 40 --pitch 14 --size 600x504 -o worst.png
  tiles hierarchical_figures.png 5 228x192 '2a: edits of levels 1 and 2' 2a.png '2b: a vertex of the base' 2b.png \
    '2c: two of level 1' 2c.png '2d: five of level 3' 2d.png 'Worst: levels of a head' worst.png '2e: b undone' 2e.png \
    '2f: c undone' 2f.png '9: as 2b, offsets not turned' 9.png '**a: moved by a vertex' before.png \
    '**b: one level finer' after.png
}

make_mos_poses() {
  layer mos '' >mos.json
  local garments=$root/samples/garments
  parts pose "$garments/belly.glb" body.glb left_upper_arm:z:40 left_forearm:z:70
  pelt bind "$garments/belly_shirt.glb" --weights-of body.glb --deformer mos -o shirt.pelt
  viewer_pictures 480x504 mos.json --model body.glb --with shirt.pelt <<END
5a.png $(camera 0 0.95 0 4.2), "shown": { "skeleton": true }
5b.png $(camera 0.33 1.38 0 1.3), "shown": { "skeleton": false, "control_points": true }
6b.png "playback": { "clip": "pose", "time": 1 }
6a.png $(camera 0 0.95 0 4.2), "shown": { "skeleton": true, "control_points": false }
END
  points_rig '' >10.json
  points_rig '{ "operation": "twist", "points": ["elbow"], "degrees": 90, "in_bind": false },
    { "operation": "twist", "points": ["after", "lower"], "degrees": 180, "in_bind": false }' >11.json
  viewer_pictures 480x504 10.json --model builtin:limb <<END
10a.png $(camera 4 1.5 0 20), "shown": { "control_points": true }
10b.png "playback": { "clip": "bend", "time": 0.5 }
END
  viewer_pictures 480x504 11.json --model builtin:limb <<END
11b.png $(camera 4.6 0.7 0 6), "playback": { "clip": "bend", "time": 0.5 }, \
  "shown": { "control_points": true, "frames": true, "skin": false }
END
  pelt render builtin:arm --deformer linear-blend --clip flex --time 2 --yaw 0 --pitch 0 --size 480x480 -o 2.png
  tiles mos_poses.png 4 280x280 '5A: initial pose' 5a.png '5B, 7: shirt, skin and points' 5b.png \
    '6A: final pose' 6a.png '6B, 9: the same' 6b.png '10A: a limb and its points' 10a.png '10B: bent' 10b.png \
    '11B: frames of twisted points' 11b.png '2A, 2B: linear blend' 2.png
}
