// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/program.h"

namespace pelt {
namespace {

TEST(HelloC, PrintsAndWritesWhatHelloDoes) {
  const test::TemporaryFolder folder;
  for (const char* arguments : {"builtin:limb", "builtin:biped walk", "builtin:limb none"}) {
    const test::Outcome expected = test::run_program(PELT_HELLO, arguments, folder.path());
    const test::Outcome outcome = test::run_program(PELT_HELLO_C, arguments, folder.path());
    EXPECT_EQ(outcome.status, 0) << outcome.errors;
    EXPECT_EQ(outcome.output, expected.output);
    EXPECT_THAT(outcome.output, testing::HasSubstr(" of 10 instances moved on "));
    EXPECT_EQ(test::file_text(folder / "hello_c.pelt"), test::file_text(folder / "hello.pelt"));
  }
}

TEST(HelloC, SaysWhatIsWrong) {
  const test::TemporaryFolder folder;
  const test::Outcome outcome = test::run_program(PELT_HELLO_C, "none.glb", folder.path());
  EXPECT_EQ(outcome.status, 1);
  EXPECT_THAT(outcome.errors, testing::HasSubstr("hello_c: pelt_model_import: "));
  EXPECT_THAT(outcome.errors, testing::HasSubstr("none.glb"));
}

}  // namespace
}  // namespace pelt
