# SPDX-License-Identifier: MIT
pelt_folder(character
  pose.cpp)
pelt_folder(authoring
  action_pull.cpp base.cpp bind.cpp control_mesh.cpp curve_attachment.cpp deformer.cpp frame_pass.cpp grid.cpp
  grid_places.cpp joints.cpp level_holds.cpp level_keys.cpp levels.cpp made_base.cpp mesh_places.cpp move_bound.cpp
  painting.cpp skin_places.cpp subdivision.cpp surface.cpp surface_vertices.cpp topology.cpp
  HEADERS
  include/pelt/hierarchical_bspline.h
  include/pelt/tools/surface_vertices.h)
