// SPDX-License-Identifier: MIT
#include "engine/authoring/base/stop.h"

#include <utility>

namespace pelt {
namespace {

thread_local const StopAsked* asked_here = nullptr;

}  // namespace

StopScope::StopScope(const StopAsked* asked) : before_(std::exchange(asked_here, asked)) {}
StopScope::~StopScope() { asked_here = before_; }
const StopAsked* StopScope::current() { return asked_here; }

#ifdef __cpp_exceptions
void stop_if_asked() {
  if (asked_here != nullptr && (*asked_here)()) throw Stopped{};
}
#else
void stop_if_asked() {}  // a browser ends the worker instead
#endif

}  // namespace pelt
