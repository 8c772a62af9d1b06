// SPDX-License-Identifier: MIT
#include "samples/pelt/pc2.h"

#include <bit>
#include <cassert>

#include <pelt/try.h>

namespace pelt::samples {

static_assert(std::endian::native == std::endian::little, "values are copied as they are");
static_assert(sizeof(glm::vec3) == 12);

Result<Pc2Writer> Pc2Writer::create(const std::filesystem::path& path, const Pc2Header& header) {
  PELT_ASSIGN(auto file, OutputFile::create(path));
  PELT_TRY(file.write(std::as_bytes(std::span(&header, 1))));
  return Pc2Writer(std::move(file), header);
}

Result<void> Pc2Writer::append(std::span<const glm::vec3> positions) {
  assert(positions.size() == static_cast<std::size_t>(header_.points));
  return file_.write(std::as_bytes(positions));
}

}  // namespace pelt::samples
