// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <pelt/driver.h>
#include <pelt/key_pose.h>
#include <pelt/rig_json.h>
#include <pelt/rig_names.h>
#include <pelt/selection.h>
#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/tools/index_ranges.h>
#include <pelt/tools/triangle_tree.h>
#include <pelt/transfer_rig.h>
#include <pelt/try.h>

#include "engine/authoring/deformer/region.h"
#include "engine/authoring/geometry/topology.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/character/core/invalid.h"

namespace pelt {
namespace {

// Returns the positions and triangles at bind, in the model's order.
Mesh source_mesh(const CharacterMesh& packed) {
  Mesh mesh;
  mesh.name = packed.name;
  mesh.positions.resize(packed.vertex_count());
  for (std::uint32_t i = 0; i < packed.vertex_count(); ++i) {
    mesh.positions[packed.source_vertex[i]] = packed.binding.points[i];
  }
  for (const glm::uvec3 t : packed.triangles) {
    mesh.triangles.emplace_back(packed.source_vertex[t.x], packed.source_vertex[t.y], packed.source_vertex[t.z]);
  }
  return mesh;
}

// Carries values from one mesh to another.
class Map {
 public:
  static Result<Map> create(const CharacterMesh& old, const Mesh& mesh, std::vector<std::string>& notes) {
    Map map;
    map.old_ = source_mesh(old);
    map.new_ = &mesh;
    map.same_ = topology_hash(mesh) == old.topology;
    if (map.same_) {
      notes.push_back(fmt::format("mesh '{}': the topology is the same, numbers hold", mesh.name));
      return map;
    }
    Mesh& from = map.old_;
    map.number_ = drop_flat(from.positions, from.triangles);
    PELT_ASSIGN(auto tree, within(fmt::format("mesh '{}' of the old character", old.name),
                                  TriangleTree::create(from.positions, from.triangles)));
    double farthest = 0;
    for (const TriangleTree::NearPoint& near : tree.nearest_of_each(mesh.positions, 0)) {
      map.closest_.push_back(near.closest);
      farthest = std::max(farthest, std::sqrt(near.closest.squared_distance));
    }
    map.tree_ = std::move(tree);
    notes.push_back(fmt::format(
        "mesh '{}': {} vertices and {} triangles instead of {} and {}; carried over by the closest point, "
        "at most {:.3g} m away",
        mesh.name, mesh.positions.size(), mesh.triangles.size(), old.vertex_count(), old.triangles.size(), farthest));
    return map;
  }

  bool same() const { return same_; }
  const Mesh& old_mesh() const { return old_; }

  template <class T>
  std::vector<T> carry(const std::vector<T>& values) const {
    return values_at(closest_, std::span(values));
  }

  // Marks the new triangles whose centroid is closest to a marked old triangle.
  std::vector<std::uint8_t> carry_triangles(const std::vector<std::uint8_t>& marked) const {
    std::vector<glm::vec3> middles;
    for (const glm::uvec3 t : new_->triangles) {
      middles.push_back((new_->positions[t.x] + new_->positions[t.y] + new_->positions[t.z]) / 3.0f);
    }
    std::vector<std::uint8_t> result;
    for (const TriangleTree::NearPoint& near : tree_->nearest_of_each(middles, 0)) {
      result.push_back(marked[number_[near.triangle]]);
    }
    return result;
  }

 private:
  Map() = default;
  Mesh old_;
  const Mesh* new_ = nullptr;
  bool same_ = false;
  std::optional<TriangleTree> tree_;   // over the old triangles that have area
  std::vector<std::uint32_t> number_;  // for each of those triangles, its number in the old mesh
  std::vector<ClosestPoint> closest_;  // for each new vertex
};

// Returns the shortest list of ranges that holds every value above 0.
template <class T>
std::vector<IndexRange> ranges_of(const std::vector<T>& values) {
  std::vector<IndexRange> ranges;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    if (values[i] > 0) append_index(ranges, i);
  }
  return ranges;
}

// Values below this are residues of interpolation.
constexpr float kMinValue = 1e-3f;
constexpr float kMinOffset = 1e-5f;  // relative to the longest offset

class Transfer {
 public:
  Transfer(const Character& old, const Model& model, Transferred& result) : old_(old), model_(model), result_(result) {}

