// SPDX-License-Identifier: MIT
#include "engine/character/bind.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include "engine/character/builder.h"
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
    if (!is_finite(mesh.positions[i])) return invalid("mesh '{}': vertex {} is not finite", mesh.name, i);
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

std::string mesh_names(const Model& model) {
  std::vector<std::string> names;
  for (const Mesh& mesh : model.meshes) names.push_back("'" + mesh.name + "'");
  constexpr std::size_t kMost = 12;
  const std::size_t left_out = names.size() > kMost ? names.size() - kMost : 0;
  names.resize(names.size() - left_out);
  return fmt::format("{}{}", fmt::join(names, ", "), left_out > 0 ? fmt::format(" and {} more", left_out) : "");
}

// ----------------------------------------------------------------------------------------------- which layer, where

// A layer at one mesh, and its mask there.
struct Application {
  std::size_t layer = 0;
  std::vector<float> mask;  // one value a vertex

  bool is(float value) const {
    return std::all_of(mask.begin(), mask.end(), [&](float m) { return m == value; });
  }
};

// What happens to each mesh, from the bottom up.
struct Plan {
  std::vector<std::string> labels;                     // of layers; the last is for meshes that no layer names
  std::vector<bool> is_driver;                         // of the model's meshes
  std::vector<std::vector<Application>> applications;  // of the model's meshes
};

// Whether every vertex follows one and the same joint.
bool follows_one_joint(const Mesh& mesh) {
  std::optional<std::uint32_t> joint;
  for (const Influence& influence : mesh.weights.influences) {
    if (influence.weight == 0) continue;
    if (joint && *joint != influence.index) return false;
    joint = influence.index;
  }
  return joint.has_value();
}

Result<std::vector<float>> mask_values(const Mask& mask, const Mesh& mesh, const Model& model,
                                       const std::string& label) {
  std::vector<float> values(mesh.positions.size(), mask.value);
  if (mask.joints.empty()) return values;
  std::vector<bool> named(model.bound_joints.size(), false);
  for (const std::string& name : mask.joints) {
    const std::optional<std::uint32_t> joint = model.skeleton.find(name);
    if (!joint) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("{}: the mask names joint '{}', which is not in the model", label, name));
    }
    for (std::size_t b = 0; b < named.size(); ++b) named[b] = named[b] || model.bound_joints[b].joint == *joint;
  }
  if (mesh.weights.row_count() != mesh.positions.size()) {
    return invalid("{}: the mask names joints, but mesh '{}' has no weights", label, mesh.name);
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    double sum = 0;
    double all = 0;
    for (const Influence& influence : mesh.weights.row(i)) {
      all += influence.weight;
      if (named[influence.index]) sum += influence.weight;
    }
    // The sum over every joint is 1 to rounding only; a mask of all joints must be exactly 1.
    values[i] = static_cast<float>(std::clamp(mask.value * (sum / all), 0.0, 1.0));
  }
  return values;
}

// Leaves of a mesh's layers those that show: from the topmost one that covers it all upwards.
void drop_hidden(std::vector<Application>& applications) {
  // The first layer of a mesh acts everywhere.
  std::fill(applications.front().mask.begin(), applications.front().mask.end(), 1.0f);
  const auto covers = [](const Application& application) { return application.is(1.0f); };
  const auto top = std::find_if(applications.rbegin(), applications.rend(), covers);
  applications.erase(applications.begin(), top.base() - 1);
  const auto nowhere = [](const Application& application) { return application.is(0.0f); };
  applications.erase(std::remove_if(applications.begin() + 1, applications.end(), nowhere), applications.end());
}

Result<void> find_drivers(const Model& model, const Rig& rig, Plan& plan) {
  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    const auto* ffd = std::get_if<SurfaceFfdParameters>(&rig.layers[l].deformer);
    if (ffd == nullptr || ffd->driver.mesh.empty()) continue;
    const Mesh* driver = model.find_mesh(ffd->driver.mesh);
    if (driver == nullptr) {
      return fail(ErrorCode::kNotFound, fmt::format("{}: the driver '{}' is not in the model; its meshes are {}",
                                                    plan.labels[l], ffd->driver.mesh, mesh_names(model)));
    }
    plan.is_driver[static_cast<std::size_t>(driver - model.meshes.data())] = true;
  }
  return {};
}

// The meshes that a layer names.
Result<std::vector<std::size_t>> find_targets(const Model& model, const Layer& layer, const Plan& plan,
                                              const std::string& label, std::vector<std::string>& notes) {
  std::vector<std::size_t> targets;
  if (layer.target != "*") {
    const Mesh* mesh = model.find_mesh(layer.target);
    if (mesh == nullptr) {
      return fail(ErrorCode::kNotFound, fmt::format("{}: the target '{}' is not in the model; its meshes are {}", label,
                                                    layer.target, mesh_names(model)));
    }
    const auto index = static_cast<std::size_t>(mesh - model.meshes.data());
    if (plan.is_driver[index]) return invalid("{}: the target '{}' is a driver", label, layer.target);
    targets.push_back(index);
    return targets;
  }
  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    if (plan.is_driver[m]) continue;
    const bool is_linear = std::holds_alternative<LinearBlendParameters>(layer.deformer);
    if (!is_linear && follows_one_joint(model.meshes[m])) {
      notes.push_back(
          fmt::format("{}: mesh '{}' follows one joint alone and stays on linear blend, which is exact there", label,
                      model.meshes[m].name));
    } else {
      targets.push_back(m);
    }
  }
  return targets;
}

