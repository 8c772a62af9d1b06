# SPDX-License-Identifier: MIT
if(PELT_SKELETONIZE)
  set(voxels voxels.cpp)
else()
  set(voxels no_voxels.cpp)
endif()
pelt_folder(authoring
  closed_parts.cpp force_field.cpp joints.cpp skeletonize.cpp trace.cpp ${voxels} weights.cpp
  HEADERS
  include/pelt/skeletonize.h)
