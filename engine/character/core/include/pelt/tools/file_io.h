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

// Returns a file's size, bytes. Errors: those of read_file, but for what only reading shows.
Result<std::uintmax_t> size_of_file(const std::filesystem::path& path, std::uint64_t limit);

// Reads a whole file. Errors: kNotFound, kReadFailed (a directory, for example), and kUnsupported above `limit` bytes.
Result<std::vector<std::byte>> read_file(const std::filesystem::path& path,
                                         std::uint64_t limit = std::uint64_t{1} << 32);

// A file that is written piece by piece under a temporary name in the same folder, and renamed by commit: a reader of
// `path` sees either all of it or the previous file, also after a crash of the system. The temporary file is a new one
// of a random name, never one that is there, or a link. Without a commit it is removed. Move-only.
class OutputFile {
 public:
  // Errors: kWriteFailed if the folder cannot be written, or if `path` exists and is not a regular file.
  static Result<OutputFile> create(const std::filesystem::path& path);
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&& other) noexcept;

  Result<void> write(std::span<const std::byte> bytes);

  // Finishes the file. Nothing can be written after it.
  Result<void> commit();

 private:
  OutputFile() = default;
  tl::unexpected<Error> failed(const std::string& why) const;
  void remove_temporary();

  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  std::filesystem::path path_;
  std::filesystem::path temporary_;             // empty: committed, or moved from
  std::size_t remembered_ = 0;                  // for remove_unfinished_files
  std::unique_ptr<std::FILE, CloseFile> file_;  // none: closed
};

// Removes the temporary files of all OutputFiles of the process, of 64 at most. Only for a signal's handler, in which
// it may be called, of a process that then ends: what is written after it is lost.
void remove_unfinished_files() noexcept;

// Writes a whole file through an OutputFile.
Result<void> write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

}  // namespace pelt