  Result<void> run() {
    for (Group& group : result_.rig.groups) {
      PELT_TRY(carry_group(group));
    }
    for (Layer& layer : result_.rig.layers) {
      forget_skin(layer.deformer);
      DriverParameters* driver = driver_of(layer.deformer);
      if (driver == nullptr || brings_its_own(*driver)) continue;
      for (KeyPoseSet& set : driver->key_poses) {
        PELT_TRY(carry_poses(set, driver->mesh, fmt::format("a key pose of the driver '{}'", driver->mesh)));
      }
      PELT_TRY(carry_offsets(driver->offsets, driver->mesh, fmt::format("`offsets` of the driver '{}'", driver->mesh)));
    }
    for (Corrective& corrective : result_.rig.correctives) {
      PELT_TRY(carry_poses(corrective.keys, corrective.mesh, fmt::format("a corrective of '{}'", corrective.mesh)));
    }
    return {};
  }

 private:
  // Returns true if patches or a file of its own define the driver; its numbers stay as they are.
  static bool brings_its_own(const DriverParameters& driver) { return !driver.file.empty() || !driver.patches.empty(); }

  // Returns true if a driver mesh was refined or welded, so that the rig's numbers do not fit it.
  bool is_remade(const std::string& name) const {
    return std::any_of(result_.rig.layers.begin(), result_.rig.layers.end(), [&](const Layer& layer) {
      const DriverParameters* driver = driver_of(layer.deformer);
      return driver != nullptr && driver->mesh == name && (driver->weld > 0 || !driver->refine.empty());
    });
  }

  // Returns the meshes of the old character that a group is used on: targets for masks and vertices, drivers for
  // elements and refinements.
  std::set<std::string> meshes_of(const Group& group) const {
    if (group.mesh != "*") return {group.mesh};
    std::set<std::string> names;
    for (const Layer& layer : result_.rig.layers) {
      const auto add_target = [&] {
        for (const CharacterMesh& mesh : old_->meshes) {
          if (layer.target == mesh.name || (layer.target == "*" && !mesh.control)) names.insert(mesh.name);
        }
      };
      if (layer.mask.region.group == group.name) add_target();
      const DriverParameters* driver = driver_of(layer.deformer);
      for_each_name(layer.deformer, [&](const std::string& name, Names use) {
        if (name != group.name) return;
        if (use == Names::kGroup) add_target();
        if (use == Names::kDriverGroup && driver != nullptr && !brings_its_own(*driver)) names.insert(driver->mesh);
      });
    }
    return names;
  }

