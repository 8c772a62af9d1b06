// SPDX-License-Identifier: MIT
#include "engine/character/evaluate/query/skin_index.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "engine/character/base/guard_memory.h"
#include "engine/character/base/invalid.h"
#include "engine/character/evaluate/query/node_records.h"
#include "engine/character/file/bounds.h"
#include "engine/character/rows/morphs.h"

namespace pelt {
namespace {

// The cost of moving a vertex, and of opening a node, in boxes of one record.
constexpr float kVertexCost = 10;
constexpr float kNodeCost = 2;

// Makes the tree of one mesh by halving its triangles along the longest side of the box of their middles.
class Tree {
 public:
  // `area`: of the box of all skins at rest.
  Tree(std::uint32_t mesh, float area, SkinIndex::Data& index)
      : number_(mesh),
        index_(index),
        triangles_(index.character->meshes[mesh].triangles),
        records_(index.character->meshes[mesh], index) {
    const CharacterMesh& skin = index.character->meshes[mesh];
    for (const glm::uvec3& t : skin.triangles)
      middles_.push_back(skin.binding.points[t.x] + skin.binding.points[t.y] + skin.binding.points[t.z]);
    last_part_.resize(skin.vertex_count());
    numbers_.resize(skin.vertex_count());
    const std::size_t first = index.triangles.size();
    for (std::uint32_t t = 0; t < skin.triangles.size(); ++t) index.triangles.push_back({t, {}});
    add(first, index.triangles.size(), 0);
    for (std::size_t part = 0; part < parts_.size(); ++part) divide(part);
    choose_boxes(skin, area);
    if (skin.morphs) find_morphs(skin);
    index.roots.push_back(static_cast<std::uint32_t>(index.nodes.size()));
    index.nodes.push_back({.mesh = mesh});
    make_nodes(skin);
  }

 private:
  // A part of the triangles, in the order of the index. Two children follow each other.
  struct Part {
    std::size_t first;
    std::size_t last;
    std::size_t parent;
    std::size_t children = 0;  // the first of two; 0: a leaf
    std::size_t first_vertex = 0;
    std::size_t last_vertex = 0;
    bool has_box = false;
  };

  void add(std::size_t first, std::size_t last, std::size_t parent) { parts_.push_back({first, last, parent}); }

  std::span<const std::uint32_t> vertices_of(const Part& part) const {
    return std::span(vertices_).subspan(part.first_vertex, part.last_vertex - part.first_vertex);
  }

  void divide(std::size_t part) {
    const std::size_t first = parts_[part].first, last = parts_[part].last;
    const std::span<SkinIndex::Data::Triangle> order = std::span(index_.triangles).subspan(first, last - first);
    glm::vec3 least(INFINITY), greatest(-INFINITY);
    const std::size_t first_vertex = vertices_.size();
    for (SkinIndex::Data::Triangle& triangle : order) {
      least = glm::min(least, middles_[triangle.number]);
      greatest = glm::max(greatest, middles_[triangle.number]);
      for (int corner = 0; corner < 3; ++corner) {
        const std::uint32_t v = triangles_[triangle.number][corner];
        if (std::exchange(last_part_[v], part + 1) != part + 1) {
          numbers_[v] = static_cast<std::uint8_t>(vertices_.size() - first_vertex);
          vertices_.push_back(v);
        }
        triangle.corners[corner] = numbers_[v];  // right in leaves
      }
    }
    parts_[part].first_vertex = first_vertex;
    parts_[part].last_vertex = vertices_.size();
    if (order.size() <= kLeafTriangles) return;
    const glm::vec3 sides = greatest - least;
    const int axis = sides.x >= sides.y && sides.x >= sides.z ? 0 : sides.y >= sides.z ? 1 : 2;
    const std::size_t half = order.size() / 2;
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(half), order.end(),
                     [&](const auto& a, const auto& b) {
                       return std::pair(middles_[a.number][axis], a.number) <
                              std::pair(middles_[b.number][axis], b.number);
                     });
    parts_[part].children = parts_.size();
    add(first, first + half, part);
    add(first + half, last, part);
  }

  // Decides which parts get a box: those that save more than they cost a ray that meets the part above, if it meets a
  // part in proportion to the area of its box at rest.
  void choose_boxes(const CharacterMesh& skin, float area) {
    struct Cost {
      float boxes = 0;   // of the boxes that are tested if the part above is met
      float beyond = 0;  // of what follows if they are met
    };
    std::vector<Cost> costs(parts_.size());
    std::vector<float> areas;
    for (const Part& part : parts_) {
      PointBox box;
      for (const std::uint32_t v : vertices_of(part)) box.add(skin.binding.points[v]);
      areas.push_back(box.area());
    }
    for (std::size_t p = parts_.size(); p-- > 0;) {
      Part& part = parts_[p];
      Cost below{0, kVertexCost * static_cast<float>(vertices_of(part).size())};
      if (part.children != 0) {
        const Cost &a = costs[part.children], &b = costs[part.children + 1];
        below = {a.boxes + b.boxes, a.beyond + b.beyond};
      }
      const float above = p == 0 ? area : areas[part.parent];
      const float chance = above > 0 ? areas[p] / above : 1.0f;
      const std::size_t records = records_.count(vertices_of(part));
      const Cost without{below.boxes, part.children == 0 ? below.beyond : chance * below.beyond};
      const Cost with{kNodeCost + static_cast<float>(records), chance * (below.boxes + below.beyond)};
      part.has_box = records > 0 && with.boxes + with.beyond < without.boxes + without.beyond;
      costs[p] = part.has_box ? with : without;
    }
  }

