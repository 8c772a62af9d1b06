# SPDX-License-Identifier: MIT
pelt_folder(character
  pose.cpp)
pelt_folder(authoring
  action_pull.cpp bind.cpp deformer.cpp levels.cpp places.cpp surface.cpp
  HEADERS
  include/pelt/hierarchical_bspline.h)
