# SPDX-License-Identifier: MIT
pelt_folder(character
  bounds.cpp character.cpp check_character.cpp check_palette.cpp clip_twists.cpp driver_offsets.cpp evaluate.cpp inspect.cpp
  normal_rings.cpp pelt_file.cpp pelt_gltf.cpp
  HEADERS
  include/pelt/character.h include/pelt/clip_twists.h include/pelt/evaluate.h
  include/pelt/normal_rings.h include/pelt/pelt_file.h include/pelt/pelt_gltf.h include/pelt/pose_kernels.list
  include/pelt/tools/inspect.h)
