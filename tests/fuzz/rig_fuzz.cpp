// SPDX-License-Identifier: MIT
// Rigs: whatever their JSON, they are refused, or written again unchanged and bound to a small model.
#include <algorithm>
#include <cmath>

#include <pelt/bind.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/pelt_file.h>
#include <pelt/rig_json.h>

#include "tests/fuzz/frames.h"
#include "tests/fuzz/mutate.h"
#include "tests/fuzz/small_model.h"

namespace {

// Returns true if a bind may take longer than an input should: by many layers, or by a surface so much larger than the
// model that it is sampled as finely as it can be.
bool takes_long(const pelt::Rig& rig) {
  constexpr std::size_t kMaxLayers = 50;
  constexpr float kMaxControl = 1000;
  return rig.layers.size() > kMaxLayers || std::ranges::any_of(rig.layers, [](const pelt::Layer& layer) {
           const auto* surface = layer.deformer.get_if<pelt::HierarchicalBsplineParameters>();
           return surface != nullptr && std::ranges::any_of(surface->control, [](const glm::vec3& point) {
                    return std::max({std::abs(point.x), std::abs(point.y), std::abs(point.z)}) > kMaxControl;
                  });
         });
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return pelt::fuzz::mutate_json(data, size, max_size, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const pelt::Model model = pelt::fuzz::make_small_model();
  pelt::Result<pelt::Rig> rig = pelt::parse_rig({reinterpret_cast<const char*>(data), size}, "x.json");
  if (!rig) {
    pelt::fuzz::require(rig.error().message.starts_with("x.json: "), "an error names the file");
    return 0;
  }
  const auto again = pelt::parse_rig(pelt::format_rig(*rig), "again.json");
  pelt::fuzz::require(again && *again == *rig, "a rig that was read is written as it is read");
  if (takes_long(*rig)) return 0;
  rig->files = pelt::NamedFiles::kNone;
  const std::uint64_t choice = pelt::fuzz::choice_of(std::as_bytes(std::span(data, size)));
  const pelt::Result<pelt::Bound> bound = pelt::bind(model, *rig, {.threads = 1});
  if (!bound) {
    pelt::fuzz::require(!bound.error().message.empty(), "an error says why");
    return 0;
  }
  const auto written = pelt::serialize(bound->character);
  const auto read = pelt::deserialize(written, "x.pelt");
  pelt::fuzz::require(read && pelt::serialize(*read) == written, "a character that was bound is written and read");
  pelt::fuzz::move_on_cpu(*read, choice);
  return 0;
}
