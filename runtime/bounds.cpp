// SPDX-License-Identifier: MIT
#include "runtime/bounds.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "engine/binding/morphs.h"
#include "engine/binding/packed_row.h"
#include "shaders/blend/blend.h"

namespace pelt::runtime {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

// The records of a character by their palette entries, and by the entry of the weights if the mesh has morph targets.
using Records = std::map<std::pair<Pair, std::uint32_t>, shared::BoundsRecord>;

// The morph targets of a mesh, and how far they move each vertex if no weight is beyond 1.
struct MorphReach {
  explicit MorphReach(const CharacterMesh& mesh) {
    if (!mesh.morphs) return;
    slot = mesh.morphs->first_slot;
    slots = mesh.morphs->slot_count();
    of_vertex.resize(mesh.vertex_count(), 0.0f);
    for_each_morph_offset(*mesh.morphs, mesh.vertex_count(),
                          [&](std::size_t, std::size_t row, const shared::MorphSum& sum) {
                            of_vertex[row] += glm::length(sum.position);
                          });
  }

  std::uint32_t slot = 0;
  std::uint32_t slots = 0;
  std::vector<float> of_vertex;  // metres; empty without targets
};

// Extends the record of these palette entries to `point`, which is vertex v.
void grow_to(Records& records, Pair slots, bool dual, float grow, glm::vec3 point, const MorphReach& morphs,
             std::uint32_t v) {
  const float reach = morphs.of_vertex.empty() ? 0.0f : morphs.of_vertex[v];
  const auto [found, is_new] =
      records.try_emplace({slots, morphs.slots > 0 ? morphs.slot : shared::kNoSlot},
                          shared::BoundsRecord{slots.first, slots.second, dual ? 1u : 0u, grow, point, point,
                                               morphs.slot, morphs.slots, reach});
  if (is_new) return;
  shared::BoundsRecord& record = found->second;
  record.grow = std::max(record.grow, grow);
  record.morph_reach = std::max(record.morph_reach, reach);
  record.least = glm::min(record.least, point);
  record.greatest = glm::max(record.greatest, point);
}

// Returns how far a blend of so many dual quaternions may leave the hull of its rigid motions, relative to the greatest
// distance between two of them: 0.5 for two (shaders/bounds/bounds.h), more for each further one.
float reach_of(std::size_t influences) {
  return influences < 2 ? 0.0f : influences == 2 ? 0.5f : influences == 3 ? 1.25f : 2.5f;
}

void add_mesh(const CharacterMesh& mesh, Records& records) {
  const PackedBinding& binding = mesh.binding;
  const bool dual = mesh.mode == BlendMode::kDualQuaternion;
  const bool has_local_points = mesh.mode == BlendMode::kOffsets;
  const MorphReach morphs(mesh);
  std::vector<std::uint32_t> slots;
  for (std::uint32_t v = 0; v < binding.vertex_count(); ++v) {
    slots.clear();
    for_each_influence(binding, v, [&](std::uint32_t word, std::size_t group) {
      const std::uint32_t slot = mesh.first_slot + shared::influence_index(word);
      if (dual) {
        slots.push_back(slot);
        return;
      }
      const glm::vec3 point =
          has_local_points ? glm::vec3(binding.local_points[group * binding.vertex_count() + v]) : binding.points[v];
      grow_to(records, {slot, slot}, false, 0.0f, point, morphs, v);
    });
    if (mesh.wires) {
      const std::uint32_t root = mesh.wires->root_slot;
      grow_to(records, {root, root}, false, 0.0f, binding.points[v], morphs, v);
    }
    for (std::size_t a = 0; a < slots.size(); ++a) {
      for (std::size_t b = slots.size() == 1 ? a : a + 1; b < slots.size(); ++b) {
        grow_to(records, std::minmax(slots[a], slots[b]), true, reach_of(slots.size()), binding.points[v], morphs, v);
      }
    }
  }
}

void add_fit(const CharacterMesh& mesh, Records& records) {
  const MorphReach morphs(mesh);
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    for_each_influence(*mesh.fit, v, [&](std::uint32_t word, std::size_t) {
      const std::uint32_t slot = mesh.fit->first_slot + shared::influence_index(word);
      grow_to(records, {slot, slot}, false, 0.0f, mesh.binding.points[v], morphs, v);
    });
  }
}

void append(const Records& records, BoundsRecords& found) {
  for (const auto& [key, record] : records) found.records.push_back(record);
}

// v' = a + N (a - b), where a and b are in the hull and N is the sum of the absolute values of the negative shares.
float most_negative_shares(const PackedBinding& binding) {
  const std::size_t count = binding.vertex_count();
  float most = 0;
  for (std::size_t v = 0; v < count; ++v) {
    float sum = 0;
    for (std::size_t at = v; at < binding.local_points.size(); at += count)
      sum -= std::min(binding.local_points[at].w, 0.0f);
    most = std::max(most, sum);
  }
  return most;
}

}  // namespace

BoundsRecords find_bounds_records(const CharacterData& data) {
  Records records;
  BoundsRecords found;
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.control) continue;
    add_mesh(mesh, records);
    found.grow = std::max(found.grow, most_negative_shares(mesh.binding));
  }
  append(records, found);
  found.count = static_cast<std::uint32_t>(found.records.size());
  Records fits;
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.fit) add_fit(mesh, fits);
  }
  append(fits, found);
  return found;
}

}  // namespace pelt::runtime
