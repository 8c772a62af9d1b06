# SPDX-License-Identifier: MIT
pelt_folder(character
  apply_morphs.cpp blend.cpp blend_dual_quaternion.cpp blend_vertices.cpp morphs.cpp pack.cpp sparse_rows.cpp
  HEADERS
  include/pelt/morphs.h include/pelt/pack.h include/pelt/sparse_rows.h)
pelt_folder(authoring
  morton_order.cpp table_rows.cpp)
