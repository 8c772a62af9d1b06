// SPDX-License-Identifier: MIT
// Files are written whole, under names that nobody can guess.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#ifndef _WIN32
#include <unistd.h>
#endif

#include <csignal>
#include <filesystem>
#include <string>

#include <pelt/tools/file_io.h>

#include "samples/interrupts.h"
#include "tests/support/must.h"
#include "tests/support/program.h"

namespace pelt {
namespace {

std::span<const std::byte> bytes_of(std::string_view text) { return std::as_bytes(std::span(text)); }

std::ptrdiff_t file_count(const test::TemporaryFolder& folder) {
  return std::distance(std::filesystem::directory_iterator(folder.path()), {});
}

TEST(OutputFile, IsThereOnlyWhenItIsWhole) {
  const test::TemporaryFolder folder;
  folder.write("x", "old");
  {
    OutputFile file = test::must(OutputFile::create(folder / "x"));
    EXPECT_TRUE(file.write(bytes_of("new")));
    EXPECT_EQ(test::file_text(folder / "x"), "old");
    OutputFile moved = std::move(file);
    EXPECT_TRUE(moved.commit());
    EXPECT_EQ(test::file_text(folder / "x"), "new");
  }
  {
    OutputFile left = test::must(OutputFile::create(folder / "x"));
    EXPECT_TRUE(left.write(bytes_of("never")));
  }
  EXPECT_EQ(test::file_text(folder / "x"), "new");
  EXPECT_EQ(file_count(folder), 1);
}

TEST(OutputFile, HasATemporaryFileOfItsOwn) {
  const test::TemporaryFolder folder;
  OutputFile first = test::must(OutputFile::create(folder / "x"));
  OutputFile second = test::must(OutputFile::create(folder / "x"));
  EXPECT_EQ(file_count(folder), 2);
  EXPECT_TRUE(first.write(bytes_of("first")));
  EXPECT_TRUE(second.write(bytes_of("second")));
  EXPECT_TRUE(first.commit());
  EXPECT_EQ(test::file_text(folder / "x"), "first");
  EXPECT_TRUE(second.commit());
  EXPECT_EQ(test::file_text(folder / "x"), "second");
}

// A user who can write to the folder must not be able to redirect the written file by a link.
#ifndef _WIN32
TEST(OutputFile, FollowsNoLinkThatLiesInItsWay) {
  const test::TemporaryFolder folder;
  folder.write("victim", "precious");
  for (const std::string& name : {std::string("x.tmp"), "x." + std::to_string(::getpid()) + ".tmp"}) {
    std::filesystem::create_symlink(folder / "victim", folder / name);
  }
  EXPECT_TRUE(write_file(folder / "x", bytes_of("new")));
  EXPECT_EQ(test::file_text(folder / "victim"), "precious");
  EXPECT_EQ(test::file_text(folder / "x"), "new");
  EXPECT_FALSE(std::filesystem::is_symlink(folder / "x"));
}
#endif

TEST(OutputFile, SaysWhyItCannotBeWritten) {
  const test::TemporaryFolder folder;
  EXPECT_THAT(write_file(folder / "none/x", bytes_of("new")).error().message,
              testing::EndsWith("none/x: cannot be written: No such file or directory"));
  EXPECT_THAT(write_file(folder.path(), bytes_of("new")).error().message, testing::EndsWith("not a regular file"));
}

#ifndef _WIN32
TEST(OutputFileDeathTest, IsGoneWhenASignalEndsTheProgram) {
  const test::TemporaryFolder folder;
  const auto write_until = [&](int signal) {
    samples::remove_unfinished_files_on_signals();
    OutputFile file = test::must(OutputFile::create(folder / "x"));
    OutputFile committed = test::must(OutputFile::create(folder / "y"));
    static_cast<void>(committed.commit());
    std::raise(signal);
  };
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    EXPECT_EXIT(write_until(signal), testing::KilledBySignal(signal), "");
    EXPECT_TRUE(std::filesystem::exists(folder / "y"));
    EXPECT_EQ(file_count(folder), 1) << signal;
  }
}
#endif

}  // namespace
}  // namespace pelt
