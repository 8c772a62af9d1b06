# SPDX-License-Identifier: MIT
pelt_folder(authoring
  bind.cpp bind_cost.cpp bind_progress.cpp build_skins.cpp carried_weights.cpp check_model.cpp fit_samples.cpp
  fit_weights.cpp garment.cpp gather_rows.cpp gltf_rig.cpp helper_joints.cpp layer_plan.cpp linear_fit.cpp
  make_levels.cpp merge_layers.cpp model_of.cpp move_bound.cpp not_carried.cpp transfer_rig.cpp
  HEADERS
  include/pelt/bind.h include/pelt/garment.h include/pelt/gltf_rig.h include/pelt/linear_fit.h
  include/pelt/make_levels.h include/pelt/model_of.h include/pelt/move_bound.h include/pelt/transfer_rig.h
  include/pelt/tools/not_carried.h include/pelt/tools/plan_bind.h include/pelt/tools/write_out.h)
