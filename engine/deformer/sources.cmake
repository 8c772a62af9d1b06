# SPDX-License-Identifier: MIT
pelt_folder(authoring
  bind_painted.cpp blend_groups.cpp builder.cpp cage_mesh.cpp correctives.cpp find_cage.cpp placed_level.cpp region.cpp
  rigid_parts.cpp table_writer.cpp weight_gradients.cpp
  HEADERS
  include/pelt/bind_report.h)
