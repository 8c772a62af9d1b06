// SPDX-License-Identifier: MIT
// Misuse: a call that breaks a precondition that the library checks, for example one with an unknown instance or an
// array of the wrong size. Such a call has no effect and is not undefined behaviour.
#pragma once

namespace pelt::runtime {

// Called on the thread of the misuse, with one sentence that is valid only during the call.
using MisuseFunction = void (*)(const char* sentence);

// Sets the function for the whole process. Null (the default): builds with assertions print the sentence and abort,
// other builds ignore it. May be called on any thread.
void on_misuse(MisuseFunction function);

}  // namespace pelt::runtime
