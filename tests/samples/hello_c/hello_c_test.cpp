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
    // The clay is redder than the backdrop, which is grey.
    const std::string picture = test::file_text(folder / "hello_c.ppm");
    const std::string header = "P6\n1280 360\n255\n";
    ASSERT_EQ(picture.substr(0, header.size()), header);
    ASSERT_EQ(picture.size(), header.size() + 1280 * 360 * 3);
    std::size_t clay = 0;
    for (std::size_t i = header.size(); i < picture.size(); i += 3)
      clay += static_cast<unsigned char>(picture[i]) > static_cast<unsigned char>(picture[i + 2]) + 20 ? 1 : 0;
    EXPECT_GT(clay, 1280u * 360 / 50);
    EXPECT_LT(clay, 1280u * 360 / 2);
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
