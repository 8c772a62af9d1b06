// SPDX-License-Identifier: MIT
#include "samples/viewer/net_mirror.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

#include <pelt/pose.h>
#include <pelt/tools/index_ranges.h>
#include <pelt/tools/joint_names.h>
#include <pelt/try.h>

#include "samples/viewer/surface_net.h"

namespace pelt::viewer {
namespace {

using hierarchical_bspline::SurfaceVertex;

struct Pair {
  ControlVertex place;
  SurfaceVertex own, image;
};

Result<std::vector<Pair>> pairs_of(Rig& rig, std::span<const ControlVertex> vertices, float size) {
  std::vector<Pair> pairs;
  for (const ControlVertex& place : vertices) {
    PELT_TRY(level_of(rig, place));
    const auto surface = vertices_of(rig.layers[place.layer].deformer.get<HierarchicalBsplineParameters>());
    if (!*surface) return tl::unexpected(surface->error());
    const auto is_on_level = [&](const SurfaceVertex& vertex) { return vertex.level == place.level; };
    const auto own = std::ranges::find_if(
        (*surface)->vertices, [&](const auto& one) { return is_on_level(one) && one.number == place.number; });
    const SurfaceVertex* nearest = nullptr;
    float least = kMirrorReach * size;
    for (const SurfaceVertex& other : (*surface)->vertices) {
      if (own == (*surface)->vertices.end() || !is_on_level(other)) continue;
      const float distance = glm::distance(other.rest, kMirror * own->rest);
      if (distance <= least) nearest = &other, least = distance;
    }
    if (nearest == nullptr) continue;
    const ControlVertex image{place.layer, place.level, nearest->number};
    if (std::ranges::find(vertices, image) == vertices.end()) pairs.push_back({place, *own, *nearest});
  }
  return pairs;
}

// Returns the joint of the other side with the same name, the nearest to the mirrored one; the joint itself if its name
// has no side.
std::uint32_t other_side(const Skeleton& skeleton, std::uint32_t joint, std::span<const glm::mat4> rest) {
  const std::vector<JointName> names = parse_joint_names(skeleton);
  std::uint32_t nearest = joint;
  float least = std::numeric_limits<float>::infinity();
  for (std::uint32_t other = 0; other < names.size(); ++other) {
    const bool is_other = names[other].side != Side::kNone && names[other].side != names[joint].side;
    if (names[joint].side == Side::kNone || !is_other || names[other].word != names[joint].word) continue;
    const float distance = glm::distance(glm::vec3(rest[other][3]), kMirror * glm::vec3(rest[joint][3]));
    if (distance < least) nearest = other, least = distance;
  }
  return nearest;
}

// Mirrors a joint's name and an axis in its space, about which turns then go the other way.
void mirror(std::string& name, glm::vec3& axis, const Skeleton& skeleton) {
  const auto joint = skeleton.find(name);
  if (!joint) return;
  std::vector<glm::mat4> rest(skeleton.joints.size());
  rest_matrices(skeleton, rest);
  const std::uint32_t other = other_side(skeleton, *joint, rest);
  name = skeleton.joints[other].name;
  axis = glm::inverse(glm::mat3(rest[other])) * (-kMirror * (glm::mat3(rest[*joint]) * axis));
}

// Gives the image of a pair the bounds (limits, separations, masses) of its own vertex, which `change` mirrors.
template <typename Bound, typename Change>
void mirror_bounds(std::vector<Bound>& bounds, const Pair& pair, const Change& change) {
  std::vector<Bound> added;
  for (Bound& bound : bounds) {
    std::set<std::uint32_t> numbers = numbers_of(bound.vertices);
    numbers.erase(pair.image.number);
    bound.vertices = ranges_of(numbers);
    if (!numbers.contains(pair.own.number)) continue;
    added.push_back(bound);
    change(added.back());
  }
  for (Bound& image : added) {
    const auto same = std::ranges::find_if(bounds, [&](const Bound& bound) {
      image.vertices = bound.vertices;
      return image == bound;
    });
    std::set<std::uint32_t> numbers;
    if (same != bounds.end()) numbers = numbers_of(same->vertices);
    numbers.insert(pair.image.number);
    image.vertices = ranges_of(numbers);
    if (same == bounds.end())
      bounds.push_back(std::move(image));
    else
      same->vertices = std::move(image.vertices);
  }
  std::erase_if(bounds, [](const Bound& bound) { return bound.vertices.empty(); });
}

}  // namespace

Result<std::vector<ControlVertex>> images_of(Rig rig, std::span<const ControlVertex> vertices, float size) {
  PELT_ASSIGN(const auto pairs, pairs_of(rig, vertices, size));
  std::vector<ControlVertex> images;
  for (const Pair& pair : pairs) images.push_back({pair.place.layer, pair.place.level, pair.image.number});
  return images;
}

SurfaceAttachment mirrored(SurfaceAttachment attachment, const Skeleton& skeleton) {
  glm::vec3 axis(0.0f);
  mirror(attachment.joint, axis, skeleton);
  return attachment;
}

Result<Rig> with_mirrored(Rig rig, std::span<const ControlVertex> vertices, const Skeleton& skeleton, float size) {
  PELT_ASSIGN(const auto pairs, pairs_of(rig, vertices, size));
  const auto mirror_number = [&](const ControlVertex& vertex, std::uint32_t& number) -> Result<void> {
    PELT_ASSIGN(const auto images, pairs_of(rig, std::span(&vertex, 1), size));
    if (!images.empty()) number = images[0].image.number;
    return {};
  };
  for (const Pair& pair : pairs) {
    PELT_ASSIGN(SurfaceLevel* const level, level_of(rig, pair.place));
    const auto is_of_image = [&](const VertexOffset& offset) { return offset.vertex == pair.image.number; };
    std::vector<SurfaceKeys> added;
    for (SurfaceKeys& keys : level->keys) {
      SurfaceKeys copy = keys;
      const bool is_scaled = contains(keys.vertices, pair.own.number);
      copy.vertices.assign(is_scaled ? 1u : 0u, {pair.image.number, pair.image.number});
      std::set<std::uint32_t> scaled = numbers_of(keys.vertices);
      scaled.erase(pair.image.number);
      keys.vertices = ranges_of(scaled);
      bool is_any = is_scaled;
      for (std::size_t k = 0; k < keys.keys.size(); ++k) {
        std::vector<VertexOffset>& offsets = keys.keys[k].offsets;
        copy.keys[k].offsets.clear();
        const auto own = std::ranges::find(offsets, pair.own.number, &VertexOffset::vertex);
        if (own != offsets.end()) {
          const glm::vec3 way = kMirror * (pair.own.axes * own->offset);
          copy.keys[k].offsets = {{pair.image.number, glm::transpose(pair.image.axes) * way}};
          is_any = true;
        }
        std::erase_if(offsets, is_of_image);
      }
      if (copy.angle) mirror(copy.angle->joint, copy.angle->axis, skeleton);
      if (copy.follow) {
        copy.follow->axis *= kMirror;
        PELT_TRY(mirror_number({pair.place.layer, copy.follow->level, copy.follow->vertex}, copy.follow->vertex));
      }
      if (is_any) added.push_back(std::move(copy));
    }
    std::erase_if(level->keys, [](const SurfaceKeys& keys) {
      const auto is_empty = [](const SurfaceKey& key) { return key.offsets.empty(); };
      return keys.vertices.empty() && std::ranges::all_of(keys.keys, is_empty);
    });
    std::ranges::move(added, std::back_inserter(level->keys));

    mirror_bounds(level->limits, pair, [&](SurfaceLimit& limit) {
      glm::vec3 axis(0.0f);
      mirror(limit.joint, axis, skeleton);
    });
    mirror_bounds(level->secondary, pair, [](SecondaryAction&) {});
    Result<void> found;
    mirror_bounds(level->separations, pair, [&](SurfaceSeparation& separation) {
      if (found) found = mirror_number({pair.place.layer, pair.place.level, separation.from}, separation.from);
    });
    PELT_TRY(std::move(found));
  }
  return rig;
}

}  // namespace pelt::viewer
