# SPDX-License-Identifier: MIT
pelt_folder(character
  pose.cpp)
pelt_folder(authoring
  deformer.cpp
  HEADERS
  include/pelt/dual_quaternion.h)
