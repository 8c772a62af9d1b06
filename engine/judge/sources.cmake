# SPDX-License-Identifier: MIT
pelt_folder(authoring
  anatomy.cpp bind_judge.cpp faults.cpp figures.cpp judge.cpp make_verdict.cpp poses.cpp sample_poses.cpp verdict.cpp
  HEADERS
  include/pelt/fault.h include/pelt/judged_pose.h include/pelt/verdict.h include/pelt/tools/judge.h
  include/pelt/tools/judge_figures.h include/pelt/tools/judge_faults.h include/pelt/tools/judge_poses.h
  include/pelt/tools/sample_poses.h)
