# SPDX-License-Identifier: MIT
pelt_folder(character
  pose.cpp)
pelt_folder(evaluation
  pose_lanes.cpp)
pelt_folder(authoring
  b_spline.cpp bind.cpp cage.cpp cage_points.cpp cloud.cpp control_points.cpp deformer.cpp edits.cpp
  inverse_distance.cpp joint_spread.cpp presets.cpp radial_basis.cpp slide_points.cpp table.cpp thickness.cpp
  windows.cpp
  HEADERS
  include/pelt/mos.h include/pelt/mos_presets.h)
