// SPDX-License-Identifier: MIT
// A crowd checks preconditions once, in the call that could break them. C++ callers learn of misuse through on_mistake,
// C callers through a result.
#pragma once

#include <pelt/runtime/mistake.h>

#include "engine/character/core/formatted.h"

namespace pelt::runtime {

// Reports misuse of a function of Crowd. `sentence` does not contain the function's name.
void report_mistake(const char* call, const char* sentence);

// The same with a sentence from formatted(). Allocates nothing.
template <class... Values>
requires(sizeof...(Values) > 0) void report_mistake(const char* call,
                                                    std::type_identity_t<TextPattern<Values...>> pattern,
                                                    const Values&... values) {
  char sentence[256];
  write_formatted<sizeof sentence, Values...>(sentence, pattern, values...);
  report_mistake(call, sentence);
}

// During its lifetime, misuse on its thread is reported to `function`, without the name of the call. The function may
// throw, because a misused call has changed nothing.
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
