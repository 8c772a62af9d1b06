// SPDX-License-Identifier: MIT
// The main function of every test program: it exits with 77 if a test was skipped and none failed, which CTest shows.
// If something aborts without a message, as libgcc and drivers may, the stack is printed.
#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>

#if defined(__GLIBC__) && !defined(PELT_SANITIZED)
#include <execinfo.h>
#include <unistd.h>

namespace {

void print_stack(int) {
  std::fflush(stdout);  // to which libstdc++ prints a failed assertion
  void* frames[64];
  backtrace_symbols_fd(frames, backtrace(frames, 64), STDERR_FILENO);
}

// The handler returns, so that abort() ends the program as before. The first stack loads a library: not then.
void print_stack_of_abort() {
  void* frame = nullptr;
  backtrace(&frame, 1);
  std::signal(SIGABRT, print_stack);
}

}  // namespace
#else
static void print_stack_of_abort() {}
#endif

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  print_stack_of_abort();
  const int failed = RUN_ALL_TESTS();
  constexpr int kSkipped = 77;
  return failed == 0 && testing::UnitTest::GetInstance()->skipped_test_count() > 0 ? kSkipped : failed;
}
