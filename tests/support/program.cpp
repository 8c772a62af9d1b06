// SPDX-License-Identifier: MIT
#include "tests/support/program.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#ifndef _WIN32
#include <sys/wait.h>
#endif

namespace pelt::test {
namespace {

// Returns the output of a program, with \n at the end of each line on every system.
std::string printed_text(const std::filesystem::path& path) {
  std::ifstream stream(path);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

Outcome run_program(const std::string& program, const std::string& arguments, const std::filesystem::path& folder) {
  const TemporaryFolder streams;
#ifdef _WIN32
  const std::string command = "cd /d \"" + folder.string() + "\" && \"" + program + "\" " + arguments + " <NUL >\"" +
                              (streams / "out").string() + "\" 2>\"" + (streams / "err").string() + "\"";
  const int exit_status = std::system(command.c_str());
#else
  const std::string command = "{ cd '" + folder.string() + "' && '" + program + "' " + arguments + "; } </dev/null >'" +
                              (streams / "out").string() + "' 2>'" + (streams / "err").string() + "'";
  const int status = std::system(command.c_str());
  const int exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
#endif
  return {exit_status, printed_text(streams / "out"), printed_text(streams / "err")};
}

std::optional<std::string> find_python_with_numpy() {
  for (const std::string program : {"python3", "/usr/bin/python3"}) {
    if (run_program(program, "-c 'import numpy'").status == 0) return program;
  }
  return std::nullopt;
}

TemporaryFolder::TemporaryFolder() {
  std::random_device random;
  std::error_code code;
  do {
    path_ = std::filesystem::temp_directory_path() / ("pelt_test_" + std::to_string(random()));
  } while (!std::filesystem::create_directory(path_, code) && !code);
  if (code) ADD_FAILURE() << path_ << " cannot be made: " << code.message();
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code code;
  std::filesystem::remove_all(path_, code);
}

std::filesystem::path TemporaryFolder::write(const std::filesystem::path& name, std::string_view contents) const {
  const std::filesystem::path file = path_ / name;
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << contents;
  return file;
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace pelt::test
