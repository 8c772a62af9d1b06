// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "engine/core/result.h"
#include "engine/skeletonize/skeletonize.h"

namespace pelt::samples {

struct SkeletonCommand {
  std::string model;
  std::string output;  // .glb
  SkeletonizeOptions options;
  bool json = false;
};

Result<void> run(const SkeletonCommand& command);

}  // namespace pelt::samples
