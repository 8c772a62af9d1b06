// SPDX-License-Identifier: MIT
#include "engine/character/check_character.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include <pelt/finite.h>
#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/invalid.h"
#include "engine/character/check_palette.h"
#include "engine/character/model/helper_joint.h"
#include "engine/character/model/human_bone.h"
#include "engine/character/pose_kernels.h"
#include "engine/character/skin_anchor.h"

namespace pelt {
namespace {

// `what`, for the error: "mesh", "joint" or "control".
template <class Items>
Result<void> names_are_unique(const Items& items, const char* what) {
  // Sorts instead of hashing: names chosen to collide in a hash table would take quadratic time.
  std::vector<std::string_view> names;
  names.reserve(items.size());
  for (const auto& item : items) names.push_back(item.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::ranges::adjacent_find(names);
  if (twice != names.end()) return invalid("the {} name '{}' is not unique", what, *twice);
  return {};
}

// Returns true if the last row is 0 0 0 1 within the rounding of an inversion.
bool is_affine(const glm::mat4& m) { return glm::length(glm::vec4(m[0].w, m[1].w, m[2].w, m[3].w - 1.0f)) < 1e-4f; }

Result<void> check_skeleton(const Skeleton& skeleton) {
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    if (joint.parent < -1 || joint.parent >= static_cast<std::int64_t>(j)) {
      return invalid("joint '{}' ({}) has parent {}, which must come before it", joint.name, j, joint.parent);
    }
    if (!is_near(joint.rest.translation) || !is_finite(joint.rest.rotation) || !is_near(joint.rest.scale) ||
        (joint.matrix && !is_near(*joint.matrix))) {
      return invalid("the rest transform of joint '{}' is not finite, or beyond {:g}", joint.name, kMaxCoordinate);
    }
    if (!(std::abs(glm::length(joint.rest.rotation) - 1.0f) < 1e-3f)) {
      return invalid("the rest rotation of joint '{}' must have unit length", joint.name);
    }
    if (joint.matrix && !is_affine(*joint.matrix)) {
      return invalid("the matrix of joint '{}' must be affine", joint.name);
    }
  }
  PELT_TRY(names_are_unique(skeleton.joints, "joint"));
  PELT_TRY(check_human_bones(skeleton));
  return check_helpers(skeleton);
}

Result<void> check_bound_joints(const CharacterData& data) {
  for (const BoundJoint& bound : data.bound_joints) {
    if (bound.joint >= data.skeleton.joints.size()) {
      return invalid("a bound joint names joint {}, but there are only {}", bound.joint, data.skeleton.joints.size());
    }
    if (!is_near(bound.inverse_bind)) {
      return invalid("the inverse bind matrix of joint '{}' is not finite, or beyond 1e+12",
                     data.skeleton.joints[bound.joint].name);
    }
    if (!is_affine(bound.inverse_bind)) {
      return invalid("the inverse bind matrix of joint '{}' must be affine", data.skeleton.joints[bound.joint].name);
    }
  }
  return {};
}

// `components`: numbers per key. `what`: the target of the channel, for the error.
template <class AnyChannel>
Result<void> check_keys(const AnyChannel& channel, std::size_t components, const Clip& clip, const std::string& what) {
  if (channel.interpolation > Interpolation::kCubicSpline) {
    return invalid("clip '{}' has a channel of an unknown kind", clip.name);
  }
  const std::size_t values_a_key = channel.interpolation == Interpolation::kCubicSpline ? 3 : 1;
  if (channel.times.empty() || channel.values.size() != channel.times.size() * components * values_a_key) {
    return invalid("clip '{}': a channel of {} has {} times and {} values", clip.name, what, channel.times.size(),
                   channel.values.size());
  }
  float last = -1;
  for (const float time : channel.times) {
    if (!std::isfinite(time) || time < 0 || time <= last || time > clip.duration) {
      return invalid("clip '{}': the times of a channel of {} must ascend within the clip's duration", clip.name, what);
    }
    last = time;
  }
  if (!std::ranges::all_of(channel.values, [](float value) { return is_near(value); })) {
    return invalid("clip '{}': a channel of {} has a value that is not finite or beyond {:g}", clip.name, what,
                   kMaxCoordinate);
  }
  return {};
}

Result<void> check_channel(const Channel& channel, const Clip& clip, std::size_t joint_count) {
  if (channel.joint >= joint_count) {
    return invalid("clip '{}' keys joint {}, but there are only {}", clip.name, channel.joint, joint_count);
  }
  if (channel.path > ChannelPath::kScale) return invalid("clip '{}' has a channel with an unknown path", clip.name);
  return check_keys(channel, channel.path == ChannelPath::kRotation ? 4 : 3, clip,
                    formatted("joint {}", channel.joint));
}

Result<void> check_clips(const std::vector<Clip>& clips, std::size_t joint_count) {
  for (const Clip& clip : clips) {
    if (!std::isfinite(clip.duration) || clip.duration < 0) {
      return invalid("clip '{}' lasts {} seconds", clip.name, clip.duration);
    }
    for (const Channel& channel : clip.channels) {
      PELT_TRY(check_channel(channel, clip, joint_count));
    }
    for (const MorphChannel& channel : clip.morph_channels) {
      const std::string what = formatted("target {} of '{}'", channel.target, channel.mesh);
      PELT_TRY(check_keys(channel, 1, clip, what));
    }
  }
  return names_are_unique(clips, "clip");
}

// Checks everything in a mesh except its palette entries.
Result<void> check_mesh(const CharacterMesh& mesh, const CharacterData& data) {
  const std::size_t material_count = data.materials.size();
  const std::size_t count = mesh.binding.points.size();
  if (mesh.mode > BlendMode::kOffsets) {
    return invalid("mesh '{}' has unknown blend mode {}", mesh.name, static_cast<std::uint32_t>(mesh.mode));
  }
  if ((mesh.mode == BlendMode::kWires) != mesh.wires.has_value()) {
    return invalid("mesh '{}': exactly the blend mode kWires has Wires parameters", mesh.name);
  }
  if (mesh.wires && !(std::isfinite(mesh.wires->exponent) && mesh.wires->exponent >= 0 &&
                      mesh.wires->exponent <= kMaxWiresExponent)) {
    return invalid("mesh '{}' has the Wires exponent {}, which is out of range", mesh.name, mesh.wires->exponent);
  }
  if (mesh.source_vertex.size() != count) {
    return invalid("mesh '{}' has {} vertices, but {} source vertices", mesh.name, count, mesh.source_vertex.size());
  }
  std::vector<bool> seen(count, false);
  for (const std::uint32_t source : mesh.source_vertex) {
    if (source >= count || seen[source]) {
      return invalid("mesh '{}': the source vertices are not a permutation, at {}", mesh.name, source);
    }
    seen[source] = true;
  }
  for (const glm::uvec3 triangle : mesh.triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      if (triangle[corner] >= count) {
        return invalid("a triangle of mesh '{}' names vertex {}, but there are only {}", mesh.name, triangle[corner],
                       count);
      }
    }
  }
  if (!mesh.uvs.empty() && mesh.uvs.size() != count) {
    return invalid("mesh '{}' has {} vertices, but {} texture coordinates", mesh.name, count, mesh.uvs.size());
  }
  for (const glm::vec2 uv : mesh.uvs) {
    if (!is_finite(uv)) return invalid("mesh '{}' has a texture coordinate that is not finite", mesh.name);
  }
  std::uint64_t covered = 0;
  for (const MeshPart& part : mesh.parts) {
    if (part.first_triangle != covered) return invalid("the parts of mesh '{}' are not contiguous", mesh.name);
    if (part.material < -1 || part.material >= static_cast<std::int64_t>(material_count)) {
      return invalid("mesh '{}' uses material {}, but there are only {}", mesh.name, part.material, material_count);
    }
    covered += part.triangle_count;
  }
  if (covered != mesh.triangles.size()) {
    return invalid("the parts of mesh '{}' cover {} of its {} triangles", mesh.name, covered, mesh.triangles.size());
  }
  return {};
}

Result<void> check_meshes(const CharacterData& data) {
  std::uint64_t next_vertex = 0;
  std::vector<bool> stage_used(std::min<std::size_t>(data.stage_count, data.meshes.size() + data.passes.size()), false);
  bool has_skin = false;
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.first_vertex != next_vertex) {
      return invalid("mesh '{}' starts at vertex {}, not {}", mesh.name, mesh.first_vertex, next_vertex);
    }
    next_vertex += mesh.binding.points.size();
    if (next_vertex > kMaxCount) return invalid("the character has more vertices than 32 bits can count");
    if (mesh.stage >= stage_used.size()) {
      return invalid("mesh '{}' is moved in stage {} of {}", mesh.name, mesh.stage, data.stage_count);
    }
    stage_used[mesh.stage] = true;
    has_skin |= !mesh.control;
    PELT_TRY(check_mesh(mesh, data));
  }
  if (!has_skin) return invalid("the character has no skin");
  for (const PalettePass& pass : data.passes) {
    if (pass.stage < stage_used.size()) stage_used[pass.stage] = true;
  }
  if (stage_used.size() != data.stage_count || !std::ranges::all_of(stage_used, [](bool used) { return used; })) {
    return invalid("some of the {} stages neither pose anything nor move a mesh", data.stage_count);
  }
  for (const CharacterMesh& mesh : data.meshes) {
    if (mesh.control != (mesh.stage + 1 < data.stage_count)) {
      return invalid(
          "mesh '{}' is {}, but moved in stage {} of {}: skins move in the last stage, control meshes before",
          mesh.name, mesh.control ? "a control mesh" : "skin", mesh.stage, data.stage_count);
    }
  }
  return names_are_unique(data.meshes, "mesh");
}

