// SPDX-License-Identifier: MIT
#include "engine/character/layer_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/model/parts.h"

namespace pelt {
namespace {

constexpr float kAllButAlone = 0.99f;  // of a vertex's weight

tl::unexpected<Error> invalid(const PlannedLayer& layer, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", layer.label, why));
}

bool is_everywhere(const std::vector<float>& mask, float value) {
  return std::all_of(mask.begin(), mask.end(), [&](float m) { return m == value; });
}

tl::unexpected<Error> no_such_mesh(const PlannedLayer& layer, const Model& model, const char* role,
                                   const std::string& name) {
  constexpr std::size_t kMost = 12;
  std::vector<std::string> names;
  for (const Mesh& mesh : model.meshes) names.push_back("'" + mesh.name + "'");
  if (names.size() > kMost) {
    names.resize(kMost);
    names.push_back("...");
  }
  return fail(ErrorCode::kNotFound, fmt::format("{}: the {} '{}' is not in the model; its meshes are {}", layer.label,
                                                role, name, fmt::join(names, ", ")));
}

// Which meshes drive others.
Result<std::vector<bool>> find_drivers(const Model& model, const LayerPlan& plan) {
  std::vector<bool> is_driver(model.meshes.size(), false);
  for (const PlannedLayer& layer : plan.layers) {
    const auto* ffd = std::get_if<SurfaceFfdParameters>(&layer.deformer);
    if (ffd == nullptr || ffd->driver.mesh.empty()) continue;
    const Mesh* driver = model.find_mesh(ffd->driver.mesh);
    if (driver == nullptr) return no_such_mesh(layer, model, "driver", ffd->driver.mesh);
    is_driver[static_cast<std::size_t>(driver - model.meshes.data())] = true;
  }
  return is_driver;
}

Result<std::vector<std::size_t>> find_targets(const Model& model, const std::string& target, const PlannedLayer& layer,
                                              const std::vector<bool>& is_driver) {
  std::vector<std::size_t> targets;
  if (target == "*") {
    for (std::size_t m = 0; m < model.meshes.size(); ++m) {
      if (!is_driver[m]) targets.push_back(m);
    }
    return targets;
  }
  const Mesh* mesh = model.find_mesh(target);
  if (mesh == nullptr) return no_such_mesh(layer, model, "target", target);
  targets.push_back(static_cast<std::size_t>(mesh - model.meshes.data()));
  if (is_driver[targets[0]]) return invalid(layer, fmt::format("the target '{}' is a driver", target));
  return targets;
}

Result<std::vector<float>> mask_values(const Mask& mask, const Mesh& mesh, const Model& model,
                                       const PlannedLayer& layer) {
  if (!(mask.value >= 0 && mask.value <= 1))
    return invalid(layer, fmt::format("the mask {} is not in [0, 1]", mask.value));
  std::vector<float> values(mesh.positions.size(), mask.value);
  if (mask.joints.empty()) return values;
  std::vector<bool> named(model.bound_joints.size(), false);
  for (const std::string& name : mask.joints) {
    const std::optional<std::uint32_t> joint = model.skeleton.find(name);
    if (!joint) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("{}: the mask names joint '{}', which is not in the model", layer.label, name));
    }
    for (std::size_t b = 0; b < named.size(); ++b) named[b] = named[b] || model.bound_joints[b].joint == *joint;
  }
  if (mesh.weights.row_count() != mesh.positions.size()) {
    return invalid(layer, fmt::format("the mask names joints, but mesh '{}' has no weights", mesh.name));
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

// For every vertex whether its connected part follows one joint all but alone. Points without triangles are no part.
std::vector<bool> find_rigid_parts(const Mesh& mesh) {
  std::vector<bool> rigid(mesh.positions.size(), false);
  if (mesh.weights.row_count() != mesh.positions.size()) return rigid;
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  std::vector<glm::uvec3> triangles;
  for (const glm::uvec3 t : mesh.triangles) triangles.emplace_back(welded[t.x], welded[t.y], welded[t.z]);
  const std::vector<std::uint32_t> part = connected_parts(mesh.positions.size(), triangles);

  constexpr std::int64_t kNone = -1;
  constexpr std::int64_t kSeveral = -2;
  std::vector<std::int64_t> joint(mesh.positions.size(), kNone);  // of the part that a vertex names
  for (std::size_t i = 0; i < rigid.size(); ++i) {
    std::int64_t& known = joint[part[welded[i]]];
    for (const Influence& influence : mesh.weights.row(i)) {
      if (influence.weight <= 1 - kAllButAlone) continue;
      if (known == kNone) known = influence.index;
      if (known != influence.index) known = kSeveral;
    }
  }
  std::vector<bool> has_triangle(mesh.positions.size(), false);
  for (const glm::uvec3 t : triangles) has_triangle[part[t.x]] = true;
  for (std::size_t i = 0; i < rigid.size(); ++i)
    rigid[i] = has_triangle[part[welded[i]]] && joint[part[welded[i]]] >= 0;
  return rigid;
}

// Keeps rigid parts out of a layer over *: its mask becomes 0 there. Linear blend needs no exception, and dual
// quaternion, which cannot share a mesh, only where it would move nothing else.
void leave_rigid_parts(std::vector<LayerAtMesh>& below, LayerAtMesh& added, const Mesh& mesh, const PlannedLayer& layer,
                       std::vector<std::string>& notes) {
  if (std::holds_alternative<LinearBlendParameters>(layer.deformer)) return;
  const std::vector<bool> rigid = find_rigid_parts(mesh);
  const auto count = static_cast<std::size_t>(std::count(rigid.begin(), rigid.end(), true));
  const bool all = count == rigid.size();
  if (count == 0 || (!all && std::holds_alternative<DualQuaternionParameters>(layer.deformer))) return;
  if (below.empty() || is_everywhere(added.mask, 1.0f)) below = {{0, std::vector<float>(mesh.positions.size(), 1.0f)}};
  for (std::size_t i = 0; i < rigid.size(); ++i) {
    if (rigid[i]) added.mask[i] = 0;
  }
  notes.push_back(fmt::format(
      "{}: {} of the {} vertices of mesh '{}' are in parts that follow one joint alone and stay on linear blend",
      layer.label, count, rigid.size(), mesh.name));
}

// Leaves of a mesh's layers those that show: from the topmost one that covers it all upwards.
void drop_hidden(std::vector<LayerAtMesh>& layers) {
  const auto covers = [](const LayerAtMesh& layer) { return is_everywhere(layer.mask, 1.0f); };
  const auto top = std::find_if(layers.rbegin(), layers.rend(), covers);
  layers.erase(layers.begin(), top.base() - 1);
  const auto nowhere = [](const LayerAtMesh& layer) { return is_everywhere(layer.mask, 0.0f); };
  layers.erase(std::remove_if(layers.begin() + 1, layers.end(), nowhere), layers.end());
}

}  // namespace

Result<LayerPlan> plan_layers(const Model& model, const Rig& rig, std::vector<std::string>& notes) {
  LayerPlan plan;
  plan.meshes.resize(model.meshes.size());
  plan.layers.push_back({"meshes without a layer (linear_blend)", LinearBlendParameters{}});
  for (const Layer& layer : rig.layers) {
    plan.layers.push_back(
        {fmt::format("layer {} ({})", plan.layers.size(), deformer_name(layer.deformer)), layer.deformer});
  }
  const Result<std::vector<bool>> is_driver = find_drivers(model, plan);
  if (!is_driver) return tl::unexpected(is_driver.error());

  for (std::size_t l = 1; l < plan.layers.size(); ++l) {
    const Layer& source = rig.layers[l - 1];
    const PlannedLayer& layer = plan.layers[l];
    const Result<std::vector<std::size_t>> targets = find_targets(model, source.target, layer, *is_driver);
    if (!targets) return tl::unexpected(targets.error());
    for (const std::size_t m : *targets) {
      const Mesh& mesh = model.meshes[m];
      Result<std::vector<float>> mask = mask_values(source.mask, mesh, model, layer);
      if (!mask) return tl::unexpected(mask.error());
      LayerAtMesh added{l, std::move(*mask)};
      std::vector<LayerAtMesh>& below = plan.meshes[m];
      if (below.empty() && !is_everywhere(added.mask, 1.0f)) {
        notes.push_back(
            fmt::format("{}: the first layer of mesh '{}' acts everywhere, whatever its mask", layer.label, mesh.name));
        added.mask.assign(added.mask.size(), 1.0f);
      }
      if (source.target == "*") leave_rigid_parts(below, added, mesh, layer, notes);
      below.push_back(std::move(added));
    }
  }
  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    if ((*is_driver)[m]) continue;
    std::vector<LayerAtMesh>& layers = plan.meshes[m];
    if (layers.empty()) layers.push_back({0, std::vector<float>(model.meshes[m].positions.size(), 1.0f)});
    drop_hidden(layers);
  }
  return plan;
}

}  // namespace pelt
