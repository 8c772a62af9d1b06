// SPDX-License-Identifier: MIT
// Ends long work from within. Who orders the work says by a function whether it is still wanted, and the loops below
// ask it: all of parallel_for, and serial ones by stop_if_asked. What is asked is known to a thread while it works, so
// that no function in between has to pass it on.
#pragma once

#include <functional>
#include <type_traits>

#include <pelt/result.h>

namespace pelt {

// Returns true if work is to end; must be quick, and may be called on any thread, on several at once.
using StopAsked = std::function<bool()>;

// Leaves work that is to end. It is no std::exception: nothing on the way takes it for a failure of its own.
struct Stopped {};

// Says what this thread's loops ask, as long as it lives.
class StopScope {
 public:
  explicit StopScope(const StopAsked* asked);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

  static const StopAsked* current();  // null: nothing is asked

 private:
  const StopAsked* before_;
};

// Throws Stopped if this thread's work is to end. A loop calls it every few milliseconds.
void stop_if_asked();

// Returns work(), or kStopped soon after `asked` returns true. Empty: what the thread asks already stays so.
template <class Work>
std::invoke_result_t<const Work&> stoppable(const StopAsked& asked, const Work& work) {
  if (!asked) return work();
  try {
    const StopScope scope(&asked);
    return work();
  } catch (const Stopped&) {
    return fail(ErrorCode::kStopped, "stopped");
  }
}

}  // namespace pelt
