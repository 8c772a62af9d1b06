# SPDX-License-Identifier: MIT
pelt_folder(character
  morphs.cpp pack.cpp sparse_rows.cpp
  HEADERS
  include/pelt/morphs.h include/pelt/pack.h include/pelt/sparse_rows.h)
pelt_folder(evaluation
  apply_morphs.cpp blend.cpp blend_dual_quaternion.cpp blend_vertices.cpp)
pelt_folder(authoring
  morton_order.cpp table_rows.cpp)
