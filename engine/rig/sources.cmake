# SPDX-License-Identifier: MIT
pelt_folder(authoring
  check_parameters.cpp curve_keys.cpp fields.cpp joint_names.cpp joint_roles.cpp json_fields.cpp json_parse.cpp
  json_schema.cpp key_pose.cpp rig.cpp rig_json.cpp rig_names.cpp rig_reference.cpp selection.cpp
  HEADERS
  include/pelt/curve_keys.h include/pelt/deformer_parameters.h include/pelt/key_pose.h include/pelt/rig.h
  include/pelt/rig_json.h include/pelt/rig_names.h include/pelt/selection.h
  include/pelt/tools/curve_place.h include/pelt/tools/fields.h include/pelt/tools/index_ranges.h
  include/pelt/tools/joint_names.h include/pelt/tools/joint_roles.h include/pelt/tools/json_fields.h)
