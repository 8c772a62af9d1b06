# SPDX-License-Identifier: MIT
pelt_folder(authoring
  anatomy.cpp bind_judge.cpp faults.cpp figures.cpp judge.cpp make_verdict.cpp poses.cpp sample_poses.cpp verdict.cpp
  HEADERS
  include/pelt/fault.h include/pelt/judged_pose.h include/pelt/verdict.h)
