// SPDX-License-Identifier: MIT
#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include <pelt/move_driver.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/kernels/move_drivers.h"
#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "engine/character/rows/surface_gradient.h"
#include "engine/character/rows/tilt.h"
#include "shaders/driver/key_pose/pose.h"

namespace pelt {
namespace {

// An offset in a pass of key poses. One that is constant (shaders/driver/key_pose/pose.h, kKeyConstant) applies in
// every pose; a vertex has at most one, as its last entry.
struct Entry {
  std::uint32_t place;  // index of its weight
  glm::vec3 offset;
  glm::vec3 tilt;
};

// Calls visit(record, entry) for all entries, in order.
template <class Visit>
void for_each_entry(const PalettePass& pass, const Visit& visit) {
  for (std::size_t i = 0; i * kRecordWords<shared::KeyPoseRecord> < pass.records.size(); ++i) {
    const auto record = read_record<shared::KeyPoseRecord>(pass.records, i);
    for (std::uint32_t e = 0; e < record.entry_count; ++e) {
      const std::size_t word = record.first_word + std::size_t{e} * shared::kKeyEntryWords;
      const auto number = [&](std::size_t c) { return std::bit_cast<float>(pass.table[word + 1 + c]); };
      visit(i, Entry{pass.table[word], {number(0), number(1), number(2)}, {number(3), number(4), number(5)}});
    }
  }
}

bool is_constant(const Entry& entry) { return entry.place == shared::kKeyConstant; }

// Returns true if all offsets are constant.
bool is_constant(const PalettePass& pass) {
  bool constant = true;
  for_each_entry(pass, [&](std::size_t, const Entry& entry) { constant = constant && is_constant(entry); });
  return constant;
}

std::vector<glm::vec3> constant_offsets(const PalettePass& pass) {
  std::vector<glm::vec3> offsets(pass.record_count, glm::vec3(0.0f));
  for_each_entry(pass, [&](std::size_t i, const Entry& entry) {
    if (is_constant(entry)) offsets[i] += entry.offset;
  });
  return offsets;
}

// Returns `pass` with these constant offsets, one per record, replacing its own. `surface`: of the moved vertices.
// Precondition: `pass` is valid, or has only its kernel and record_count.
PalettePass with_constant_offsets(const PalettePass& pass, std::span<const glm::vec3> offsets,
                                  const SurfaceGradient& surface) {
  assert(offsets.size() == pass.record_count);
  const std::vector<glm::vec3> tilt = tilts(surface, offsets);
  std::vector<std::vector<Entry>> kept(pass.record_count);
  for_each_entry(pass, [&](std::size_t i, const Entry& entry) {
    if (!is_constant(entry)) kept[i].push_back(entry);
  });
  PalettePass result = pass;
  result.records.clear();
  result.table.clear();
  for (std::size_t i = 0; i < kept.size(); ++i) {
    std::vector<Entry>& entries = kept[i];
    if (offsets[i] != glm::vec3(0.0f) || tilt[i] != glm::vec3(0.0f)) {
      entries.push_back({shared::kKeyConstant, offsets[i], tilt[i]});
    }
    append_record(result.records, shared::KeyPoseRecord{static_cast<std::uint32_t>(result.table.size()),
                                                        static_cast<std::uint32_t>(entries.size())});
    for (const Entry& entry : entries) {
      result.table.push_back(entry.place);
      for (const glm::vec3& vector : {entry.offset, entry.tilt}) {
        for (int c = 0; c < 3; ++c) result.table.push_back(std::bit_cast<std::uint32_t>(vector[c]));
      }
    }
  }
  return result;
}

tl::unexpected<Error> not_as_bound(const CharacterMesh& mesh) {
  return fail(ErrorCode::kUnsupported,
              formatted("the driver '{}': its palette entries are not laid out as bind does; bind again", mesh.name));
}

// Finds the pass of a driver's offsets. Precondition: the driver has offsets. Errors: no pass has exactly the records
// of its last vertices.
Result<std::size_t> offset_pass(const CharacterData& data, const CharacterMesh& mesh) {
  const auto found = std::ranges::find_if(data.passes, [&](const PalettePass& pass) {
    return pass.kernel == PoseKernel::kKeyPose && pass.first_entry == *mesh.offset_entry &&
           pass.record_count == mesh.vertex_count() - mesh.first_offset_vertex;
  });
  if (found == data.passes.end()) return not_as_bound(mesh);
  return static_cast<std::size_t>(found - data.passes.begin());
}

// Returns the offsets of a pass without those that no weight adds, for all vertices of its driver.
PalettePass for_all_vertices(const PalettePass& pass, const CharacterMesh& mesh) {
  PalettePass all = pass;
  std::vector<std::uint32_t> records((mesh.vertex_count() - pass.record_count) * kRecordWords<shared::KeyPoseRecord>);
  records.insert(records.end(), pass.records.begin(), pass.records.end());
  all.records = std::move(records);
  all.record_count = mesh.vertex_count();
  return with_constant_offsets(all, std::vector<glm::vec3>(mesh.vertex_count()), {mesh.binding.points, mesh.triangles});
}

// Finds the pass of some vertices, as bind made it, that put_offsets replaced by one of all vertices.
std::optional<std::size_t> replaced_pass(const CharacterData& data, const CharacterMesh& mesh, const PalettePass& all) {
  const PalettePass plain = for_all_vertices(all, mesh);  // without constants
  for (std::size_t p = 0; &data.passes[p] != &all; ++p) {
    const PalettePass& pass = data.passes[p];
    if (pass.kernel != PoseKernel::kKeyPose || pass.record_count >= mesh.vertex_count() || pass.table != plain.table)
      continue;
    const bool used = std::ranges::any_of(
        data.meshes, [&](const CharacterMesh& other) { return other.offset_entry == pass.first_entry; });
    const std::span<const std::uint32_t> last = std::span(plain.records).last(pass.records.size());
    if (!used && std::ranges::equal(pass.records, last)) return p;
  }
  return std::nullopt;
}

// Returns the offsets in packed order. Precondition: check_driver_offsets has passed.
std::vector<glm::vec3> in_packed_order(const CharacterMesh& mesh, std::span<const VertexOffset> offsets) {
  std::vector<glm::vec3> of_source(mesh.vertex_count(), glm::vec3(0.0f));
  for (const VertexOffset& offset : offsets) of_source[offset.vertex] = offset.offset;
  std::vector<glm::vec3> result;
  result.reserve(mesh.vertex_count());
  for (const std::uint32_t source : mesh.source_vertex) result.push_back(of_source[source]);
  return result;
}

// Removes the offsets of all drivers, and returns them by the driver's mesh index. `entries_read`: as in Character.
Result<std::map<std::size_t, std::vector<glm::vec3>>> take_offsets(CharacterData& data, std::uint32_t entries_read) {
  std::map<std::size_t, std::vector<glm::vec3>> taken;
  std::vector<bool> dropped(data.passes.size(), false);
  std::uint32_t kept_entries = data.palette_size;
  for (std::size_t m = 0; m < data.meshes.size(); ++m) {
    CharacterMesh& mesh = data.meshes[m];
    if (!mesh.control || !mesh.offset_entry) continue;
    PELT_ASSIGN(const auto pass, offset_pass(data, mesh));
    std::vector<glm::vec3> constant(mesh.first_offset_vertex, glm::vec3(0.0f));
    std::ranges::copy(constant_offsets(data.passes[pass]), std::back_inserter(constant));
    taken.emplace(m, std::move(constant));
    const auto replaced = replaced_pass(data, mesh, data.passes[pass]);
    if (!replaced && !is_constant(data.passes[pass])) continue;
    // This pass was added after everything that bind lays out; so were the driver's frames, unless bind made them.
    dropped[pass] = true;
    kept_entries = std::min(kept_entries, data.passes[pass].first_entry);
    mesh.offset_entry.reset();
    if (!replaced) continue;
    mesh.offset_entry = data.passes[*replaced].first_entry;
    mesh.first_offset_vertex = mesh.vertex_count() - data.passes[*replaced].record_count;
  }
  for (CharacterMesh& mesh : data.meshes) {
    if (!mesh.frame_entry || *mesh.frame_entry < kept_entries) continue;
    if (mesh.offset_entry) return not_as_bound(mesh);
    mesh.frame_entry.reset();
  }
  bool needed = entries_read > kept_entries;  // true if other entries follow, or a mesh blends, the entries to drop
  for (std::size_t p = 0; p < data.passes.size(); ++p) {
    needed = needed || (!dropped[p] && data.passes[p].record_count > 0 && data.passes[p].first_entry >= kept_entries);
  }
  if (needed) return fail(ErrorCode::kUnsupported, "the palette is not laid out as bind does; bind again");
  std::size_t p = 0;
  std::erase_if(data.passes, [&](const PalettePass&) { return dropped[p++]; });
  data.palette_size = kept_entries;
  return taken;
}

Result<void> put_offsets(CharacterData& data, std::size_t m, std::span<const glm::vec3> offsets) {
  CharacterMesh& mesh = data.meshes[m];
  const bool moved = std::ranges::any_of(offsets, [](glm::vec3 o) { return o != glm::vec3(0.0f); });
  if (!mesh.offset_entry && !moved) return {};
  std::optional<std::size_t> known;  // the pass of its keys
  if (mesh.offset_entry) {
    PELT_ASSIGN(known, offset_pass(data, mesh));
  }
  const bool holds_all = known && data.passes[*known].record_count == mesh.vertex_count();
  if (known && !holds_all && !moved) return {};
  PalettePass* pass = nullptr;
  if (holds_all) {
    pass = &data.passes[*known];
  } else {
    const std::uint64_t count = mesh.vertex_count();
    if (data.palette_size + 2 * count > kMaxCount) {
      return fail(ErrorCode::kUnsupported,
                  formatted("the driver '{}' has no room in the palette to be moved", mesh.name));
    }
    PalettePass added = known ? for_all_vertices(data.passes[*known], mesh) : PalettePass();
    added.kernel = PoseKernel::kKeyPose;
    added.record_count = mesh.vertex_count();
    added.first_entry = data.palette_size;
    mesh.offset_entry = data.palette_size;
    mesh.first_offset_vertex = 0;
    data.palette_size += mesh.vertex_count();
    if (!mesh.frame_entry) {
      mesh.frame_entry = data.palette_size;
      data.palette_size += mesh.vertex_count();
    }
    pass = &data.passes.emplace_back(std::move(added));
  }
  *pass = with_constant_offsets(*pass, offsets, {mesh.binding.points, mesh.triangles});
  return within(formatted("the driver '{}'", mesh.name), key_pose::kKeyPose.validate(*pass, data));
}

// Applies the offsets of all drivers again, in order, so that the result does not depend on earlier moves.
Result<void> move_all(CharacterData& data, std::uint32_t entries_read, const DriverOffsets& offsets) {
  for (const auto& [m, moves] : offsets) {
    PELT_TRY(check_driver_offsets(data, m, moves));
  }
  PELT_ASSIGN(auto all, take_offsets(data, entries_read));
  for (const auto& [m, moves] : offsets) all[m] = in_packed_order(data.meshes[m], moves);
  for (const auto& [m, moves] : all) {
    PELT_TRY(put_offsets(data, m, moves));
  }
  return {};
}

}  // namespace

Result<void> move_drivers(CharacterData& data, const DriverOffsets& offsets) {
  return move_all(data, data.palette_size, offsets);
}

Result<Character> move_driver_vertices(const Character& character, std::string_view mesh,
                                       std::span<const VertexOffset> offsets) {
  const std::vector<CharacterMesh>& meshes = character->meshes;
  const auto found = std::ranges::find_if(
      meshes, [&](const CharacterMesh& candidate) { return candidate.control && candidate.name == mesh; });
  if (found == meshes.end()) {
    return fail(ErrorCode::kNotFound, formatted("'{}' has no driver '{}'", character->name, mesh));
  }
  const DriverOffsets wanted{{static_cast<std::size_t>(found - meshes.begin()), {offsets.begin(), offsets.end()}}};
  auto data = std::make_shared<CharacterData>(*character);
  PELT_TRY(move_all(*data, character.entries_read_, wanted));
  return Character(std::move(data), character.entries_read_);
}

}  // namespace pelt
