# SPDX-License-Identifier: MIT
pelt_folder(authoring
  bind_model.cpp bind_report.cpp model_quality.cpp
  HEADERS
  include/pelt/tools/bind_model.h include/pelt/tools/bind_report.h include/pelt/tools/model_quality.h)