// Precondition: check_meshes has passed.
Result<void> check_inputs(const CharacterData& data) {
  std::uint64_t count = data.controls.size();
  std::vector<bool> streamed(data.meshes.size(), false);
  for (const Stream& stream : data.streams) {
    if (stream.mesh >= data.meshes.size() || !data.meshes[stream.mesh].control) {
      return invalid("a stream uses mesh {}, which is not a control mesh", stream.mesh);
    }
    if (streamed[stream.mesh]) return invalid("mesh '{}' is streamed twice", data.meshes[stream.mesh].name);
    streamed[stream.mesh] = true;
    count += std::uint64_t{3} * data.meshes[stream.mesh].vertex_count();
  }
  if (count != data.input_count) {
    return invalid("there are {} inputs, but streams and controls need {}", data.input_count, count);
  }
  std::vector<bool> given(data.input_count, false);
  const auto take = [&](std::uint64_t first, std::uint64_t size) {
    for (std::uint64_t i = first; i < first + size; ++i) {
      if (i >= given.size() || given[i]) return false;
      given[i] = true;
    }
    return true;
  };
  for (const Stream& stream : data.streams) {
    if (!take(stream.first_input, std::uint64_t{3} * data.meshes[stream.mesh].vertex_count())) {
      return invalid("the inputs of the stream of mesh '{}' are in use or missing", data.meshes[stream.mesh].name);
    }
  }
  for (const Control& control : data.controls) {
    if (!take(control.input, 1)) return invalid("the input of the control '{}' is in use or missing", control.name);
    if (control.kind > ControlKind::kClock) {
      return invalid("the control '{}' is of an unknown kind", control.name);
    }
    if (control.kind == ControlKind::kClock && control.input != data.clock_input()) {
      return invalid("the control '{}' is a second clock", control.name);
    }
    if (control.kind == ControlKind::kTwist && control.target >= data.skeleton.joints.size()) {
      return invalid("the control '{}' names joint {}, but there are only {}", control.name, control.target,
                     data.skeleton.joints.size());
    }
    if (!is_near(control.rest)) {
      return invalid("the control '{}' is not finite at rest, or beyond {:g}", control.name, kMaxCoordinate);
    }
  }
  return names_are_unique(data.controls, "control");
}

