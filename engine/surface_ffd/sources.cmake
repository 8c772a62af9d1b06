# SPDX-License-Identifier: MIT
pelt_folder(character
  pose.cpp)
pelt_folder(authoring
  bind.cpp bspline_patch.cpp cut_error.cpp deformer.cpp driver.cpp driver_mesh.cpp driver_weights.cpp elements.cpp
  exclusions.cpp move_bound.cpp precision.cpp refine.cpp row_shaper.cpp rows.cpp
  HEADERS
  include/pelt/surface_ffd.h)
