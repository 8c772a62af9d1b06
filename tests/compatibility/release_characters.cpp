// SPDX-License-Identifier: MIT
#include "tests/compatibility/release_characters.h"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <pelt/bind.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/linear_blend.h>

#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"
#include "tests/support/tube_surface.h"

namespace pelt::test {
namespace {

const TubeOptions kSmall{.around = 5, .along = 5};
const TubeOptions kSmallCage{.around = 5, .along = 5, .radius = 1.2f};

const Deformer& configuration(std::string_view name) {
  const std::vector<Deformer>& all = deformers();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Deformer& d) { return d.name == name; });
  if (found == all.end()) throw std::runtime_error("there is no configuration " + std::string(name));
  return *found;
}

// Returns the character with the rig's text as short as it can be.
Character with_short_rig(const Character& character) {
  CharacterData data = *character;
  data.rig = nlohmann::json::parse(data.rig).dump();
  return must(Character::create(std::move(data)));
}

// Binds the small tube by a configuration of tests/support/deformer_list.h, changed. `caged`: it has a cage.
ReleaseCharacter configured(
    const std::string& file, std::string_view name, bool caged = false,
    const std::function<void(Model&, Rig&)>& change = [](Model&, Rig&) {}) {
  Subject subject = make_subject(configuration(name), make_tube(kSmall), make_tube_mesh(kSmallCage));
  if (!caged) std::erase_if(subject.model.meshes, [](const Mesh& mesh) { return mesh.name == "cage"; });
  change(subject.model, subject.rig);
  subject.rig.judging = Judging::kNone;
  const Character character = must(bind(subject.model, subject.rig)).character;
  return {file, std::move(subject.model), with_short_rig(character)};
}

// All that does not depend on the deformer: clips of every interpolation and path, morph targets, expressions, human
// bones, helper joints, materials, texture coordinates, a matrix joint, a linear fit and levels of detail.
ReleaseCharacter with_everything() {
  Model model = make_tube({.around = 6, .along = 8, .joints = 3});
  Mesh& tube = model.meshes[0];
  for (const glm::vec3& p : tube.positions) tube.uvs.emplace_back(p.x / 8, 0.5f + 0.4f * p.y);
  for (const glm::vec3& normal : tube.normals) {
    tube.tangents.emplace_back(glm::normalize(glm::cross(normal, glm::vec3(1, 0, 0))), 1);
  }
  add_morph_targets(tube, 3);
  const auto triangles = static_cast<std::uint32_t>(tube.triangles.size());
  model.materials = {{"skin", {1, 0.5f, 0.25f, 1}}, {"cloth", {}}};
  tube.parts = {{0, triangles / 2, 1}, {triangles / 2, triangles - triangles / 2, 0}};
  model.expressions = {{"happy", false, {{"tube", 0, 0.5f}, {"tube", 2, 1.0f}}}, {"blink", true, {{"tube", 2, 0.75f}}}};
  model.skeleton.human_bones = {{"spine", 0}, {"head", 2}};
  std::vector<Joint>& joints = model.skeleton.joints;
  joints.push_back({.name = "helper", .parent = 0, .rest = {.translation = {2, 0, 0}}});
  joints.push_back({.name = "tip", .parent = 3, .rest = {.translation = {0, 0.5f, 0}}});
  joints.back().matrix = glm::mat4(1.0f);
  (*joints.back().matrix)[3] = {0, 0.5f, 0, 1};
  model.clips = {
      {"wave",
       2,
       {{0, ChannelPath::kTranslation, Interpolation::kLinear, {0, 2}, {0, 0, 0, 1, 0, 0}},
        {1, ChannelPath::kRotation, Interpolation::kStep, {0.5f, 1}, {0, 0, 0, 1, 0.6f, 0, 0, 0.8f}}},
       {{"tube", 1, Interpolation::kLinear, {0, 2}, {0, 1}}}},
      {"grow",
       1,
       {{2,
         ChannelPath::kScale,
         Interpolation::kCubicSpline,
         {0, 1},
         {0, 0, 0, 1, 1, 1, 0.5f, 0, 0, 0, 0, 0, 1.5f, 1, 2, 0, 0, 0}}}},
  };
  Rig rig = rig_of(LinearBlendParameters{});
  rig.helper_joints = {{.joint = "helper", .source = "joint1", .swing = 0.25f}};
  BindOptions options;
  options.linear_fit = LinearFitOptions{};
  options.levels = LevelOptions{.shares = {0.6f}, .least_triangles = 20};
  const Character character = must(bind(model, rig, options)).character;
  return {"linear_blend.pelt", std::move(model), with_short_rig(character)};
}

}  // namespace

std::vector<ReleaseCharacter> release_characters() {
  return {
      with_everything(),
      configured("dual_quaternion.pelt", "DualQuaternion", false,
                 [](Model& model, Rig&) {
                   Mesh coarse = make_tube_mesh({.around = 4, .along = 3});
                   coarse.name = "coarse tube";
                   model.levels.push_back({.of = 0, .level = 1, .mesh = std::move(coarse)});
                 }),
      configured("surface_ffd_morph_targets.pelt", "SurfaceFfdMorphTargets", true),
      configured("surface_ffd_quadratic.pelt", "SurfaceFfdQuadratic", true),
      configured("surface_ffd_streamed.pelt", "SurfaceFfdStreamed", true),
      configured("surface_ffd_patch.pelt", "SurfaceFfdPatch"),
      configured("surface_ffd_wires.pelt", "Wires", true),
      configured("curve_skeleton.pelt", "CurveSkeleton"),
      configured("curve_skeleton_tangent.pelt", "CurveSkeletonTangentKeyed"),
      configured("muscle.pelt", "Muscle", false, [](Model&, Rig& rig) { rig.muscles[0].resolution = 4; }),
      configured("mos.pelt", "MosEdited"),
      configured("mos_radial_basis.pelt", "MosRadialBasis"),
      configured("hierarchical_bspline.pelt", "HierarchicalBsplineMoved", false,
                 [](Model&, Rig& rig) {
                   auto& surface = rig.layers[0].deformer.get<HierarchicalBsplineParameters>();
                   surface.frames_per_span = 0;
                   // A curve's table is large, and other files have one.
                   surface.levels[0].attach.back() = {.joint = "joint1", .vertices = {{80, 87}}};
                 }),
      configured("hierarchical_bspline_mesh.pelt", "HierarchicalBsplineOverAMesh", false,
                 [](Model&, Rig& rig) {
                   HierarchicalBsplineParameters surface = tube_mesh_surface(9);
                   surface.frames_per_span = 1;
                   rig.layers[0].deformer = surface;
                 }),
      configured("surface_ffd.glb", "SurfaceFfdBasic", true),
  };
}

}  // namespace pelt::test