Result<Plan> make_plan(const Model& model, const Rig& rig, std::vector<std::string>& notes) {
  Plan plan;
  plan.is_driver.resize(model.meshes.size());
  plan.applications.resize(model.meshes.size());
  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    plan.labels.push_back(fmt::format("layer {} ({})", l + 1, deformer_name(rig.layers[l].deformer)));
  }
  plan.labels.push_back("meshes without a layer (linear_blend)");
  const Result<void> drivers = find_drivers(model, rig, plan);
  if (!drivers) return tl::unexpected(drivers.error());

  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    const Layer& layer = rig.layers[l];
    const std::string& label = plan.labels[l];
    if (!(layer.mask.value >= 0 && layer.mask.value <= 1)) {
      return invalid("{}: the mask {} is not in [0, 1]", label, layer.mask.value);
    }
    const Result<std::vector<std::size_t>> targets = find_targets(model, layer, plan, label, notes);
    if (!targets) return tl::unexpected(targets.error());
    for (const std::size_t m : *targets) {
      Result<std::vector<float>> mask = mask_values(layer.mask, model.meshes[m], model, label);
      if (!mask) return tl::unexpected(mask.error());
      Application application{l, std::move(*mask)};
      if (plan.applications[m].empty() && !application.is(1.0f)) {
        notes.push_back(fmt::format("{}: the first layer of mesh '{}' acts everywhere, whatever its mask", label,
                                    model.meshes[m].name));
      }
      plan.applications[m].push_back(std::move(application));
    }
  }
  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    if (plan.is_driver[m]) continue;
    std::vector<Application>& applications = plan.applications[m];
    if (applications.empty()) {
      applications.push_back({rig.layers.size(), std::vector<float>(model.meshes[m].positions.size(), 1.0f)});
    }
    drop_hidden(applications);
  }
  return plan;
}

// --------------------------------------------------------------------------------------------------- layer by layer

// A mesh with the layers merged so far.
struct Bindings {
  std::optional<MeshBinding> merged;
  std::string deformer;
};

Result<void> lay_over(Bindings& below, MeshBinding above, const Application& application, std::string_view deformer,
                      const std::string& label, const std::string& mesh) {
  if (!below.merged) {
    below.merged = std::move(above);
    below.deformer = deformer;
    return {};
  }
  if (below.merged->mode != above.mode) {
    return invalid(
        "{}: mesh '{}' cannot be moved partly by dual quaternion and partly by another deformer ({} over {}); make the "
        "mask 1 everywhere, or split the mesh",
        label, mesh, deformer, below.deformer);
  }
  below.merged->rows = merge_over(below.merged->rows, above.rows, application.mask);
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
std::vector<std::uint32_t> shown_targets(const Plan& plan, std::size_t layer) {
  std::vector<std::uint32_t> targets;
  for (std::uint32_t m = 0; m < plan.applications.size(); ++m) {
    const std::vector<Application>& applications = plan.applications[m];
    if (std::any_of(applications.begin(), applications.end(), [&](const Application& a) { return a.layer == layer; })) {
      targets.push_back(m);
    }
  }
  return targets;
}

}  // namespace

Result<Bound> bind(const Model& model, const Rig& rig, const BindOptions& options) {
  const Result<void> valid = check_model(model);
  if (!valid) return tl::unexpected(valid.error());
  std::vector<std::string> notes;
  const Result<Plan> plan = make_plan(model, rig, notes);
  if (!plan) return tl::unexpected(plan.error());

  CharacterBuilder builder(model, options.keep_vertex_order);
  std::vector<Bindings> bindings(model.meshes.size());
  const DeformerParameters linear_blend = LinearBlendParameters{};
  const std::size_t layer_count = rig.layers.size() + 1;
  for (std::size_t l = 0; l < layer_count; ++l) {
    const std::string& label = plan->labels[l];
    const std::vector<std::uint32_t> targets = shown_targets(*plan, l);
    if (targets.empty()) {
      if (l < rig.layers.size()) notes.push_back(fmt::format("{}: moves nothing", label));
      continue;
    }
    const std::function<void(double)> progress = [&](double fraction) {
      if (options.progress)
        options.progress((static_cast<double>(l) + fraction) / static_cast<double>(layer_count), label);
    };
    const DeformerInput input{model, targets, label, rig.directory, options.threads, builder, notes, progress};
    const DeformerParameters& deformer = l < rig.layers.size() ? rig.layers[l].deformer : linear_blend;
    Result<std::vector<MeshBinding>> bound =
        std::visit([&](const auto& parameters) { return bind_deformer(parameters, input); }, deformer);
    if (!bound) return tl::unexpected(bound.error());
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const std::vector<Application>& applications = plan->applications[targets[t]];
      const Application& application =
          *std::find_if(applications.begin(), applications.end(), [&](const Application& a) { return a.layer == l; });
      const Result<void> laid = lay_over(bindings[targets[t]], std::move((*bound)[t]), application,
                                         deformer_name(deformer), label, model.meshes[targets[t]].name);
      if (!laid) return tl::unexpected(laid.error());
    }
  }

  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    if (!bindings[m].merged) continue;
    const Result<void> added = builder.add_skin(model.meshes[m], *bindings[m].merged, bindings[m].deformer);
    if (!added) return tl::unexpected(added.error());
  }
  BindReport report{builder.reports(), std::move(notes)};
  Result<Character> character = builder.build();
  if (!character) return tl::unexpected(character.error());
  if (options.progress) options.progress(1.0, "done");
  return Bound{std::move(*character), std::move(report)};
}

}  // namespace pelt
