// SPDX-License-Identifier: MIT
#include "engine/character/check_palette.h"

#include <algorithm>
#include <array>

#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/invalid.h"
#include "engine/character/records.h"
#include "engine/character/rows/morphs.h"
#include "shaders/blend/blend.h"
#include "shaders/dual_quaternion/pose.h"

namespace pelt {
namespace {

Groups groups_of(BlendMode mode) {
  switch (mode) {
    case BlendMode::kWires:
      return Groups::kSeveral;
    case BlendMode::kOffsets:
      return Groups::kWithPoints;
    default:
      return Groups::kOne;
  }
}

// Marks palette entries [first, first + count) as written. `contents`: of even and odd entries. Precondition: they are
// in the palette.
Result<void> write_entries(std::vector<PaletteEntry>& entries, std::uint32_t first, std::uint64_t count,
                           std::uint32_t first_stage, std::array<EntryContent, 2> contents) {
  for (std::uint64_t i = 0; i < count; ++i) {
    PaletteEntry& entry = entries[first + i];
    if (entry.content != EntryContent::kNothing) return invalid("palette entry {} is written twice", first + i);
    entry = {contents[i % 2], first_stage};
  }
  return {};
}

bool inside(std::uint64_t first, std::uint64_t count, std::uint64_t size) { return first + count <= size; }

Result<void> check_entry(const CharacterMesh& mesh, const std::vector<PaletteEntry>& entries, std::uint64_t index,
                         EntryContent wanted) {
  if (index >= entries.size()) {
    return invalid("mesh '{}' uses palette entry {}, but there are only {}", mesh.name, index, entries.size());
  }
  if (entries[index].content != wanted) {
    return invalid("mesh '{}' uses palette entry {}, which does not hold what its blend mode reads", mesh.name, index);
  }
  if (entries[index].first_stage > mesh.stage) {
    return invalid("mesh '{}' of stage {} uses palette entry {}, which is written later", mesh.name, mesh.stage, index);
  }
  return {};
}

}  // namespace

Result<std::vector<PaletteEntry>> find_writers(const CharacterData& data) {
  // Each pass is compared with all others, in quadratic time.
  constexpr std::size_t kMaxPasses = 16384;
  if (data.passes.size() > kMaxPasses) {
    return invalid("there are {} palette passes, more than {}", data.passes.size(), kMaxPasses);
  }
  // Count before allocating palette_size entries.
  std::uint64_t written = 0;
  for (std::size_t p = 0; p < data.passes.size(); ++p) {
    const PalettePass& pass = data.passes[p];
    if (static_cast<std::size_t>(pass.kernel) >= kPoseKernelCount) {
      return invalid("palette pass {} has unknown kernel {}", p, static_cast<std::uint32_t>(pass.kernel));
    }
    const PoseKernelInfo& kernel = pose_kernel(pass.kernel);
    if (pass.records.size() != std::uint64_t{pass.record_count} * kernel.record_words) {
      return invalid("palette pass {} ({}) has {} words for {} records", p, kernel.name, pass.records.size(),
                     pass.record_count);
    }
    if (pass.stage >= data.stage_count) {
      return invalid("palette pass {} ({}) is in stage {} of {}", p, kernel.name, pass.stage, data.stage_count);
    }
    const std::uint64_t count = std::uint64_t{pass.record_count} * kernel.entries_per_record;
    if (!inside(pass.first_entry, count, data.palette_size)) {
      return invalid("palette pass {} ({}) writes past the {} palette entries", p, kernel.name, data.palette_size);
    }
    written += count;
  }
  for (const CharacterMesh& mesh : data.meshes) {
    if (!mesh.frame_entry) continue;
    if (!mesh.control) return invalid("mesh '{}' writes frames, but is not a control mesh", mesh.name);
    if (!inside(*mesh.frame_entry, mesh.vertex_count(), data.palette_size)) {
      return invalid("the frames of mesh '{}' extend past the {} palette entries", mesh.name, data.palette_size);
    }
    written += mesh.vertex_count();
  }
  if (written != data.palette_size) {
    return invalid("the palette has {} entries, but {} are written", data.palette_size, written);
  }

  std::vector<PaletteEntry> entries(data.palette_size);
  for (const PalettePass& pass : data.passes) {
    const PoseKernelInfo& kernel = pose_kernel(pass.kernel);
    const std::uint64_t count = std::uint64_t{pass.record_count} * kernel.entries_per_record;
    PELT_TRY(write_entries(entries, pass.first_entry, count, pass.stage, kernel.contents));
  }
  for (const CharacterMesh& mesh : data.meshes) {
    if (!mesh.frame_entry) continue;
    PELT_TRY(
        write_entries(entries, *mesh.frame_entry, mesh.vertex_count(), mesh.stage + 1, both(EntryContent::kFrame)));
  }
  return entries;
}

Result<void> check_influences(const CharacterMesh& mesh, const std::vector<PaletteEntry>& entries,
                              std::uint32_t& entries_read) {
  if (mesh.first_entry > entries.size()) {
    return invalid("mesh '{}' starts at palette entry {}, but there are only {}", mesh.name, mesh.first_entry,
                   entries.size());
  }
  PELT_TRY(validate(mesh.binding, entries.size() - mesh.first_entry, groups_of(mesh.mode), "mesh '" + mesh.name + "'"));
  const EntryContent wanted =
      mesh.mode == BlendMode::kDualQuaternion ? EntryContent::kDualQuaternion : EntryContent::kFrame;
  const std::uint32_t entry_width = mesh.mode == BlendMode::kDualQuaternion ? shared::kDualQuaternionEntries : 1;
  for (const std::uint32_t word : mesh.binding.influences) {
    const std::uint32_t entry = mesh.first_entry + shared::influence_index(word);
    PELT_TRY(check_entry(mesh, entries, entry, wanted));
    entries_read = std::max(entries_read, entry + entry_width);
  }
  if (!mesh.wires) return {};
  const Result<void> usable = check_entry(mesh, entries, mesh.wires->root_entry, EntryContent::kFrame);
  entries_read = std::max(entries_read, mesh.wires->root_entry + 1);
  return usable;
}

Result<void> check_offsets(const CharacterMesh& mesh, const std::vector<PaletteEntry>& entries) {
  if (!mesh.offset_entry) return {};
  if (!mesh.frame_entry) return invalid("mesh '{}' has offsets, but no frames", mesh.name);
  const std::uint32_t first = mesh.first_offset_vertex;
  const bool divides = mesh.mode == BlendMode::kLinear || mesh.mode == BlendMode::kDualQuaternion;
  if (first > mesh.vertex_count() || first % shared::kSliceRows != 0 || (first != 0 && !divides)) {
    return invalid("mesh '{}' cannot have offsets from vertex {} on", mesh.name, first);
  }
  for (std::uint64_t v = first; v < mesh.vertex_count(); ++v) {
    PELT_TRY(check_entry(mesh, entries, *mesh.offset_entry + v - first, EntryContent::kOffset));
  }
  return {};
}

Result<void> check_morphs(const CharacterMesh& mesh, const std::vector<PaletteEntry>& entries,
                          std::uint32_t& entries_read) {
  if (!mesh.morphs) return {};
  if (mesh.control) return invalid("mesh '{}' has morph targets, but is not a skin", mesh.name);
  PELT_TRY(validate(*mesh.morphs, mesh.vertex_count(), "mesh '" + mesh.name + "'"));
  for (std::uint64_t i = 0; i < mesh.morphs->entry_count(); ++i) {
    PELT_TRY(check_entry(mesh, entries, mesh.morphs->first_entry + i, EntryContent::kWeights));
    if (entries[mesh.morphs->first_entry + i].first_stage != 0)
      return invalid("the weights of the morph targets of mesh '{}' are not posed in stage 0", mesh.name);
  }
  entries_read = std::max(entries_read, mesh.morphs->first_entry + mesh.morphs->entry_count());
  return {};
}

Result<void> check_painted_pass(const CharacterData& data) {
  const PalettePass* known = data.painted_pass();
  for (std::size_t p = 0; p < data.passes.size(); ++p) {
    const PalettePass& pass = data.passes[p];
    if (!pass.painted) continue;
    if (&pass != known) return invalid("palette pass {} is a second pass for painted weights", p);
    if (pass.kernel != PoseKernel::kLinearBlend || pass.record_count != data.bound_joints.size()) {
      return invalid("palette pass {} ({}) is for painted weights, but does not pose the {} bound joints", p,
                     pose_kernel(pass.kernel).name, data.bound_joints.size());
    }
  }
  return {};
}

Result<void> check_painted(const CharacterMesh& mesh, const CharacterData& data) {
  if (!mesh.painted) return {};
  if (mesh.control) return invalid("mesh '{}' has painted weights, but is not a skin", mesh.name);
  if (data.painted_pass() == nullptr) {
    return invalid("mesh '{}' has painted weights, but no palette pass poses the bound joints", mesh.name);
  }
  if (mesh.painted->first_joint > data.bound_joints.size()) {
    return invalid("the painted weights of mesh '{}' start at bound joint {}, but there are only {}", mesh.name,
                   mesh.painted->first_joint, data.bound_joints.size());
  }
  return validate(painted_binding(mesh), data.bound_joints.size() - mesh.painted->first_joint, Groups::kOne,
                  formatted("the painted weights of mesh '{}'", mesh.name));
}

}  // namespace pelt
