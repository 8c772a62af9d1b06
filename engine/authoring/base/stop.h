// SPDX-License-Identifier: MIT
// Ends long work from within. The caller supplies a function that reports whether to stop; the loops below call it: all
// of parallel_for, and serial ones by stop_if_asked. A thread knows the function while it works, so that no function in
// between has to pass it on.
#pragma once

#include <functional>
#include <type_traits>

#include <pelt/result.h>

namespace pelt {

// Returns true to stop the work. Must be fast, and safe to call on several threads concurrently.
using StopAsked = std::function<bool()>;

// Thrown to leave stopped work. Not a std::exception, so that no handler on the way treats it as a failure.
struct Stopped {};

// Sets the function that this thread's loops call, for the lifetime of the object.
class StopScope {
 public:
  explicit StopScope(const StopAsked* asked);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  static const StopAsked* current();  // null: the loops call nothing

 private:
  const StopAsked* before_;
};

// Throws Stopped if this thread's work is to stop. Call it in loops, every few milliseconds.
void stop_if_asked();

// Returns work(), or kStopped soon after `asked` returns true. If `asked` is empty, the thread keeps its function.
template <class Work>
std::invoke_result_t<const Work&> stoppable(const StopAsked& asked, const Work& work) {
  if (!asked) return work();
  const StopScope scope(&asked);
#ifdef __cpp_exceptions
  try {
    return work();
  } catch (const Stopped&) {
    return fail(ErrorCode::kStopped, "stopped");
  }
#else
  return work();
#endif
}

}  // namespace pelt
