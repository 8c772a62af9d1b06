// SPDX-License-Identifier: MIT
#include "engine/character/evaluate/query/skin_index.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <span>
#include <utility>

#include "engine/character/base/guard_memory.h"
#include "engine/character/base/invalid.h"
#include "engine/character/file/bounds.h"
#include "engine/character/rows/morphs.h"

namespace pelt {
namespace {

// Nodes near the root have so many entries that testing their children is cheaper. The cost of dual quaternions grows
// with the square of the entries.
constexpr std::uint32_t kMostEntries = 128;
constexpr std::uint32_t kMostDualEntries = 6;

// Makes the tree of one mesh by halving its triangles along the longest side of the box of their middles.
class Tree {
 public:
  Tree(std::uint32_t mesh, SkinIndex::Data& index)
      : number_(mesh), index_(index), triangles_(index.character->meshes[mesh].triangles) {
    const CharacterMesh& skin = index.character->meshes[mesh];
    for (const glm::uvec3& t : skin.triangles)
      middles_.push_back(skin.binding.points[t.x] + skin.binding.points[t.y] + skin.binding.points[t.z]);
    last_node_.resize(skin.vertex_count());
    numbers_.resize(skin.vertex_count());
    const std::size_t first = index.triangles.size();
    for (std::uint32_t t = 0; t < skin.triangles.size(); ++t) index.triangles.push_back({t, {}});
    std::size_t node = index.nodes.size();
    index.roots.push_back(static_cast<std::uint32_t>(node));
    add(first, index.triangles.size());
    for (; node < index.nodes.size(); ++node) divide(node);
    add_records(skin);
    if (skin.morphs) add_morphs(skin);
  }

 private:
  void add(std::size_t first, std::size_t last) {
    index_.nodes.push_back({.mesh = number_,
                            .first = static_cast<std::uint32_t>(first),
                            .last = static_cast<std::uint32_t>(last),
                            .record = shared::kNoIndex});
  }

  void divide(std::size_t node) {
    const std::size_t first = index_.nodes[node].first, last = index_.nodes[node].last;
    const std::span<SkinIndex::Data::Triangle> order = std::span(index_.triangles).subspan(first, last - first);
    glm::vec3 least(INFINITY), greatest(-INFINITY);
    const std::size_t first_vertex = vertices_.size();
    for (SkinIndex::Data::Triangle& triangle : order) {
      least = glm::min(least, middles_[triangle.number]);
      greatest = glm::max(greatest, middles_[triangle.number]);
      for (int corner = 0; corner < 3; ++corner) {
        const std::uint32_t v = triangles_[triangle.number][corner];
        if (std::exchange(last_node_[v], node + 1) != node + 1) {
          numbers_[v] = static_cast<std::uint8_t>(vertices_.size() - first_vertex);
          vertices_.push_back(v);
        }
        triangle.corners[corner] = numbers_[v];  // right in leaves
      }
    }
    ends_.push_back(vertices_.size());
    if (order.size() <= kLeafTriangles) {
      index_.nodes[node].first_vertex = static_cast<std::uint32_t>(index_.vertices.size());
      index_.nodes[node].vertex_count = static_cast<std::uint32_t>(vertices_.size() - first_vertex);
      index_.vertices.insert(index_.vertices.end(), vertices_.begin() + static_cast<std::ptrdiff_t>(first_vertex),
                             vertices_.end());
      return;
    }
    const glm::vec3 sides = greatest - least;
    const int axis = sides.x >= sides.y && sides.x >= sides.z ? 0 : sides.y >= sides.z ? 1 : 2;
    const std::size_t half = order.size() / 2;
    std::nth_element(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(half), order.end(),
                     [&](const auto& a, const auto& b) {
                       return std::pair(middles_[a.number][axis], a.number) <
                              std::pair(middles_[b.number][axis], b.number);
                     });
    index_.nodes[node].children = static_cast<std::uint32_t>(index_.nodes.size());
    add(first, first + half);
    add(first + half, last);
  }

