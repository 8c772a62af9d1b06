// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <glm/glm.hpp>
#include <span>

#include <pelt/point_cache.h>
#include <pelt/result.h>
#include <pelt/tools/file_io.h>

namespace pelt::samples {

// Writes a point cache sample by sample, so that a long one needs little memory.
class Pc2Writer {
 public:
  static Result<Pc2Writer> create(const std::filesystem::path& path, const Pc2Header& header);

  // Appends a sample. Precondition: one position a point.
  Result<void> append(std::span<const glm::vec3> positions);

  // Completes the file after the last sample.
  Result<void> commit() { return file_.commit(); }

 private:
  Pc2Writer(OutputFile file, const Pc2Header& header) : file_(std::move(file)), header_(header) {}
  OutputFile file_;
  Pc2Header header_;
};

}  // namespace pelt::samples
