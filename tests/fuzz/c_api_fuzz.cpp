// SPDX-License-Identifier: MIT
// The C API as a sequence of calls, of handles that live or are null, with sizes, indices and numbers at random: each
// call is done or refused with a sentence, and writes no more than the size that it was told.
#include <fuzzer/FuzzedDataProvider.h>

#include "tests/fuzz/c_api_characters.h"
#include "tests/fuzz/c_api_crowd.h"
#include "tests/fuzz/c_api_evaluator.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pelt::fuzz;
  constexpr int kMaxCalls = 60;
  FuzzedDataProvider in(data, size);
  CharacterCalls characters(in);
  EvaluatorCalls evaluator(in, characters.characters());
  CrowdCalls crowd(in, characters.characters());
  const bool on_device = in.ConsumeIntegralInRange(0, 7) == 0 && CrowdCalls::device() != nullptr;
  characters.load();
  for (int call = 0; call < kMaxCalls && in.remaining_bytes() > 0; ++call) {
    if (on_device && in.ConsumeBool()) {
      crowd.call();
    } else if (in.ConsumeBool()) {
      evaluator.call();
    } else {
      characters.call();
    }
  }
  return 0;
}
