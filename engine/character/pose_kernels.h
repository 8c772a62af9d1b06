// SPDX-License-Identifier: MIT
// The list of pose kernels: the one place where the engine learns of a new deformer's palette.
#pragma once

#include <glm/glm.hpp>
#include <span>
#include <string>

#include <pelt/character.h>
#include <pelt/frame.h>
#include <pelt/result.h>

#include "engine/character/records.h"
#include "shaders/pose_pass.h"

namespace pelt {

// What a pose kernel may read, and the palette it writes: of one instance.
struct PoseContext {
  std::span<const glm::mat4> joints;    // model-space joint matrices
  std::span<const glm::vec3> vertices;  // posed positions of all meshes; those of earlier stages are valid
  std::span<const float> inputs;        // CharacterData::input_count of them
  std::span<Affine> palette;
};

// What the kernels of shaders/<kernel>/pose.h read by.
inline shared::PoseWork pose_work(const PalettePass& pass, const PoseContext& context) {
  return {pass.table.data(), context.joints.data(), context.vertices.data(), context.inputs.data()};
}

// Poses records [begin, end) of a kernel that writes one entry a record.
template <class Record, Affine (*pose_record)(Record, shared::PoseWork)>
void pose_records(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context) {
  const shared::PoseWork work = pose_work(pass, context);
  for (std::size_t i = begin; i < end; ++i) {
    context.palette[pass.first_slot + i] = pose_record(read_record<Record>(pass.records, i), work);
  }
}

// Whether an earlier stage than the pass's moves this vertex of the instance.
bool is_posed_before(const PalettePass& pass, const CharacterData& data, std::uint32_t vertex);

struct PoseKernelInfo {
  const char* name;                // the shader is shaders/<name>/pose.comp
  std::uint32_t record_words;      // size of a record
  std::uint32_t slots_per_record;  // palette entries it writes
  // Indices in the records against `data`; errors name the record.
  Result<void> (*validate)(const PalettePass& pass, const CharacterData& data);
  // Poses records [begin, end) of the pass.
  void (*pose)(const PalettePass& pass, std::size_t begin, std::size_t end, const PoseContext& context);
  // Appends the words of the chains (shaders/chain/chain.h) that record i turns by. nullptr: by none.
  void (*append_chains)(const PalettePass& pass, std::size_t i, std::vector<std::uint32_t>& chains) = nullptr;
};

constexpr std::size_t kPoseKernelCount = 12;

// Precondition: kernel is one of the enumerators (Character::create has checked it).
const PoseKernelInfo& pose_kernel(PoseKernel kernel);

}  // namespace pelt
