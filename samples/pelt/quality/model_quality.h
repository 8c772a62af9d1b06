// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <pelt/result.h>
#include <pelt/tools/model_quality.h>

namespace pelt::samples {

struct ModelQualityCommand {
  std::string model;  // a file or builtin:NAME
  ModelQualityOptions options;
  bool json = false;
};

// Prints what measure_model_quality finds: docs/quality.md.
Result<void> run(const ModelQualityCommand& command);

}  // namespace pelt::samples
