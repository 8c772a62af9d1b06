// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <glm/glm.hpp>
#include <span>

#include <pelt/point_cache.h>
#include <pelt/result.h>

#include "engine/core/file_io.h"

namespace pelt::samples {

// Writes sample by sample, so that long caches need no memory.
class Pc2Writer {
 public:
  static Result<Pc2Writer> create(const std::filesystem::path& path, const Pc2Header& header);

  // Precondition: one position a point.
  Result<void> append(std::span<const glm::vec3> positions);

  // After the last sample.
  Result<void> commit() { return file_.commit(); }

 private:
  Pc2Writer(OutputFile file, const Pc2Header& header) : file_(std::move(file)), header_(header) {}
  OutputFile file_;
  Pc2Header header_;
};

}  // namespace pelt::samples
