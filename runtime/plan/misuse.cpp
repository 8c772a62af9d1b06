// SPDX-License-Identifier: MIT
#include "runtime/plan/misuse.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace pelt::runtime {
namespace {

std::atomic<MisuseFunction> misuse_function = nullptr;
thread_local MisuseFunction misuse_function_of_thread = nullptr;

void print_and_abort([[maybe_unused]] const char* sentence) {
#ifndef NDEBUG
  std::fprintf(stderr, "pelt: %s\n", sentence);
  std::abort();
#endif
}

}  // namespace

void on_misuse(MisuseFunction function) { misuse_function = function; }

MisuseOfThread::MisuseOfThread(MisuseFunction function) : before_(std::exchange(misuse_function_of_thread, function)) {}

MisuseOfThread::~MisuseOfThread() { misuse_function_of_thread = before_; }

void report_misuse(const char* call, const char* sentence) {
  if (misuse_function_of_thread != nullptr) return misuse_function_of_thread(sentence);
  char whole[320];
  write_formatted(whole, "Crowd::{}: {}", call, sentence);
  const MisuseFunction function = misuse_function;
  (function != nullptr ? function : print_and_abort)(whole);
}

}  // namespace pelt::runtime
