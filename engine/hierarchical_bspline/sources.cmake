# SPDX-License-Identifier: MIT
pelt_folder(character
  pose.cpp)
pelt_folder(authoring
  action_pull.cpp bind.cpp control_mesh.cpp curve_attachment.cpp deformer.cpp frame_pass.cpp joints.cpp level_holds.cpp
  level_keys.cpp levels.cpp places.cpp surface.cpp surface_vertices.cpp
  HEADERS
  include/pelt/hierarchical_bspline.h
  include/pelt/tools/surface_vertices.h)
