# SPDX-License-Identifier: MIT
pelt_folder(character
  bounds.cpp character.cpp check_character.cpp check_palette.cpp driver_offsets.cpp normal_rings.cpp
  pelt_file.cpp
  HEADERS
  include/pelt/character.h include/pelt/normal_rings.h include/pelt/pelt_file.h include/pelt/pose_kernels.list)
pelt_folder(evaluation
  evaluate.cpp inspect.cpp
  HEADERS
  include/pelt/evaluate.h include/pelt/tools/inspect.h)
pelt_folder(glb
  pelt_gltf.cpp
  HEADERS
  include/pelt/pelt_gltf.h)
