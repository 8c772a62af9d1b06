// SPDX-License-Identifier: MIT
#include "engine/character/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "engine/character/builder.h"
#include "engine/character/layer_plan.h"
#include "engine/core/finite.h"
#include "engine/dual_quaternion/bind.h"
#include "engine/linear_blend/bind.h"
#include "engine/surface_ffd/bind.h"

namespace pelt {
namespace {

// ------------------------------------------------------------------------------------- the deformers, one line each

Result<std::vector<MeshBinding>> bind_deformer(const LinearBlendParameters& parameters, const DeformerInput& input) {
  return linear_blend::bind(parameters, input);
}
Result<std::vector<MeshBinding>> bind_deformer(const DualQuaternionParameters& parameters, const DeformerInput& input) {
  return dual_quaternion::bind(parameters, input);
}
Result<std::vector<MeshBinding>> bind_deformer(const SurfaceFfdParameters& parameters, const DeformerInput& input) {
  return surface_ffd::bind(parameters, input);
}

// ------------------------------------------------------------------------------------------------------ validation

template <class... Arguments>
tl::unexpected<Error> invalid(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  return fail(ErrorCode::kInvalidArgument, fmt::format(format, std::forward<Arguments>(arguments)...));
}

template <class T>
bool all_finite(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(), [](const T& value) { return is_finite(value); });
}

Result<void> check_mesh(const Mesh& mesh, std::size_t bound_joint_count) {
  const std::size_t count = mesh.positions.size();
  if (count >= std::numeric_limits<std::uint32_t>::max() ||
      mesh.triangles.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return invalid("mesh '{}' has {} vertices and {} triangles, more than 32 bits count", mesh.name, count,
                   mesh.triangles.size());
  }
  const auto fits = [&](std::size_t size) { return size == 0 || size == count; };
  if (!fits(mesh.normals.size()) || !fits(mesh.tangents.size()) || !fits(mesh.uvs.size()) ||
      !fits(mesh.weights.row_count())) {
    return invalid("mesh '{}' has {} positions, {} normals, {} tangents, {} texture coordinates, {} rows of weights",
                   mesh.name, count, mesh.normals.size(), mesh.tangents.size(), mesh.uvs.size(),
                   mesh.weights.row_count());
  }
  for (std::size_t i = 0; i < count; ++i) {
    const glm::vec3 p = glm::abs(mesh.positions[i]);
    if (!(p.x <= kFarthest && p.y <= kFarthest && p.z <= kFarthest)) {
      return invalid("mesh '{}': vertex {} is not finite, or farther than {:g} m from the origin", mesh.name, i,
                     kFarthest);
    }
  }
  if (!all_finite(mesh.normals) || !all_finite(mesh.tangents) || !all_finite(mesh.uvs)) {
    return invalid("mesh '{}' has a normal, tangent or texture coordinate that is not finite", mesh.name);
  }
  for (const glm::uvec3 triangle : mesh.triangles) {
    if (triangle.x >= count || triangle.y >= count || triangle.z >= count) {
      return invalid("mesh '{}': a triangle names vertices {}, {}, {} of {}", mesh.name, triangle.x, triangle.y,
                     triangle.z, count);
    }
  }
  return validate(mesh.weights, bound_joint_count, "the weights of mesh '" + mesh.name + "'");
}

// What the deformers rely on; Character::create checks the rest.
Result<void> check_model(const Model& model) {
  const std::vector<Joint>& joints = model.skeleton.joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].parent < -1 || joints[j].parent >= static_cast<std::int64_t>(j)) {
      return invalid("joint '{}' does not come after its parent", joints[j].name);
    }
  }
  for (const BoundJoint& bound : model.bound_joints) {
    if (bound.joint >= joints.size()) return invalid("a skin binds joint {} of {}", bound.joint, joints.size());
    if (!is_finite(bound.inverse_bind)) {
      return invalid("the inverse bind matrix of joint '{}' is not finite", joints[bound.joint].name);
    }
  }
  for (const Mesh& mesh : model.meshes) {
    const Result<void> valid = check_mesh(mesh, model.bound_joints.size());
    if (!valid) return valid;
  }
  return {};
}

// --------------------------------------------------------------------------------------------------- layer by layer

