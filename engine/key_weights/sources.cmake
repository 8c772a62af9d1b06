# SPDX-License-Identifier: MIT
pelt_folder(character
  pose.cpp)
pelt_folder(authoring
  angle.cpp bind.cpp)
