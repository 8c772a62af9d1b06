# SPDX-License-Identifier: MIT
pelt_folder(character
  action_line/pose.cpp key_pose/constant.cpp key_pose/move_driver.cpp key_pose/pose.cpp
  patch_frame/pose.cpp stream/pose.cpp vertex_frame/pose.cpp
  HEADERS
  key_pose/include/pelt/move_driver.h)
pelt_folder(authoring
  action_line/bind_muscle.cpp action_line/line.cpp action_line/muscles.cpp action_line/spindle.cpp
  build_character.cpp driver.cpp from_skin/armpits.cpp from_skin/joint_density.cpp from_skin/joint_spread.cpp
  from_skin/limb_sizing.cpp from_skin/shown_surface.cpp from_skin/spread_along.cpp from_skin/thinned_skin.cpp
  key_pose/bind.cpp vertex_frame/bind.cpp
  HEADERS
  include/pelt/driver.h)
