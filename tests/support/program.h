// SPDX-License-Identifier: MIT
// Runs programs of the build as a user runs them.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pelt::test {

struct Outcome {
  int status = -1;     // exit status; -1: ended by a signal
  std::string output;  // standard output
  std::string errors;  // standard error
};

// Runs a program in `folder`, with `arguments` as in a shell and nothing on standard input.
Outcome run_program(const std::string& program, const std::string& arguments,
                    const std::filesystem::path& folder = std::filesystem::current_path());

// Returns a Python that has NumPy, or none.
std::optional<std::string> find_python_with_numpy();

// An empty folder of its own, removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

  // Writes a file, makes the folders that it needs, and returns its path.
  std::filesystem::path write(const std::filesystem::path& name, std::string_view contents) const;

 private:
  std::filesystem::path path_;
};

// Returns all bytes of a file; empty if there is no file.
std::string file_text(const std::filesystem::path& path);

}  // namespace pelt::test
