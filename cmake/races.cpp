// SPDX-License-Identifier: MIT
// Races that the thread sanitizer ignores. TBB is not instrumented, so data that one of its threads hands to another
// looks like a race. Races in Pelt's code that TBB calls are still found: called_from_lib concerns direct calls only.
// Reports with a function of a Vulkan driver or layer are ignored too, since these are unloaded.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libtbb.so\nrace:libvulkan\nrace:libVkLayer\ndeadlock:libVkLayer\n";
}
