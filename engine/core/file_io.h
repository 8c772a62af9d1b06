// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// The whole file. Errors: kNotFound, kReadFailed (a directory, say), and kUnsupported above `limit` bytes.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path,
                                         std::uint64_t limit = std::uint64_t{1} << 32);

// A file that is written piece by piece under a temporary name in the same folder, and renamed when it is whole:
// whoever reads `path` sees all of it or what was before. What is not committed is removed. Move-only.
class OutputFile {
 public:
  // Errors: kWriteFailed where the folder cannot be written, or `path` exists and is no regular file.
  static Result<OutputFile> create(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;

  Result<void> write(std::span<const std::byte> bytes);

  // Nothing can be written after it.
  Result<void> commit();

 private:
  OutputFile() = default;
  tl::unexpected<Error> failed(const std::string& why) const;

  std::filesystem::path path_;
  std::filesystem::path temporary_;  // empty: committed, or moved from
  std::ofstream stream_;
};

// A whole OutputFile.
Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace pelt
