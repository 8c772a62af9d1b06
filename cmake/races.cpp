// SPDX-License-Identifier: MIT
// Races that the thread sanitizer ignores. TBB is not instrumented, so data that one of its threads hands to another
// looks like a race. Races in Pelt's code that TBB calls are still found: called_from_lib concerns direct calls only.
// It ignores what has a function of a Vulkan driver or layer, too: these are loaded and unloaded.
extern "C" const char* __tsan_default_suppressions() {
  return "called_from_lib:libtbb.so\nrace:libvulkan\nrace:libVkLayer\ndeadlock:libVkLayer\n";
}
