// SPDX-License-Identifier: MIT
// Leaks that the leak checker ignores: Vulkan drivers and layers keep some memory when they are unloaded. They are
// known by their libraries' names, so libraries must stay loaded to the end.
extern "C" const char* __lsan_default_suppressions() { return "leak:libvulkan\nleak:libVkLayer\nleak:libLLVM\n"; }

// Do not report the suppressions that were used.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }

extern "C" int dlclose(void*) { return 0; }
