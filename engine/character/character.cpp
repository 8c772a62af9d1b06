// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>
#include <utility>

#include <pelt/character.h>
#include <pelt/try.h>

#include "engine/character/base/guard_memory.h"
#include "engine/character/check_character.h"
#include "engine/character/skin_anchor.h"

namespace pelt {
namespace {

float skin_diagonal(const CharacterData& data) {
  glm::vec3 low(std::numeric_limits<float>::max());
  glm::vec3 high(std::numeric_limits<float>::lowest());
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.control) continue;
    for (const glm::vec3& point : mesh.binding.points) {
      low = glm::min(low, point);
      high = glm::max(high, point);
    }
  }
  return low.x <= high.x ? static_cast<float>(glm::length(glm::dvec3(high) - glm::dvec3(low))) : 0.0f;
}

}  // namespace

std::uint32_t CharacterData::coarsest_level() const {
  std::uint32_t coarsest = 0;
  for (const SkinLevel& skin_level : levels) coarsest = std::max(coarsest, skin_level.level);
  return coarsest;
}

std::optional<std::uint32_t> CharacterData::find_stream(std::string_view mesh) const {
  for (std::uint32_t s = 0; s < streams.size(); ++s) {
    if (meshes[streams[s].mesh].name == mesh) return s;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> CharacterData::find_control(std::string_view wanted) const {
  for (std::uint32_t c = 0; c < controls.size(); ++c) {
    if (controls[c].name == wanted) return c;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> CharacterData::find_anchor(std::string_view wanted) const {
  const auto found = std::ranges::find(anchors, wanted, &SkinAnchor::name);
  if (found == anchors.end()) return std::nullopt;
  return static_cast<std::uint32_t>(found - anchors.begin());
}

std::optional<std::uint32_t> CharacterData::clock_input() const {
  const auto clock = std::ranges::find(controls, ControlKind::kClock, &Control::kind);
  if (clock == controls.end()) return std::nullopt;
  return clock->input;
}

const PalettePass* CharacterData::painted_pass() const {
  const auto found = std::ranges::find(passes, true, &PalettePass::painted);
  return found == passes.end() ? nullptr : &*found;
}

bool CharacterData::has_linear_blend() const {
  const auto is_painted = [](const CharacterMesh& mesh) { return mesh.control || mesh.painted; };
  return std::ranges::all_of(meshes, is_painted) && std::ranges::all_of(levels, is_painted, &SkinLevel::skin);
}

PackedBinding painted_binding(const CharacterMesh& mesh) {
  assert(mesh.painted);
  PackedBinding binding;
  binding.points = mesh.binding.points;
  binding.directions = mesh.binding.directions;
  binding.slices = mesh.painted->slices;
  binding.influences = mesh.painted->influences;
  return binding;
}

SparseRows painted_rows(const CharacterMesh& mesh) {
  if (!mesh.painted) return {};
  SparseRows rows = unpack_rows(painted_binding(mesh));
  for (Influence& influence : rows.influences) influence.index += mesh.painted->first_joint;
  return rows;
}

void rest_inputs(const CharacterData& data, std::span<float> inputs) {
  assert(inputs.size() == data.input_count);
  for (const Stream& stream : data.streams) {
    const std::vector<glm::vec3>& points = data.meshes[stream.mesh].binding.points;
    std::memcpy(&inputs[stream.first_input], points.data(), points.size() * sizeof(glm::vec3));
  }
  for (const Control& control : data.controls) inputs[control.input] = control.rest;
}

Character::Character(std::shared_ptr<const CharacterData> data, std::uint32_t entries_read)
    : data_(std::move(data)), size_(skin_diagonal(*data_)), entries_read_(entries_read) {}

Result<Character> Character::create(CharacterData data) {
  return guard_memory([&]() -> Result<Character> {
    PELT_ASSIGN(auto entries_read, check_character(data));
    PELT_TRY(check_levels(data, entries_read));
    return Character(std::make_shared<const CharacterData>(std::move(data)), entries_read);
  });
}

Character Character::at_level(std::uint32_t level) const {
  if (level == 0 && data_->levels.empty()) return *this;
  CharacterData data = *data_;
  for (SkinLevel& skin_level : data.levels) {  // finer ones come first
    if (skin_level.level <= level) data.meshes[skin_level.of] = std::move(skin_level.skin);
  }
  data.levels.clear();
  data.certificate.errors.clear();  // of the full skins' vertices
  for (SkinAnchor& anchor : data.anchors) {
    const CharacterMesh& before = data_->meshes[anchor.mesh];
    const CharacterMesh& now = data.meshes[anchor.mesh];
    if (now.name != before.name) move_anchor(before, now, anchor);
  }
  std::uint32_t next = 0;
  for (CharacterMesh& mesh : data.meshes) {
    mesh.first_vertex = next;
    next += mesh.vertex_count();
  }
  return Character(std::make_shared<const CharacterData>(std::move(data)), entries_read_);
}

}  // namespace pelt
