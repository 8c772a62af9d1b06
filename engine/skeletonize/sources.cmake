# SPDX-License-Identifier: MIT
pelt_folder(authoring
  closed_parts.cpp force_field.cpp joints.cpp skeletonize.cpp trace.cpp voxels.cpp weights.cpp
  HEADERS
  include/pelt/skeletonize.h)
