// SPDX-License-Identifier: MIT
#include "samples/viewer/net_mirror.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include <pelt/pose.h>
#include <pelt/tools/joint_names.h>
#include <pelt/try.h>

#include "samples/viewer/surface_net.h"

namespace pelt::viewer {
namespace {

using hierarchical_bspline::SurfaceVertex;

using Images = std::map<std::uint32_t, std::pair<const SurfaceVertex*, const SurfaceVertex*>>;  // by number: it, image

// Returns the images of the vertices of one level.
Images images_of(const hierarchical_bspline::SurfaceVertices& surface, std::span<const ControlVertex> vertices,
                 const ControlVertex& level, float size) {
  Images images;
  std::set<std::uint32_t> selected;
  for (const ControlVertex& vertex : vertices) {
    if (vertex.layer == level.layer && vertex.level == level.level) selected.insert(vertex.number);
  }
  for (const SurfaceVertex& vertex : surface.vertices) {
    if (vertex.level != level.level || !selected.contains(vertex.number)) continue;
    const SurfaceVertex* nearest = nullptr;
    float least = kMirrorReach * size;
    for (const SurfaceVertex& other : surface.vertices) {
      const float distance = glm::distance(other.rest, kMirror * vertex.rest);
      if (other.level == level.level && distance <= least) nearest = &other, least = distance;
    }
    if (nearest != nullptr && !selected.contains(nearest->number)) images[vertex.number] = {&vertex, nearest};
  }
  return images;
}

// The joints of a skeleton and their mirror images.
class Mirror {
 public:
  explicit Mirror(const Skeleton& skeleton)
      : skeleton_(skeleton), names_(parse_joint_names(skeleton)), rest_(skeleton.joints.size()) {
    rest_matrices(skeleton, rest_);
  }

  void turn(std::string& name) const {
    if (const auto joint = skeleton_.find(name)) name = skeleton_.joints[image(*joint)].name;
  }

  // The axis of a turn is mirrored as the turn's direction is.
  void turn(KeyAngle& angle) const {
    const auto joint = skeleton_.find(angle.joint);
    if (!joint) return;
    const std::uint32_t other = image(*joint);
    const glm::vec3 mirrored = -kMirror * (glm::mat3(rest_[*joint]) * angle.axis);
    angle = {skeleton_.joints[other].name, glm::inverse(glm::mat3(rest_[other])) * mirrored};
  }

 private:
  std::uint32_t image(std::uint32_t joint) const {
    if (names_[joint].side == Side::kNone) return joint;
    std::uint32_t nearest = joint;
    float least = std::numeric_limits<float>::infinity();
    for (std::uint32_t other = 0; other < names_.size(); ++other) {
      const JointName& name = names_[other];
      if (name.word != names_[joint].word || name.side == Side::kNone || name.side == names_[joint].side) continue;
      const float distance = glm::distance(glm::vec3(rest_[other][3]), kMirror * glm::vec3(rest_[joint][3]));
      if (distance < least) nearest = other, least = distance;
    }
    return nearest;
  }

