// SPDX-License-Identifier: MIT
// Calls of the C API for an evaluator on the CPU.
#pragma once

#include "tests/fuzz/c_api_input.h"

namespace pelt::fuzz {

class EvaluatorCalls : Calls {
 public:
  // Evaluates some of the characters, which may come and go.
  EvaluatorCalls(FuzzedDataProvider& in, const CharacterHandles& characters) : Calls(in), characters_(characters) {}

  // Makes one call, or a few that belong together.
  void call();

 private:
  struct Evaluator {
    Handle<pelt_evaluator, pelt_evaluator_destroy> handle;
    pelt_character_info info{};
  };
  void make_evaluator();
  void get_vertices(const pelt_evaluator* evaluator, const pelt_character_info& info);

  const CharacterHandles& characters_;
  std::vector<Exact<std::byte>> arrays_;
  Evaluator evaluator_;
};

}  // namespace pelt::fuzz
