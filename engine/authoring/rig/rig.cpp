// SPDX-License-Identifier: MIT
#include <algorithm>
#include <functional>

#include <pelt/nearest_name.h>
#include <pelt/rig.h>
#include <pelt/typed_name.h>

#include "engine/authoring/rig/deformer_entry.h"

namespace pelt {

const DeformerEntry& deformer_entry(const DeformerParameters& parameters) {
  return *std::ranges::find(deformers(), parameters.name(), &DeformerEntry::name);
}

bool may_fall_back(const DeformerParameters& deformer) {
  const DeformerEntry& entry = deformer_entry(deformer);
  return entry.may_fall_back != nullptr && entry.may_fall_back(deformer);
}

std::vector<std::string_view> deformer_names() {
  std::vector<std::string_view> names;
  for (const DeformerEntry& entry : deformers()) names.push_back(entry.name());
  return names;
}

const Group* Rig::find_group(std::string_view group) const {
  const auto found = std::ranges::find(groups, group, &Group::name);
  return found == groups.end() ? nullptr : &*found;
}

std::string typed_name(std::string_view deformer) {
  std::string name(deformer);
  std::ranges::replace(name, '_', '-');
  return name;
}

Result<Rig> rig_from_deformer_name(const std::string& deformer) {
  std::vector<std::string> known;
  for (const DeformerEntry& entry : deformers()) {
    known.push_back(typed_name(entry.name()));
    if (known.back() != typed_name(deformer)) continue;
    Rig rig;
    rig.name = entry.name();
    rig.layers = {Layer{.deformer = entry.defaults}};
    return rig;
  }
  return tl::unexpected(unknown_name("deformer", "deformers", deformer, known, std::identity()));
}

}  // namespace pelt
