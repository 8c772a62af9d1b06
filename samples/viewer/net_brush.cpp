// SPDX-License-Identifier: MIT
#include "samples/viewer/net_brush.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "samples/pelt/element_weights.h"
#include "samples/viewer/net_mirror.h"

namespace pelt::viewer {
namespace {

// A centre of the brush.
struct Centre {
  const Handle* selected;
  glm::vec3 rest;  // model space at bind
};

bool on_one_level(const Handle& one, const Handle& other) {
  return one.surface && other.surface && one.surface->layer == other.surface->layer &&
         one.surface->level == other.surface->level;
}

std::vector<Centre> mirrored_centres(std::span<const Handle> selected, std::span<const Handle> handles, float size) {
  std::vector<Centre> centres;
  for (const Handle& chosen : selected) {
    const Handle* nearest = nullptr;
    const auto distance = [&](const Handle& handle) { return glm::distance(handle.rest, kMirror * chosen.rest); };
    for (const Handle& handle : handles) {
      if (!on_one_level(chosen, handle) || distance(handle) > kMirrorReach * size) continue;
      if (nearest == nullptr || distance(handle) < distance(*nearest)) nearest = &handle;
    }
    if (nearest != nullptr) centres.push_back({&chosen, nearest->rest});
  }
  return centres;
}

struct Strongest {
  const Centre* centre = nullptr;
  float weight = 0;
};

// Returns the centre that moves a control vertex most.
Strongest strongest(std::span<const Centre> centres, const Handle& handle, float radius) {
  Strongest most;
  for (const Centre& centre : centres) {
    if (!on_one_level(*centre.selected, handle)) continue;
    const float distance = glm::distance(centre.rest, handle.rest);
    const float far = radius > 0 ? std::min(distance / radius, 1.0f) : distance > 0 ? 1.0f : 0.0f;
    const float weight = 1 - glm::smoothstep(0.0f, 1.0f, far);
    if (weight > most.weight) most = {&centre, weight};
  }
  return most;
}

std::set<std::string_view> names_of(std::span<const Handle> handles) {
  std::set<std::string_view> names;
  for (const Handle& handle : handles) names.insert(handle.name);
  return names;
}

}  // namespace

std::vector<BrushedHandle> brushed(std::span<const Handle> selected, std::span<const Handle> handles,
                                   const Surfaces& settings, float size) {
  std::vector<Centre> centres;
  for (const Handle& chosen : selected) centres.push_back({&chosen, chosen.rest});
  std::vector<Centre> mirrored;
  if (settings.symmetric) mirrored = mirrored_centres(selected, handles, size);
  std::vector<BrushedHandle> result;
  const auto add = [&](const Handle& handle, float direct) {
    BrushedHandle moved{handle, glm::mat3(direct)};
    const Strongest other = strongest(mirrored, handle, settings.radius);
    if (other.weight > 0) {
      const glm::mat3 mirror(-1, 0, 0, 0, 1, 0, 0, 0, 1);
      moved.share += other.weight * handle.motion * mirror * glm::inverse(other.centre->selected->motion);
      moved.share /= std::max(direct + other.weight, 1.0f);  // vertices that both sides move get their mean
    }
    if (direct + other.weight > 0) result.push_back(std::move(moved));
  };
  for (const Handle& handle : selected) add(handle, 1);
  const std::set<std::string_view> names = names_of(selected);
  for (const Handle& handle : handles) {
    if (handle.surface && !names.contains(handle.name)) add(handle, strongest(centres, handle, settings.radius).weight);
  }
  return result;
}

std::vector<BrushedHandle> dragged_by(const CharacterData& character, std::uint32_t vertex,
                                      std::span<const Handle> handles) {
  const std::map<std::uint32_t, float> shares = samples::moving_vertices(character, vertex);
  std::vector<BrushedHandle> moved;
  float squares = 0;
  for (const Handle& handle : handles) {
    const auto share = handle.surface ? shares.find(handle.instance_vertex) : shares.end();
    if (share == shares.end()) continue;
    moved.push_back({handle, glm::mat3(share->second)});
    squares += share->second * share->second;
  }
  for (BrushedHandle& one : moved) one.share /= squares;
  return moved;
}

std::vector<std::string> names_within(std::span<const Handle> selected, std::span<const Handle> handles, float radius) {
  const std::vector<BrushedHandle> moved = brushed(selected, handles, {.radius = radius}, 0);
  std::vector<std::string> names;
  for (std::size_t k = selected.size(); k < moved.size(); ++k) names.push_back(moved[k].handle.name);
  return names;
}

}  // namespace pelt::viewer
