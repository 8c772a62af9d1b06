// SPDX-License-Identifier: MIT
// Contracts of a crowd are checked once, where the crowd is told: callers in C++ hear of what breaks them by
// on_mistake, callers in C by a result.
#pragma once

#include <pelt/runtime/mistake.h>

#include "engine/character/core/formatted.h"

namespace pelt::runtime {

// Tells of a call of Crowd, in a sentence without its name.
void report_mistake(const char* call, const char* sentence);

// The same; makes the sentence by formatted(). Allocates nothing.
template <class... Values>
requires(sizeof...(Values) > 0) void report_mistake(const char* call,
                                                    std::type_identity_t<TextPattern<Values...>> pattern,
                                                    const Values&... values) {
  char sentence[256];
  write_formatted<sizeof sentence, Values...>(sentence, pattern, values...);
  report_mistake(call, sentence);
}

// While it lives, mistakes of its thread go to a function of its own, and without the name of the call. That may throw:
// a call that is a mistake has changed nothing yet.
class MistakesOfThread {
 public:
  explicit MistakesOfThread(MistakeFunction function);
  ~MistakesOfThread();
  MistakesOfThread(const MistakesOfThread&) = delete;
  MistakesOfThread& operator=(const MistakesOfThread&) = delete;

 private:
  MistakeFunction before_;
};

}  // namespace pelt::runtime