  // Appends the first parts below `part` that have boxes, or are leaves.
  void append_nodes(const Part& part) {
    for (const std::size_t child : {part.children, part.children + 1}) {
      if (!parts_[child].has_box && parts_[child].children != 0) {
        append_nodes(parts_[child]);
        continue;
      }
      index_.nodes.push_back({.mesh = number_});
      part_of_node_.push_back(child);
    }
  }

  void make_nodes(const CharacterMesh& skin) {
    part_of_node_ = {0};
    const std::size_t root = index_.roots.back();
    for (std::size_t n = 0; n < part_of_node_.size(); ++n) {
      const Part& part = parts_[part_of_node_[n]];
      SkinIndex::Data::Node node{.mesh = number_};
      if (part.has_box) records_.append(vertices_of(part), node);
      if (part.has_box && skin.morphs) append_morphs(part, node);
      if (part.children == 0) {
        node.first = static_cast<std::uint32_t>(part.first);
        node.last = static_cast<std::uint32_t>(part.last);
        node.first_vertex = static_cast<std::uint32_t>(index_.vertices.size());
        node.vertex_count = static_cast<std::uint32_t>(vertices_of(part).size());
        index_.vertices.insert(index_.vertices.end(), vertices_of(part).begin(), vertices_of(part).end());
      } else {
        node.first_child = static_cast<std::uint32_t>(index_.nodes.size());
        append_nodes(part);
        node.child_count = static_cast<std::uint32_t>(index_.nodes.size()) - node.first_child;
      }
      index_.nodes[root + n] = node;
    }
  }

  void find_morphs(const CharacterMesh& skin) {
    morphs_of_.resize(skin.vertex_count());
    const std::vector<float> factors = local_frame_factors(skin.binding);
    for_each_morph_offset(*skin.morphs, skin.vertex_count(),
                          [&](std::uint32_t target, std::size_t row, const shared::MorphSum& sum) {
                            const float reach = factors[row] * glm::length(sum.position);
                            if (reach > 0) morphs_of_[row].push_back({shared::morph_weight_place(target), reach});
                          });
  }

  void append_morphs(const Part& part, SkinIndex::Data::Node& node) {
    std::map<std::uint32_t, float> reaches;  // by the index of the weight
    for (const std::uint32_t v : vertices_of(part)) {
      for (const auto& [place, reach] : morphs_of_[v]) reaches[place] = std::max(reaches[place], reach);
    }
    node.first_morph = static_cast<std::uint32_t>(index_.morphs.size());
    node.morph_count = static_cast<std::uint32_t>(reaches.size());
    for (const auto& [place, reach] : reaches) index_.morphs.push_back({place, reach});
  }

  std::uint32_t number_;
  SkinIndex::Data& index_;
  std::span<const glm::uvec3> triangles_;
  NodeRecords records_;
  std::vector<glm::vec3> middles_;         // three times that of each triangle
  std::vector<std::size_t> last_part_;     // per vertex: 1 + the last part that took it
  std::vector<std::uint8_t> numbers_;      // per vertex: its number in that part, if it is a leaf
  std::vector<std::uint32_t> vertices_;    // of each part
  std::vector<Part> parts_;                // parents first
  std::vector<std::size_t> part_of_node_;  // from the root on
  std::vector<std::vector<SkinIndex::Data::Morph>> morphs_of_{};  // per vertex
};

}  // namespace

Result<SkinIndex> SkinIndex::create(const Character& character) {
  return guard_memory([&]() -> Result<SkinIndex> {
    auto index = std::make_shared<Data>(Data{.character = character});
    PointBox all;
    for (const CharacterMesh& mesh : character->meshes) {
      for (std::size_t v = 0; !mesh.control && v < mesh.vertex_count(); ++v) all.add(mesh.binding.points[v]);
    }
    for (std::uint32_t m = 0; m < character->meshes.size(); ++m) {
      if (!character->meshes[m].control && !character->meshes[m].triangles.empty()) Tree(m, all.area(), *index);
    }
    if (index->roots.empty()) return invalid("no skin of '{}' has triangles", character->name);
    return SkinIndex(std::move(index));
  });
}

}  // namespace pelt
