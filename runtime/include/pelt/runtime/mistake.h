// SPDX-License-Identifier: MIT
// Calls that break a precondition in a way that the library notices: an instance that the crowd does not have, an array
// of the wrong size. Such a call has no effect, and never undefined behaviour.
#pragma once

namespace pelt::runtime {

// Called with one sentence for each such call, on the thread that made it; the sentence is valid only during the call.
using MistakeFunction = void (*)(const char* sentence);

// Sets the function for the whole process. Null, as at first: builds with assertions print the sentence and abort,
// other builds say nothing. May be called from any thread.
void on_mistake(MistakeFunction function);

}  // namespace pelt::runtime
