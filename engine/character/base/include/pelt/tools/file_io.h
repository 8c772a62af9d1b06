// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// Returns a file's size, bytes. Errors: those of read_file that occur before reading.
Result<std::uintmax_t> size_of_file(const std::filesystem::path& path, std::uint64_t limit);

// Reads a whole file. Errors: kNotFound; kReadFailed, for example for a directory; kUnsupported above `limit` bytes.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path,
                                         std::uint64_t limit = std::uint64_t{1} << 32);

// A file that is written piece by piece under a temporary name in the same folder, and renamed by commit: readers of
// `path` see either the whole file or the previous one, even after a system crash. The temporary file is always new,
// with a random name: never an existing file or link. Without a commit it is removed. Move-only.
class OutputFile {
 public:
  // Errors: kWriteFailed if the folder is not writable, or if `path` exists and is not a regular file.
  static Result<OutputFile> create(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;

  Result<void> write(std::span<const std::byte> bytes);

  // Finishes the file; it cannot be written afterwards.
  Result<void> commit();

 private:
  OutputFile() = default;
  tl::unexpected<Error> failed(const std::string& why) const;
  void remove_temporary();

  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path path_;
  std::filesystem::path temporary_;             // empty: committed or moved from
  std::size_t remembered_ = 0;                  // for remove_unfinished_files
  std::unique_ptr<std::FILE, CloseFile> file_;  // null: closed
};

// Removes the temporary files of all OutputFiles of the process, at most 64. Only for a signal handler of a process
// that then ends; it is safe to call in one. Anything written afterwards is lost.
void remove_unfinished_files() noexcept;

// Writes a whole file through an OutputFile.
Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace pelt