  void add_records(const CharacterMesh& skin) {
    const std::uint32_t most = skin.mode == BlendMode::kDualQuaternion ? kMostDualEntries : kMostEntries;
    const BoundsRecords found = find_group_records(skin, vertices_, ends_, most);
    const std::size_t entry_words =
        skin.mode == BlendMode::kDualQuaternion ? shared::kBoundsDualWords : shared::kBoundsSharesWords;
    std::vector<std::uint32_t>& words = index_.words;
    SkinIndex::Data::Node* node = &index_.nodes[index_.roots.back()];
    for (shared::BoundsRecord record : found.records) {
      if (record.entry_count > 0) {
        const std::span entries = std::span(found.entries).subspan(record.first_word, record.entry_count * entry_words);
        node->record = static_cast<std::uint32_t>(words.size());
        record.first_word = node->record + shared::kBoundsRecordWords;
        words.resize(record.first_word);
        std::memcpy(&words[node->record], &record, sizeof record);
        words.insert(words.end(), entries.begin(), entries.end());
      }
      ++node;
    }
    for (std::size_t n = index_.roots.back(); n < index_.nodes.size(); ++n) {
      const std::uint32_t child = index_.nodes[n].children;
      if (child != 0)
        index_.nodes[n].children_record = std::min(index_.nodes[child].record, index_.nodes[child + 1].record);
    }
  }

  void add_morphs(const CharacterMesh& skin) {
    std::vector<std::vector<SkinIndex::Data::Morph>> of_vertex(skin.vertex_count());
    const std::vector<float> factors = local_frame_factors(skin.binding);
    for_each_morph_offset(*skin.morphs, skin.vertex_count(),
                          [&](std::uint32_t target, std::size_t row, const shared::MorphSum& sum) {
                            const float reach = factors[row] * glm::length(sum.position);
                            if (reach > 0) of_vertex[row].push_back({shared::morph_weight_place(target), reach});
                          });
    std::map<std::uint32_t, float> reaches;  // by the index of the weight
    std::size_t first = 0;
    for (std::size_t n = 0; n < ends_.size(); ++n) {
      reaches.clear();
      for (const std::uint32_t v : std::span(vertices_).subspan(first, ends_[n] - first)) {
        for (const auto& [place, reach] : of_vertex[v]) reaches[place] = std::max(reaches[place], reach);
      }
      first = ends_[n];
      SkinIndex::Data::Node& node = index_.nodes[index_.roots.back() + n];
      node.first_morph = static_cast<std::uint32_t>(index_.morphs.size());
      node.morph_count = static_cast<std::uint32_t>(reaches.size());
      for (const auto& [place, reach] : reaches) index_.morphs.push_back({place, reach});
    }
  }

  std::uint32_t number_;
  SkinIndex::Data& index_;
  std::span<const glm::uvec3> triangles_;
  std::vector<glm::vec3> middles_;       // three times that of each triangle
  std::vector<std::size_t> last_node_;   // per vertex: 1 + the last node that took it
  std::vector<std::uint8_t> numbers_;    // per vertex: its number in that node, if it is a leaf
  std::vector<std::uint32_t> vertices_;  // of each node
  std::vector<std::size_t> ends_;        // of the nodes in vertices_
};

}  // namespace

Result<SkinIndex> SkinIndex::create(const Character& character) {
  return guard_memory([&]() -> Result<SkinIndex> {
    auto index = std::make_shared<Data>(Data{.character = character});
    for (std::uint32_t m = 0; m < character->meshes.size(); ++m) {
      if (!character->meshes[m].control && !character->meshes[m].triangles.empty()) Tree(m, *index);
    }
    if (index->roots.empty()) return invalid("no skin of '{}' has triangles", character->name);
    return SkinIndex(std::move(index));
  });
}

}  // namespace pelt
