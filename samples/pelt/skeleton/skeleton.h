// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include <pelt/named_files.h>
#include <pelt/result.h>
#include <pelt/skeletonize.h>

namespace pelt::samples {

struct SkeletonCommand {
  std::string model;
  std::string output;                      // .glb
  NamedFiles files = NamedFiles::kFolder;  // those that the model may name
  SkeletonizeOptions options;
  bool json = false;
};

Result<void> run(const SkeletonCommand& command);

}  // namespace pelt::samples
