// SPDX-License-Identifier: MIT
// The interface of pose kernels; <pelt/pose_kernels.list> lists them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <pelt/character.h>
#include <pelt/frame.h>
#include <pelt/result.h>
#include <pelt/tools/palette_entry.h>

#include "engine/character/records.h"
#include "shaders/pose_pass.h"

namespace pelt {

// The inputs of a pose kernel for one instance, and the palette that it writes.
struct PoseContext {
  std::span<const glm::mat4> joints;    // model-space joint matrices
  std::span<const glm::vec3> vertices;  // posed positions of all meshes; valid for those of earlier stages
  std::span<const float> inputs;        // CharacterData::input_count numbers
  std::span<Affine> palette;
  bool restarts = false;  // the instance does not continue its last pose: secondary action starts at rest
};

// Makes the pointers through which the kernels of shaders/<kernel>/pose.h read.
inline shared::PoseWork pose_work(const PalettePass& pass, const PoseContext& context) {
  return {pass.table.data(),
          context.joints.data(),
          context.vertices.data(),
          context.inputs.data(),
          reinterpret_cast<const float*>(context.palette.data()),
          context.restarts};
}

// Makes them from only a table and posed entries, for functions that read nothing else.
inline shared::PoseWork table_work(std::span<const std::uint32_t> table, std::span<const Affine> palette = {}) {
  return {table.data(), nullptr, nullptr, nullptr, reinterpret_cast<const float*>(palette.data())};
}

// Poses records [begin, end) with a function that returns the palette entries of a record: an Affine, or a struct of
// only Affines. Flattened: small functions that pass matrices cost more calls than work.
template <class Record, auto pose_record>
[[gnu::flatten]] void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end,
                                   const PoseContext& context) {
  using Entries = decltype(pose_record(std::declval<Record>(), std::declval<shared::PoseWork>()));
  constexpr std::size_t entry_bytes = sizeof(Affine);
  constexpr std::size_t entries_per_record = sizeof(Entries) / entry_bytes;
  static_assert(sizeof(Entries) % entry_bytes == 0);
  const shared::PoseWork work = pose_work(pass, context);
  for (std::size_t i = begin; i < end; ++i) {
    const Entries posed = pose_record(read_record<Record>(pass.records, i), work);
    std::memcpy(static_cast<void*>(&context.palette[pass.first_entry + i * entries_per_record]), &posed,
                sizeof(Entries));
  }
}

// Does the same with a function that returns entry `k` of a record, of `entries_per_record`.
template <class Record, std::uint32_t entries_per_record, auto pose_entry>
[[gnu::flatten]] void pose_entries(const PalettePass& pass, std::size_t begin, std::size_t end,
                                   const PoseContext& context) {
  const shared::PoseWork work = pose_work(pass, context);
  for (std::size_t i = begin; i < end; ++i) {
    const auto record = read_record<Record>(pass.records, i);
    Affine* entries = &context.palette[pass.first_entry + i * entries_per_record];
    for (std::uint32_t k = 0; k < entries_per_record; ++k) entries[k] = pose_entry(record, work, k);
  }
}

// Returns true if a stage before the pass's moves this vertex of the instance.
bool is_posed_before(const PalettePass& pass, const CharacterData& data, std::uint32_t vertex);

// One palette entry of a pass: number `in_record` of the entries of record `record`.
struct PassEntry {
  const PalettePass& pass;
  std::uint32_t record = 0;
  std::uint32_t in_record = 0;

  template <class Record>
  Record read() const {
    return read_record<Record>(pass.records, record);
  }
  float number(std::uint32_t word) const { return std::bit_cast<float>(pass.table[word]); }
  // The pass's table, for functions of shaders/ that read nothing else.
  shared::PoseWork table() const { return table_work(pass.table); }
};

// The rest of entries without frames.
inline EntryRest no_rest(const PassEntry&) { return {}; }

// The content of a palette entry.
enum class EntryContent : std::uint8_t {
  kNothing,  // no pass writes it
  kFrame,    // a transform from rest
  kDualQuaternion,
  kStretch,  // the stretch of a dual quaternion
  kOffset,   // of a vertex, added before its blend
  kWeights,  // of morph targets and key poses
  kNumbers,  // meaningful only to readers of this kernel's entries
};

// Makes PoseKernelInfo::contents of a kernel whose entries have the same content.
constexpr std::array<EntryContent, 2> both(EntryContent content) { return {content, content}; }

using PoseRecords = void(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context);

// The description of a pose kernel, defined in its deformer's folder.
struct PoseKernelInfo {
  const char* name;  // for people
  std::uint32_t record_words;
  std::uint32_t entries_per_record;  // palette entries per record
  // Checks indices in the records against `data`; errors name the record.
  Result<void> (*validate)(const PalettePass& pass, const CharacterData& data);
  PoseRecords* pose;
  // For tools (pelt/tools/inspect.h): an entry's frame at rest, its name, and its sources.
  EntryRest (*rest)(const PassEntry& entry);
  std::string (*label)(const PassEntry& entry, const CharacterData& data);
  void (*append_sources)(const PassEntry& entry, const CharacterData& data, std::vector<EntrySource>& sources);
  // Appends the points that shape the pass's curves; nullptr: it has no curves.
  void (*append_handles)(const PalettePass& pass, const PoseContext& context,
                         std::vector<PosedHandle>& handles) = nullptr;
  // Contents of even and odd entries of a pass; if these differ, a record has an even number of entries.
  std::array<EntryContent, 2> contents = both(EntryContent::kFrame);
  bool invocation_per_entry = false;  // true: a shader invocation poses an entry; false: a record
  bool posed_first = false;           // before the other passes of its stage, which may read its entries
};

#define PELT_POSE_KERNEL(kernel, folder, shader) \
  namespace folder {                             \
  extern const PoseKernelInfo kernel;            \
  }
#include <pelt/pose_kernels.list>
#undef PELT_POSE_KERNEL

constexpr std::size_t kPoseKernelCount = 0
#define PELT_POSE_KERNEL(kernel, folder, shader) +1
#include <pelt/pose_kernels.list>
#undef PELT_POSE_KERNEL
    ;

// Returns the mesh of this vertex of the instance. Precondition: vertex < data.vertex_count().
const CharacterMesh& mesh_of(const CharacterData& data, std::uint32_t vertex);

// Returns a name such as "body vertex 12", with the model's vertex number.
std::string vertex_label(const CharacterData& data, std::uint32_t vertex);

// Returns the description of a kernel. Precondition: it is an enumerator (checked by Character::create).
const PoseKernelInfo& pose_kernel(PoseKernel kernel);

// Returns true if the pass computes weights. Morph targets read them, so it is posed at every detail.
inline bool writes_weights(PoseKernel kernel) { return pose_kernel(kernel).contents[0] == EntryContent::kWeights; }

}  // namespace pelt
