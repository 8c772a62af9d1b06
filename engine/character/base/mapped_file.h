// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>

#include <pelt/result.h>

namespace pelt {

// A read-only view of a file's bytes in the system's cache, valid until destruction. If another program shortens the
// file meanwhile or its disk fails, the next access ends this program (SIGBUS); Windows refuses to let others shorten
// it. Move-only.
class MappedFile {
 public:
  // Errors: those of read_file.
  static Result<MappedFile> open(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{1} << 32);
  ~MappedFile();
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  MappedFile() = default;

  std::span<const std::byte> bytes_;  // empty: nothing is mapped
};

}  // namespace pelt