// Precondition: check_meshes has passed.
Result<void> check_anchors(const CharacterData& data) {
  for (const SkinAnchor& anchor : data.anchors) {
    if (anchor.mesh >= data.meshes.size() || data.meshes[anchor.mesh].control)
      return invalid("the anchor '{}' is on mesh {}, which is not a skin", anchor.name, anchor.mesh);
    const glm::uvec3& v = anchor.vertices;
    const std::uint32_t last = std::max({v.x, v.y, v.z});
    if (last >= data.meshes[anchor.mesh].vertex_count())
      return invalid("the anchor '{}' is on vertex {}, which does not exist", anchor.name, last);
    if (!are_shares(anchor.shares)) return invalid("the shares of the anchor '{}' are not shares", anchor.name);
  }
  return names_are_unique(data.anchors, "anchor");
}

}  // namespace

Result<std::uint32_t> check_character(const CharacterData& data) {
  PELT_TRY(check_skeleton(data.skeleton));
  PELT_TRY(check_bound_joints(data));
  PELT_TRY(check_clips(data.clips, data.skeleton.joints.size()));
  for (const Material& material : data.materials) {
    if (!is_finite(material.base_color)) return invalid("material '{}' has a colour that is not finite", material.name);
  }
  PELT_TRY(check_meshes(data));
  PELT_TRY(check_inputs(data));
  PELT_TRY(check_anchors(data));
  PELT_ASSIGN(const auto entries, find_writers(data));
  for (std::size_t p = 0; p < data.passes.size(); ++p) {
    const PoseKernelInfo& kernel = pose_kernel(data.passes[p].kernel);
    PELT_TRY(within(formatted("palette pass {} ({})", p, kernel.name), kernel.validate(data.passes[p], data)));
  }
  PELT_TRY(check_painted_pass(data));
  std::uint32_t entries_read = 0;
  for (const CharacterMesh& mesh : data.meshes) {
    PELT_TRY(check_painted(mesh, data));
    PELT_TRY(check_influences(mesh, entries, entries_read));
    PELT_TRY(check_offsets(mesh, entries));
    PELT_TRY(check_morphs(mesh, entries, entries_read));
  }
  return entries_read;
}

