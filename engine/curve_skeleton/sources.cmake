# SPDX-License-Identifier: MIT
pelt_folder(character
  pose.cpp)
pelt_folder(evaluation
  pose_lanes.cpp)
pelt_folder(authoring
  bind.cpp deformer.cpp resolve_curves.cpp
  HEADERS
  include/pelt/curve_skeleton.h)