// A mesh with the layers merged so far.
struct Bindings {
  std::optional<MeshBinding> merged;
  std::string deformer;
};

Result<void> lay_over(Bindings& below, MeshBinding above, std::span<const float> mask, const PlannedLayer& layer,
                      const std::string& mesh) {
  const std::string_view deformer = deformer_name(layer.deformer);
  if (!below.merged) {
    below.merged = std::move(above);
    below.deformer = deformer;
    return {};
  }
  if (below.merged->mode != above.mode) {
    return invalid(
        "{}: mesh '{}' cannot be moved partly by dual quaternion and partly by another deformer ({} over {}); make the "
        "mask 1 everywhere, or split the mesh",
        layer.label, mesh, deformer, below.deformer);
  }
  if (below.merged->rows.influences.size() + above.rows.influences.size() > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: over '{}', mesh '{}' might have more influences than 32 bits count", layer.label,
                            below.deformer, mesh));
  }
  below.merged->rows = merge_over(below.merged->rows, above.rows, mask);
  if (above.worst_distance > below.merged->worst_distance) {
    below.merged->worst_distance = above.worst_distance;
    below.merged->worst_vertex = above.worst_vertex;
  }
  below.merged->dropped_elements += above.dropped_elements;
  std::vector<std::uint32_t> repaired;
  std::set_union(below.merged->repaired_vertices.begin(), below.merged->repaired_vertices.end(),
                 above.repaired_vertices.begin(), above.repaired_vertices.end(), std::back_inserter(repaired));
  below.merged->repaired_vertices = std::move(repaired);
  below.deformer = fmt::format("{} over {}", deformer, below.deformer);
  return {};
}

// The meshes at which a layer shows.
std::vector<DeformerTarget> targets_of(const LayerPlan& plan, std::size_t layer) {
  std::vector<DeformerTarget> targets;
  for (std::uint32_t m = 0; m < plan.meshes.size(); ++m) {
    for (const LayerAtMesh& at : plan.meshes[m]) {
      if (at.layer == layer) targets.push_back({m, at.mask});
    }
  }
  return targets;
}

}  // namespace

Result<Bound> bind(const Model& model, const Rig& rig, const BindOptions& options) {
  const Result<void> valid = check_model(model);
  if (!valid) return tl::unexpected(valid.error());
  std::vector<std::string> notes;
  const Result<LayerPlan> plan = plan_layers(model, rig, notes);
  if (!plan) return tl::unexpected(plan.error());

  CharacterBuilder builder(model, options.keep_vertex_order);
  std::vector<Bindings> bindings(model.meshes.size());
  for (std::size_t l = 0; l < plan->layers.size(); ++l) {
    const PlannedLayer& layer = plan->layers[l];
    const std::vector<DeformerTarget> targets = targets_of(*plan, l);
    if (targets.empty()) {
      if (l > 0) notes.push_back(fmt::format("{}: moves nothing", layer.label));
      continue;
    }
    const std::function<void(double)> progress = [&](double fraction) {
      if (!options.progress) return;
      options.progress((static_cast<double>(l) + fraction) / static_cast<double>(plan->layers.size()), layer.label);
    };
    const DeformerInput input{model, targets, layer.label, rig.directory, options.threads, builder, notes, progress};
    Result<std::vector<MeshBinding>> bound =
        std::visit([&](const auto& parameters) { return bind_deformer(parameters, input); }, layer.deformer);
    if (!bound) return tl::unexpected(bound.error());
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const std::uint32_t m = targets[t].mesh;
      const Result<void> laid =
          lay_over(bindings[m], std::move((*bound)[t]), targets[t].mask, layer, model.meshes[m].name);
      if (!laid) return tl::unexpected(laid.error());
    }
  }

  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    if (!bindings[m].merged) continue;
    const Result<void> added = builder.add_skin(model.meshes[m], std::move(*bindings[m].merged), bindings[m].deformer);
    if (!added) return tl::unexpected(added.error());
  }
  BindReport report{builder.reports(), std::move(notes)};
  Result<Character> character = builder.build();
  if (!character) return tl::unexpected(character.error());
  if (options.progress) options.progress(1.0, "done");
  return Bound{std::move(*character), std::move(report)};
}

}  // namespace pelt
