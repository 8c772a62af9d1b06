// SPDX-License-Identifier: MIT
#include <cstring>
#include <span>

#include <pelt/runtime/bind_data.h>

#include "engine/character/file/bounds.h"
#include "engine/character/pose_kernels.h"
#include "engine/character/rows/morphs.h"
#include "engine/character/rows/tension_rings.h"
#include "engine/character/skin_anchor.h"

namespace pelt::runtime {

// Data that are derived from a character.
struct BindData::Found {
  Character character;
  BoundsRecords bounds;
  std::vector<std::vector<glm::uvec3>> morph_columns;  // by mesh, then by level
  std::vector<TensionRings> rings;                     // the same
  std::vector<shared::SkinAnchorRecord> anchors;
};

namespace {

constexpr std::uint64_t round_up(std::uint64_t value, std::uint64_t step) { return (value + step - 1) / step * step; }

// Writes streams of elements one after the other into a part of a buffer, or only measures them.
class PartWriter {
 public:
  // `begin`: the part's first byte in the buffer; `bytes`: the part; null: only measures.
  PartWriter(std::uint64_t begin, std::byte* bytes) : begin_(begin), at_(begin), bytes_(bytes) {}

  // Appends a stream and returns the index of its first element, counted from the buffer's start.
  std::uint32_t append(std::span<const std::byte> stream, std::size_t element_bytes) {
    most_bytes_ += stream.size() + element_bytes - 1;
    at_ = round_up(at_, element_bytes);
    const auto index = static_cast<std::uint32_t>(at_ / element_bytes);
    if (bytes_ != nullptr && !stream.empty()) std::memcpy(bytes_ + (at_ - begin_), stream.data(), stream.size());
    at_ += stream.size();
    return index;
  }
  template <class T>
  std::uint32_t append(const std::vector<T>& values) {
    return append(std::as_bytes(std::span(values)), sizeof(T));
  }

  std::uint64_t most_bytes() const { return most_bytes_; }  // an upper bound for any `begin`

 private:
  std::uint64_t begin_;
  std::uint64_t at_;
  std::byte* bytes_;
  std::uint64_t most_bytes_ = 0;
};

// Visits the meshes of a character, then its levels.
template <class Visit>
void for_each_mesh(const CharacterData& data, const Visit& visit) {
  for (const CharacterMesh& mesh : data.meshes) visit(mesh);
  for (const SkinLevel& level : data.levels) visit(level.skin);
}

// Returns the columns in the layout of shaders/morph/morph.h.
std::vector<glm::uvec3> morph_columns(const PackedMorphs& morphs) {
  static_assert(sizeof(glm::uvec3) == shared::kMorphColumnWords * sizeof(std::uint32_t));
  const std::vector<std::uint32_t> places = morph_places(morphs);
  std::vector<glm::uvec3> columns;
  columns.reserve(places.size());
  for (std::size_t c = 0; c < places.size(); ++c) {
    columns.emplace_back(morphs.columns[c].x, places[c], morphs.columns[c].y);
  }
  return columns;
}

MeshStart write_mesh(const CharacterMesh& mesh, const std::vector<glm::uvec3>& columns, const TensionRings& rings,
                     PartWriter& part) {
  const PackedBinding& binding = mesh.binding;
  MeshStart start{.local_point = part.append(binding.local_points),
                  .point = part.append(binding.points),
                  .direction = part.append(binding.directions),
                  .slice = part.append(binding.slices),
                  .influence = part.append(binding.influences),
                  .gradient = part.append(binding.gradients),
                  .gradient_unit = part.append(binding.gradient_units)};
  if (mesh.painted) {
    const bool same = mesh.painted->slices == binding.slices && mesh.painted->influences == binding.influences;
    start.painted_slice = same ? start.slice : part.append(mesh.painted->slices);
    start.painted_influence = same ? start.influence : part.append(mesh.painted->influences);
  }
  if (mesh.morphs) {
    start.morph_slice = part.append(mesh.morphs->slices);
    start.morph_column = part.append(std::as_bytes(std::span(columns)), sizeof(std::uint32_t));
    start.morph_offset = part.append(mesh.morphs->offsets);
  }
  if (!rings.slices.empty()) {
    start.ring_slice = part.append(rings.slices);
    start.ring = part.append(rings.words);
  }
  return start;
}

// Writes all streams, and returns their starts.
template <class Found>
PlacedCharacter write_all(const Found& found, PartWriter& part) {
  const CharacterData& data = *found.character;
  PlacedCharacter placed{.character = found.character};
  std::size_t number = 0;
  for_each_mesh(data, [&](const CharacterMesh& mesh) {
    std::vector<MeshStart>& starts = number < data.meshes.size() ? placed.meshes : placed.levels;
    starts.push_back(write_mesh(mesh, found.morph_columns[number], found.rings[number], part));
    ++number;
  });
  for (const PalettePass& pass : data.passes) {
    const std::size_t record_bytes = pose_kernel(pass.kernel).record_words * sizeof(std::uint32_t);
    placed.passes.push_back(
        {.record = part.append(std::as_bytes(std::span(pass.records)), record_bytes), .word = part.append(pass.table)});
  }
  placed.first_bound = part.append(found.bounds.records);
  part.append(found.bounds.entries);  // directly after the records
  placed.bound_count = found.bounds.count;
  placed.painted_bound_count = static_cast<std::uint32_t>(found.bounds.records.size()) - found.bounds.count;
  placed.first_anchor = part.append(found.anchors);
  return placed;
}

}  // namespace

BindData::BindData(const Character& character, bool tension) {
  Found found{.character = character, .bounds = find_bounds_records(*character)};
  for_each_mesh(*character, [&](const CharacterMesh& mesh) {
    found.morph_columns.push_back(mesh.morphs ? morph_columns(*mesh.morphs) : std::vector<glm::uvec3>());
    const bool ringed = tension && !mesh.control;
    found.rings.push_back(ringed ? tension_rings(mesh.binding.points, mesh.triangles) : TensionRings{});
  });
  for (const SkinAnchor& anchor : character->anchors) found.anchors.push_back(anchor_record(anchor));
  PartWriter measured(0, nullptr);
  write_all(found, measured);
  bytes_ = round_up(measured.most_bytes(), kAlignment);
  found_ = std::make_shared<const Found>(std::move(found));
}

PlacedCharacter BindData::write(std::uint32_t bind_buffer, std::uint64_t offset, std::byte* part) const {
  PartWriter writer(offset, part);
  PlacedCharacter placed = write_all(*found_, writer);
  placed.bind_buffer = bind_buffer;
  return placed;
}

}  // namespace pelt::runtime
