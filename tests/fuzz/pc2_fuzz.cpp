// SPDX-License-Identifier: MIT
// Point caches: they are refused, or can be sampled at any time; those of the small model are learnt from.
#include <fmt/format.h>

#include <limits>
#include <vector>

#include <pelt/finite.h>
#include <pelt/gltf_export.h>
#include <pelt/learn.h>
#include <pelt/pelt_file.h>
#include <pelt/point_cache.h>

#include "tests/fuzz/frames.h"
#include "tests/fuzz/small_model.h"
#include "tests/support/must.h"

namespace {

// Learns from a cache in whose samples the joints turn.
void learn_from(const pelt::PointCache& cache, const pelt::fuzz::InputFile& file) {
  constexpr std::uint32_t kMostSamples = 16;
  static const pelt::fuzz::InputFile model(file, "x.glb"), poses(file, "x.json");
  static const bool written = [] {
    model.write(pelt::test::must(pelt::format_glb(pelt::fuzz::make_small_model())));
    return true;
  }();
  if (cache.frames > kMostSamples || !written) return;
  std::string turns;
  for (std::uint32_t i = 0; i < cache.frames; ++i)
    turns += fmt::format(R"({}{{"joint1": [0, {}, {}]}})", i == 0 ? "" : ", ", i % 3, i % 4);
  poses.write("[" + turns + "]");
  const auto learnt = pelt::learn_model(model.path(), {.deformer = "linear-blend", .check = pelt::CheckMode::kNone},
                                        {.sequences = {{file.path(), poses.path()}}}, {.threads = 1});
  if (!learnt) {
    pelt::fuzz::require(learnt.error().message.find("/x.") != std::string::npos, "an error names the file");
    return;
  }
  const auto bytes = pelt::serialize(learnt->model.bound.character);
  const auto read = pelt::deserialize(bytes, "x.pelt");
  pelt::fuzz::require(read && pelt::serialize(*read) == bytes, "what was learnt is written and read");
}

}  // namespace

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
  learn_from(*cache, file);
  return 0;
}
