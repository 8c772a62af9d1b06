// SPDX-License-Identifier: MIT
// A crowd checks preconditions once, in the call that could break them. C++ callers learn of misuse through on_misuse,
// C callers through a result.
#pragma once

#include <pelt/runtime/misuse.h>

#include "engine/character/base/formatted.h"

namespace pelt::runtime {

// Reports misuse of a function of Crowd. `sentence` does not contain the function's name.
void report_misuse(const char* call, const char* sentence);

// The same with a sentence from formatted(). Allocates nothing.
template <class... Values>
requires(sizeof...(Values) > 0) void report_misuse(const char* call,
                                                   std::type_identity_t<TextPattern<Values...>> pattern,
                                                   const Values&... values) {
  char sentence[256];
  write_formatted<sizeof sentence, Values...>(sentence, pattern, values...);
  report_misuse(call, sentence);
}

// During its lifetime, misuse on its thread is reported to `function`, without the name of the call. The function may
// throw, because a misused call has changed nothing.
class MisuseOfThread {
 public:
  explicit MisuseOfThread(MisuseFunction function);
  ~MisuseOfThread();
  MisuseOfThread(const MisuseOfThread&) = delete;
  MisuseOfThread& operator=(const MisuseOfThread&) = delete;

 private:
  MisuseFunction before_;
};

}  // namespace pelt::runtime
