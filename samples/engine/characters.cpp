// SPDX-License-Identifier: MIT
#include "samples/engine/characters.h"

#include <fmt/format.h>
#include <meshoptimizer.h>

#include <cmath>
#include <utility>

#include <pelt/bind.h>
#include <pelt/import.h>
#include <pelt/pelt_gltf.h>
#include <pelt/pose.h>
#include <pelt/try.h>

#include "samples/engine/props.h"

namespace pelt::samples {
namespace {

constexpr std::uint32_t kBoundsPoses = 8;  // poses of the clip from which the bounds are computed

// Simplifies a mesh to about `triangles` triangles on a subset of its vertices; the result has one part.
Mesh thin_mesh(const Mesh& mesh, std::size_t triangles) {
  std::vector<std::uint32_t> indices;
  for (const glm::uvec3& t : mesh.triangles) indices.insert(indices.end(), {t.x, t.y, t.z});
  const std::size_t kept = meshopt_simplify(indices.data(), indices.data(), indices.size(), &mesh.positions[0].x,
                                            mesh.positions.size(), sizeof(glm::vec3), 3 * triangles, 1.0f);
  indices.resize(kept);
  std::vector<std::uint32_t> places(mesh.positions.size());  // ~0: the vertex is gone
  const std::size_t vertices =
      meshopt_optimizeVertexFetchRemap(places.data(), indices.data(), indices.size(), places.size());
  std::vector<std::uint32_t> sources(vertices);
  for (std::uint32_t v = 0; v < places.size(); ++v) {
    if (places[v] != ~0u) sources[places[v]] = v;
  }
  Mesh thin;
  thin.name = mesh.name;
  for (const std::uint32_t v : sources) {
    thin.positions.push_back(mesh.positions[v]);
    thin.normals.push_back(mesh.normals[v]);
    thin.weights.append_row(mesh.weights.row(v));
  }
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    thin.triangles.emplace_back(places[indices[i]], places[indices[i + 1]], places[indices[i + 2]]);
  }
  thin.parts.push_back({.triangle_count = static_cast<std::uint32_t>(thin.triangles.size()),
                        .material = mesh.parts.empty() ? -1 : mesh.parts.front().material});
  return thin;
}

Result<Walking> make_walking(Character character, std::string name, std::optional<glm::vec4> color) {
  Walking made{.character = std::move(character), .name = std::move(name), .color = color, .bounds = {}, .clip = {}};
  const std::vector<Clip>& clips = made.character->clips;
  if (!clips.empty()) {
    const Clip* walk = find_clip(clips, "walk");
    made.clip = walk != nullptr ? static_cast<std::size_t>(walk - clips.data()) : 0;
  }
  const float duration = made.clip ? clips[*made.clip].duration : 0;
  std::vector<Transform> local(made.character->skeleton.joints.size());
  InstancePose pose;
  pose.joints.resize(local.size());
  pose.inputs.resize(made.character->input_count);
  rest_inputs(*made.character, pose.inputs);
  for (std::uint32_t i = 0; i < kBoundsPoses; ++i) {
    pose_at(made, duration * static_cast<float>(i) / kBoundsPoses, local, pose.joints);
    made.bounds.add(posed_bounds(made.character, pose));
  }
  if (made.bounds.empty()) return fail(ErrorCode::kInvalidArgument, fmt::format("{}: has no skin", made.name));
  return made;
}

}  // namespace

Result<Walking> built_in_character(std::uint32_t which, const BuiltInOptions& options) {
  PELT_ASSIGN(auto model, import_model("builtin:biped"));
  std::size_t all = 0;
  for (const Mesh& mesh : model.meshes) all += mesh.triangles.size();
  // Every level is thinned from the whole mesh, so that defects do not accumulate.
  for (std::uint32_t m = 0; m < model.meshes.size(); ++m) {
    const Mesh& mesh = model.meshes[m];
    for (std::uint32_t level = 1; level <= options.levels.size(); ++level) {
      model.levels.push_back({m, level, thin_mesh(mesh, options.levels[level - 1] * mesh.triangles.size() / all)});
      model.levels.back().mesh.name += fmt::format("_LOD{}", level);
    }
  }
  for (Mesh& mesh : model.meshes) mesh = thin_mesh(mesh, options.triangles * mesh.triangles.size() / all);
  const struct {
    const char* deformer;
    glm::vec4 color;
  } list[kBuiltInCharacters] = {{"linear_blend", {0.13f, 0.22f, 0.40f, 1.0f}},
                                {"surface_ffd", {0.55f, 0.20f, 0.11f, 1.0f}},
                                {"curve_skeleton", {0.62f, 0.40f, 0.10f, 1.0f}},
                                {"mos", {0.10f, 0.34f, 0.26f, 1.0f}}};
  const auto& [deformer, color] = list[which];
  PELT_ASSIGN(auto rig, rig_from_deformer_name(deformer));
  if (options.props) rig.anchors = prop_anchors();
  PELT_ASSIGN(const auto bound, within(deformer, bind(model, rig)));
  return make_walking(bound.character, deformer, color);
}

Result<Walking> load_walking(const std::string& file) {
  PELT_ASSIGN(auto character, load_character(file));
  return make_walking(std::move(character), file, std::nullopt);
}

void pose_at(const Walking& walking, float seconds, std::vector<Transform>& local, std::vector<glm::mat4>& joints) {
  const Skeleton& skeleton = walking.character->skeleton;
  rest_pose(skeleton, local);
  if (walking.clip) {
    const Clip& clip = walking.character->clips[*walking.clip];
    sample_clip(clip, clip.duration > 0 ? std::fmod(seconds, clip.duration) : 0.0f, local);
  }
  model_matrices(skeleton, local, joints);
}

}  // namespace pelt::samples