Result<void> check_levels(const CharacterData& data, std::uint32_t& entries_read) {
  if (data.levels.empty()) return {};
  PELT_ASSIGN(const auto entries, find_writers(data));
  std::set<std::string_view> names;
  for (const CharacterMesh& mesh : data.meshes) names.insert(mesh.name);
  std::uint64_t vertices = data.vertex_count();  // at least as many as with any choice of levels
  // Character::at_level looks for the nearest point of each anchor; seconds at most.
  constexpr std::uint64_t kMaxAnchorWork = std::uint64_t{1} << 28;
  std::vector<std::uint64_t> anchors(data.meshes.size(), 0);
  for (const SkinAnchor& anchor : data.anchors) ++anchors[anchor.mesh];
  std::uint64_t anchor_work = 0;
  const SkinLevel* before = nullptr;
  for (const SkinLevel& level : data.levels) {
    const CharacterMesh& skin = level.skin;
    if (level.of >= data.meshes.size() || data.meshes[level.of].control) {
      return invalid("'{}' is a level of detail of mesh {}, which is not a skin", skin.name, level.of);
    }
    if (level.level < 1 || level.level > kMaxLevel) {
      return invalid("'{}' has level of detail {}, which must be 1 to {}", skin.name, level.level, kMaxLevel);
    }
    if (before != nullptr && std::pair(before->of, before->level) >= std::pair(level.of, level.level)) {
      return invalid("'{}' has a level of detail that is repeated or out of order", skin.name);
    }
    before = &level;
    if (!names.insert(skin.name).second) return invalid("two meshes have the name '{}'", skin.name);
    vertices += skin.binding.points.size();
    if (vertices > kMaxCount) return invalid("the levels of detail have more vertices than 32 bits can count");
    if (skin.control || skin.first_vertex != 0 || skin.stage + 1 != data.stage_count || skin.frame_entry ||
        skin.offset_entry) {
      return invalid("'{}' is a level of detail, but is not a skin in the last stage", skin.name);
    }
    if (anchors[level.of] > 0 && skin.binding.points.empty())
      return invalid("'{}' is a level of detail of a skin with anchors, but has no vertices", skin.name);
    anchor_work += anchors[level.of] * (skin.triangles.size() + skin.binding.points.size());
    if (anchor_work > kMaxAnchorWork) {
      return invalid("'{}' has too many triangles for the {} anchors of its skin", skin.name, anchors[level.of]);
    }
    PELT_TRY(check_mesh(skin, data));
    PELT_TRY(check_painted(skin, data));
    PELT_TRY(check_influences(skin, entries, entries_read));
    PELT_TRY(check_morphs(skin, entries, entries_read));
  }
  return {};
}

}  // namespace pelt
