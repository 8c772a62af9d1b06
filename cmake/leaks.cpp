// SPDX-License-Identifier: MIT
// What the leak checker is to pass over: Vulkan drivers and layers keep some memory when they are unloaded. They are
// known by their libraries' names, so libraries stay loaded to the end.
extern "C" const char* __lsan_default_suppressions() { return "leak:libvulkan\nleak:libVkLayer\nleak:libLLVM\n"; }

// The suppressions that were used are not worth a word.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }

extern "C" int dlclose(void*) { return 0; }
