// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "engine/core/result.h"

namespace pelt {

// The whole file. Errors: kNotFound, kReadFailed (a directory, say), and kUnsupported above `limit` bytes.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path,
                                         std::uint64_t limit = std::uint64_t{1} << 32);

// Writes to a temporary name in the same folder, then renames: whoever reads `path` sees all of it or what was before.
Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace pelt
