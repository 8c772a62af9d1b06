// SPDX-License-Identifier: MIT
#include "runtime/mistake.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace pelt::runtime {
namespace {

std::atomic<MistakeFunction> mistake_function = nullptr;
thread_local MistakeFunction mistake_function_of_thread = nullptr;

void print_and_abort([[maybe_unused]] const char* sentence) {
#ifndef NDEBUG
  std::fprintf(stderr, "pelt: %s\n", sentence);
  std::abort();
#endif
}

}  // namespace

void on_mistake(MistakeFunction function) { mistake_function = function; }

MistakesOfThread::MistakesOfThread(MistakeFunction function)
    : before_(std::exchange(mistake_function_of_thread, function)) {}

MistakesOfThread::~MistakesOfThread() { mistake_function_of_thread = before_; }

void report_mistake(const char* call, const char* sentence) {
  if (mistake_function_of_thread != nullptr) return mistake_function_of_thread(sentence);
  char whole[320];
  write_formatted(whole, "Crowd::{}: {}", call, sentence);
  const MistakeFunction function = mistake_function;
  (function != nullptr ? function : print_and_abort)(whole);
}

}  // namespace pelt::runtime
