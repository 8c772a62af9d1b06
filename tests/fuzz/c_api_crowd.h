// SPDX-License-Identifier: MIT
// Calls of the C API for a crowd on the software device.
#pragma once

#include "tests/fuzz/c_api_input.h"

namespace pelt::fuzz {

class CrowdCalls : Calls {
 public:
  // Uploads some of the characters, which may come and go.
  CrowdCalls(FuzzedDataProvider& in, const CharacterHandles& characters);

  // Returns the software device; null: there is none.
  static pelt_device* device();
  // Makes one call, or a few that belong together.
  void call();

 private:
  void make_crowd();
  // A stride takes memory by every vertex.
  std::uint32_t stride(std::uint32_t count) { return in_.ConsumeBool() ? 0 : index(count) % 257; }
  pelt_vertex_output output() { return {index(4), stride(32), {}}; }
  void create_crowd(std::uint32_t characters);
  pelt_result run_frame();
  void change_crowd(pelt_crowd* crowd, std::uint32_t instance);
  void change_instance(pelt_crowd* crowd, std::uint32_t instance);
  void ask_crowd(pelt_crowd* crowd, std::uint32_t instance);
  void read_vertices(std::uint32_t instance);

  const CharacterHandles& characters_;
  int crowds_ = 0;  // made so far
  Handle<pelt_gpu_characters, pelt_gpu_characters_destroy> gpu_;
  Handle<pelt_crowd, pelt_crowd_destroy> crowd_;
};

}  // namespace pelt::fuzz