  Result<const Map*> map_of(const std::string& name, const std::string& what) {
    const auto known = maps_.find(name);
    if (known != maps_.end()) return &known->second;
    if (!name.empty() && is_remade(name)) {
      return invalid("{} lists numbers of '{}', which is welded or refined; they cannot be carried over", what, name);
    }
    const auto old = std::find_if(old_->meshes.begin(), old_->meshes.end(),
                                  [&](const CharacterMesh& mesh) { return mesh.name == name; });
    if (name.empty() || old == old_->meshes.end()) {
      return invalid("{} lists numbers of a driver that is no mesh of the model; they cannot be carried over", what);
    }
    const Mesh* mesh = model_.find_mesh(name);
    if (mesh == nullptr) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("{} lists numbers of mesh '{}', which is not in '{}'", what, name, model_.name));
    }
    PELT_ASSIGN(auto map, Map::create(*old, *mesh, result_.notes));
    return &maps_.emplace(name, std::move(map)).first->second;
  }

  Result<void> carry_group(Group& group) {
    if (group.vertices.empty() && group.triangles.empty()) return {};
    const std::string what = fmt::format("the group '{}'", group.name);
    const std::set<std::string> names = meshes_of(group);
    if (names.empty()) return {};
    if (names.size() != 1) {
      return invalid("{} lists numbers and is used on {} meshes; say which mesh it is of", what, names.size());
    }
    PELT_ASSIGN(const auto map, map_of(*names.begin(), what));
    if (map->same()) return {};
    const std::size_t old_vertices = map->old_mesh().positions.size();
    const auto mark = [&](const std::vector<IndexRange>& ranges, std::size_t count, const auto& set) {
      return for_each_index(ranges, count, what + " lists",
                            fmt::format("mesh '{}' of the old character has", *names.begin()), set);
    };
    if (!group.vertices.empty()) {
      std::vector<float> values(old_vertices, 0.0f);
      PELT_TRY(mark(group.vertices, old_vertices, [&](std::uint32_t i, std::size_t place) {
        values[i] = place < group.values.size() ? group.values[place] : 1.0f;
      }));
      values = map->carry(values);
      for (float& value : values) value = value < kMinValue ? 0.0f : std::min(value, 1.0f);
      group.vertices = ranges_of(values);
      group.values.clear();
      std::erase(values, 0.0f);
      if (std::any_of(values.begin(), values.end(), [](float v) { return v < 1 - kMinValue; })) group.values = values;
    }
    if (!group.triangles.empty()) {
      std::vector<std::uint8_t> marked_triangles(triangle_count(*names.begin()), 0);
      PELT_TRY(mark(group.triangles, marked_triangles.size(),
                    [&](std::uint32_t t, std::size_t) { marked_triangles[t] = 1; }));
      group.triangles = ranges_of(map->carry_triangles(marked_triangles));
    }
    // A group without a list and a region would be the whole mesh.
    if (group.vertices.empty() && group.triangles.empty() && group.region == Region{}) {
      return invalid("nothing of the new mesh '{}' is in {}", *names.begin(), what);
    }
    group.mesh = *names.begin();
    return {};
  }

  std::size_t triangle_count(const std::string& name) const {
    return std::find_if(old_->meshes.begin(), old_->meshes.end(),
                        [&](const CharacterMesh& mesh) { return mesh.name == name; })
        ->triangles.size();
  }

  // Returns true if the model has the skins of the old character, in their order and topology.
  bool has_same_skins() const {
    std::vector<const Mesh*> skins;
    for (const Mesh& mesh : model_.meshes) {
      const auto old = std::ranges::find(old_->meshes, mesh.name, &CharacterMesh::name);
      if (old == old_->meshes.end() || !old->control) skins.push_back(&mesh);
    }
    auto next = skins.begin();
    for (const CharacterMesh& old : old_->meshes) {
      if (old.control) continue;
      if (next == skins.end() || (*next)->name != old.name || topology_hash(**next) != old.topology) return false;
      ++next;
    }
    return next == skins.end();
  }

  // Removes what a layer knows of the old skin's vertices where the skin is another.
  void forget_skin(DeformerParameters& deformer) {
    const DeformerEntry& entry = deformer_entry(deformer);
    if (entry.forget_skin == nullptr || has_same_skins()) return;
    std::string note = entry.forget_skin(deformer);
    if (!note.empty()) result_.notes.push_back(std::move(note));
  }

  Result<void> carry_poses(KeyPoseSet& set, const std::string& mesh, const std::string& what) {
    for (KeyPose& pose : set.poses) {
      PELT_TRY(carry_offsets(pose.offsets, mesh, what));
    }
    return {};
  }

  Result<void> carry_offsets(std::vector<VertexOffset>& offsets, const std::string& mesh, const std::string& what) {
    if (offsets.empty()) return {};
    PELT_ASSIGN(const auto map, map_of(mesh, what));
    if (map->same()) return {};
    std::vector<glm::vec3> all(map->old_mesh().positions.size(), glm::vec3(0.0f));
    for (const VertexOffset& offset : offsets) {
      if (offset.vertex >= all.size()) return invalid("{} offsets vertex {}", what, offset.vertex);
      all[offset.vertex] += offset.offset;
    }
    all = map->carry(all);
    float longest = 0;
    for (const glm::vec3& offset : all) longest = std::max(longest, glm::length(offset));
    offsets.clear();
    for (std::uint32_t v = 0; v < all.size(); ++v) {
      if (glm::length(all[v]) > kMinOffset * longest) offsets.push_back({v, all[v]});
    }
    return {};
  }

  const Character& old_;
  const Model& model_;
  Transferred& result_;
  std::map<std::string, Map> maps_;
};

}  // namespace

Result<Transferred> transfer_rig(const Character& old, const Model& model, const std::string& directory) {
  if (old->rig.empty()) return invalid("'{}' keeps no rig to carry over", old->name);
  PELT_ASSIGN(auto rig, parse_rig(old->rig, fmt::format("the rig of '{}'", old->name)));
  Transferred result{std::move(rig), {}};
  result.rig.directory = directory;
  result.rig.files = NamedFiles::kNone;
  PELT_TRY(Transfer(old, model, result).run());
  return result;
}

}  // namespace pelt
