// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include <pelt/nearest_name.h>
#include <pelt/rig.h>
#include <pelt/tools/curve_place.h>

#include "engine/authoring/rig/deformer_entry.h"

namespace pelt {

const DeformerEntry& deformer_entry(const DeformerParameters& parameters) {
  return *std::ranges::find(deformers(), parameters.name(), &DeformerEntry::name);
}

DriverParameters* driver_of(DeformerParameters& parameters) {
  if (parameters.name().empty()) return nullptr;
  const DeformerEntry& entry = deformer_entry(parameters);
  return entry.driver == nullptr ? nullptr : entry.driver(parameters);
}

const DriverParameters* driver_of(const DeformerParameters& parameters) {
  return driver_of(const_cast<DeformerParameters&>(parameters));  // the object is only looked up, not changed
}

bool gives_way(const DeformerParameters& deformer) {
  const DeformerEntry& entry = deformer_entry(deformer);
  return entry.gives_way != nullptr && entry.gives_way(deformer);
}

std::string curve_offset_place(const Rig& rig, std::span<const std::string> joints) {
  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    const DeformerParameters& parameters = rig.layers[l].deformer;
    if (parameters.name().empty()) continue;
    const DeformerEntry& entry = deformer_entry(parameters);
    const std::string place = entry.curve_offset == nullptr ? "" : entry.curve_offset(parameters, joints);
    if (!place.empty()) return fmt::format("/layers/{}/parameters{}", l, place);
  }
  return {};
}

std::vector<std::string_view> deformer_names() {
  std::vector<std::string_view> names;
  for (const DeformerEntry& entry : deformers()) names.push_back(entry.name());
  return names;
}

const Group* Rig::find_group(std::string_view group) const {
  const auto found = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.name == group; });
  return found == groups.end() ? nullptr : &*found;
}

Result<Rig> rig_from_deformer_name(const std::string& deformer) {
  std::string name = deformer;
  std::replace(name.begin(), name.end(), '-', '_');
  std::vector<std::string_view> known;
  for (const DeformerEntry& entry : deformers()) {
    if (entry.name() != name) {
      known.push_back(entry.name());
      continue;
    }
    Rig rig;
    rig.name = name;
    rig.layers = {Layer{.deformer = entry.defaults}};
    return rig;
  }
  return tl::unexpected(unknown_name("deformer", "deformers", deformer, known));
}

}  // namespace pelt