  const Skeleton& skeleton_;
  std::vector<JointName> names_;
  std::vector<glm::mat4> rest_;
};

// Takes the images out of the ranges, and returns those of the vertices in them.
std::vector<IndexRange> mirrored_ranges(std::vector<IndexRange>& ranges, const Images& images) {
  std::set<std::uint32_t> numbers = numbers_of(ranges);
  std::set<std::uint32_t> mirrored;
  for (const auto& [number, pair] : images) {
    if (numbers.contains(number)) mirrored.insert(pair.second->number);
    numbers.erase(pair.second->number);
  }
  ranges = ranges_of(numbers);
  return ranges_of(mirrored);
}

// Replaces what entries hold of the images by a copy of what they hold of the vertices; `turn` mirrors the copy.
template <class Entry, class Turn>
void mirror(std::vector<Entry>& entries, const Images& images, const Turn& turn) {
  std::vector<Entry> added;
  for (Entry& entry : entries) {
    Entry copy = entry;
    copy.vertices = mirrored_ranges(entry.vertices, images);
    if (copy.vertices.empty()) continue;
    turn(copy);
    added.push_back(std::move(copy));
  }
  std::erase_if(entries, [](const Entry& entry) { return entry.vertices.empty(); });
  for (Entry& entry : added) {
    const auto same = std::ranges::find_if(entries, [&](Entry other) {
      other.vertices = entry.vertices;
      return other == entry;
    });
    if (same == entries.end()) {
      entries.push_back(std::move(entry));
      continue;
    }
    std::set<std::uint32_t> numbers = numbers_of(same->vertices);
    numbers.merge(numbers_of(entry.vertices));
    same->vertices = ranges_of(numbers);
  }
}

// Does the same with keys, whose offsets are in the axes of each vertex.
void mirror_keys(std::vector<SurfaceKeys>& all, const Images& images, const Mirror& joints) {
  std::vector<SurfaceKeys> added;
  for (SurfaceKeys& keys : all) {
    SurfaceKeys copy = keys;
    copy.vertices = mirrored_ranges(keys.vertices, images);
    bool is_any = !copy.vertices.empty();
    for (std::size_t k = 0; k < keys.keys.size(); ++k) {
      std::vector<VertexOffset>& offsets = keys.keys[k].offsets;
      copy.keys[k].offsets.clear();
      for (const VertexOffset& offset : offsets) {
        const auto found = images.find(offset.vertex);
        if (found == images.end()) continue;
        const auto [own, image] = found->second;
        const glm::vec3 mirrored = kMirror * (own->axes * offset.offset);
        copy.keys[k].offsets.push_back({image->number, glm::transpose(image->axes) * mirrored});
        is_any = true;
      }
      std::erase_if(offsets, [&](const VertexOffset& offset) {
        return std::ranges::any_of(images, [&](const auto& one) { return one.second.second->number == offset.vertex; });
      });
    }
    if (!is_any) continue;
    if (copy.angle) joints.turn(*copy.angle);
    if (copy.follow) {
      copy.follow->axis *= kMirror;
      const auto other = images.find(copy.follow->vertex);
      if (other != images.end()) copy.follow->vertex = other->second.second->number;
    }
    added.push_back(std::move(copy));
  }
  std::erase_if(all, [](const SurfaceKeys& keys) {
    return keys.vertices.empty() &&
           std::ranges::all_of(keys.keys, [](const SurfaceKey& key) { return key.offsets.empty(); });
  });
  std::ranges::move(added, std::back_inserter(all));
}

// Calls use(surface level, images) for each level that has vertices of these.
template <class Use>
Result<void> for_each_level(Rig& rig, std::span<const ControlVertex> vertices, float size, const Use& use) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> levels;
  for (const ControlVertex& vertex : vertices) {
    if (!levels.emplace(vertex.layer, vertex.level).second) continue;
    PELT_ASSIGN(SurfaceLevel* const level, level_of(rig, vertex));
    const auto surface = vertices_of(rig.layers[vertex.layer].deformer.get<HierarchicalBsplineParameters>());
    if (!*surface) return tl::unexpected(surface->error());
    use(*level, vertex, images_of(**surface, vertices, vertex, size));
  }
  return {};
}

}  // namespace

Result<Rig> with_mirrored(Rig rig, std::span<const ControlVertex> vertices, const Skeleton& skeleton, float size) {
  const Mirror joints(skeleton);
  PELT_TRY(for_each_level(rig, vertices, size, [&](SurfaceLevel& level, const ControlVertex&, const Images& images) {
    mirror(level.attach, images, [&](SurfaceAttachment& attachment) {
      joints.turn(attachment.joint);
      for (std::string& joint : attachment.curve) joints.turn(joint);
    });
    mirror(level.limits, images, [&](SurfaceLimit& limit) {
      joints.turn(limit.joint);
      const auto other = limit.from ? images.find(*limit.from) : images.end();
      if (other != images.end()) limit.from = other->second.second->number;
    });
    mirror(level.secondary, images, [](SecondaryAction&) {});
    mirror_keys(level.keys, images, joints);
    for (const auto& [number, pair] : images) {
      if (pair.second->level > 0) store(level, pair.second->number);
    }
  }));
  return rig;
}

Result<std::vector<ControlVertex>> with_images(Rig rig, std::span<const ControlVertex> vertices, float size) {
  std::vector<ControlVertex> all(vertices.begin(), vertices.end());
  PELT_TRY(for_each_level(rig, vertices, size, [&](SurfaceLevel&, const ControlVertex& of, const Images& images) {
    for (const auto& [number, pair] : images) all.push_back({of.layer, of.level, pair.second->number});
  }));
  return all;
}

}  // namespace pelt::viewer
