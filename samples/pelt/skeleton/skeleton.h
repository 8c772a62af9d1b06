// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <pelt/result.h>
#include <pelt/skeletonize.h>

namespace pelt::samples {

struct SkeletonCommand {
  std::string model;
  std::string output;  // .glb
  SkeletonizeOptions options;
  bool json = false;
};

Result<void> run(const SkeletonCommand& command);

}  // namespace pelt::samples
