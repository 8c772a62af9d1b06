// SPDX-License-Identifier: MIT
// The main function of every test program: it exits with 77 if a test was skipped and none failed, which CTest shows.
#include <gtest/gtest.h>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const int failed = RUN_ALL_TESTS();
  constexpr int kSkipped = 77;
  return failed == 0 && testing::UnitTest::GetInstance()->skipped_test_count() > 0 ? kSkipped : failed;
}
