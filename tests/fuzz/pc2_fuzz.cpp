// SPDX-License-Identifier: MIT
// Point caches: they are refused, or can be sampled at any time.
#include <limits>
#include <vector>

#include <pelt/finite.h>
#include <pelt/point_cache.h>

#include "tests/fuzz/frames.h"
#include "tests/fuzz/small_model.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const pelt::fuzz::InputFile file("x.pc2");
  file.write({reinterpret_cast<const char*>(data), size});
  const auto cache = pelt::load_pc2(file.path());
  if (!cache) {
    pelt::fuzz::require(cache.error().message.find("x.pc2: ") != std::string::npos, "an error names the file");
    return 0;
  }
  std::vector<glm::vec3> positions(cache->count);
  for (const float frame : {0.0f, 0.5f, 1.5f, -1e30f, 3e38f, 1e-40f, std::numeric_limits<float>::quiet_NaN()}) {
    sample(*cache, frame, positions);
    for (const glm::vec3& position : positions)
      pelt::fuzz::require(pelt::is_finite(position), "what is sampled is finite");
  }
  return 0;
}
