# SPDX-License-Identifier: MIT
pelt_folder(character
  pose.cpp)
