// SPDX-License-Identifier: MIT
// What the thread sanitizer is to pass over: TBB is not instrumented, so that what one of its threads hands to another
// looks like a race. Ours are still seen in what TBB calls: called_from_lib is of direct calls alone.
extern "C" const char* __tsan_default_suppressions() { return "called_from_lib:libtbb.so\n"; }
