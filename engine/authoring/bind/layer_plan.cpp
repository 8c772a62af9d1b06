// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/layer_plan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include <pelt/character.h>
#include <pelt/curve_skeleton.h>
#include <pelt/linear_blend.h>
#include <pelt/rig_names.h>
#include <pelt/selection.h>
#include <pelt/tools/area.h>
#include <pelt/tools/joint_roles.h>
#include <pelt/try.h>
#include <pelt/typed_name.h>

#include "engine/authoring/base/name_list.h"
#include "engine/authoring/chain/rigid_regions.h"
#include "engine/authoring/deformer/region.h"
#include "engine/authoring/deformer/rigid_parts.h"
#include "engine/authoring/model/find_named.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

bool is_everywhere(const std::vector<float>& mask, float value) {
  return std::ranges::all_of(mask, [&](float m) { return m == value; });
}

// Finds the driver mesh of each layer, and marks the meshes that drive others.
Result<void> find_drivers(const Model& model, LayerPlan& plan) {
  plan.is_driver.assign(model.meshes.size(), false);
  for (PlannedLayer& layer : plan.layers) {
    std::string name;
    for_each_name(layer.deformer, [&](const std::string& text, Names names) {
      if (names == Names::kDriver || names == Names::kCage) name = text;
      const Mesh* line = names == Names::kLine ? model.find_mesh(text) : nullptr;
      if (line != nullptr) plan.is_driver[static_cast<std::size_t>(line - model.meshes.data())] = true;
    });
    if (name.empty()) continue;
    PELT_ASSIGN(const Mesh* const driver, find_mesh(model, name, layer.label + ": its driver"));
    layer.driver_mesh = static_cast<std::size_t>(driver - model.meshes.data());
    plan.is_driver[*layer.driver_mesh] = true;
  }
  return {};
}

Result<std::vector<std::size_t>> find_targets(const Model& model, std::span<const MuscleMeshes> muscles,
                                              const std::string& target, const PlannedLayer& layer,
                                              const std::vector<bool>& is_driver) {
  std::vector<std::size_t> targets;
  if (target == "*") {
    for (std::size_t m = 0; m < model.meshes.size(); ++m) {
      if (!is_driver[m]) targets.push_back(m);
    }
    return targets;
  }
  PELT_ASSIGN(const Mesh* const mesh, find_mesh(model, target, layer.label + ": its target"));
  targets.push_back(static_cast<std::size_t>(mesh - model.meshes.data()));
  if (layer.driver_mesh == targets[0]) return invalid("{}: the target '{}' is its own driver", layer.label, target);
  for (const MuscleMeshes& muscle : muscles) {
    if (muscle.mesh != targets[0] && muscle.line != targets[0]) continue;
    return invalid("{}: the target '{}' belongs to a muscle, whose line moves it", layer.label, target);
  }
  return targets;
}

Result<std::vector<float>> mask_values(const Mask& mask, const Mesh& mesh, const Model& model, const Rig& rig,
                                       const PlannedLayer& layer) {
  Result<std::vector<float>> values = region_values(mask.region, mesh, model, rig, layer.label + ": the mask");
  if (values) {
    for (float& value : *values) value *= mask.value;
  }
  return values;
}

// Returns the fraction of each vertex that moves as painted: at least the weight on facial joints, at least
// smoothstep(2 w - 1), with w that weight plus the largest sum of weights on one rigid region, and what spans joints of
// the trunk.
std::vector<float> parts_in_rigid_regions(const Mesh& mesh, const Model& model, const chain::RigidRegions& regions,
                                          const std::vector<bool>& is_patch) {
  std::vector<float> parts(mesh.positions.size(), 0.0f);
  if (!has_weights(mesh)) return parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    float of_face = 0;
    float of_region = 0;  // largest sum over one rigid region
    const std::span<const Influence> row = mesh.weights.row(i);
    const auto region_of = [&](const Influence& influence) {
      return regions.of_joint[model.bound_joints[influence.index].joint];
    };
    for (const Influence& influence : row) {
      if (is_patch[model.bound_joints[influence.index].joint]) {
        of_face += influence.weight;
        continue;
      }
      if (region_of(influence) == chain::kNoRigidRegion) continue;
      float sum = 0;
      for (const Influence& other : row) sum += region_of(other) == region_of(influence) ? other.weight : 0.0f;
      of_region = std::max(of_region, sum);
    }
    const float apart = (1 - glm::smoothstep(0.0f, 1.0f, 2 * (of_face + of_region) - 1)) * (1 - regions.spanning(row));
    parts[i] = std::max(std::min(of_face, 1.0f), 1 - apart);
  }
  return parts;
}

void keep_heads(chain::RigidRegions& regions) {
  for (std::size_t j = 0; j < regions.is_head.size(); ++j) {
    if (!regions.is_head[j]) regions.of_joint[j] = chain::kNoRigidRegion;
  }
  regions.beyond.clear();
}

// Notes for each layer below, for why_idle, that `layer` hides it at a mesh.
void note_hidden(std::span<const LayerAtMesh> below, std::size_t layer, const Mesh& mesh,
                 std::vector<PlannedLayer>& planned) {
  for (const LayerAtMesh& at : below) {
    planned[at.layer].idle.push_back(fmt::format("{} hides it at mesh '{}'", planned[layer].label, mesh.name));
  }
}

// Meshes with pieces that a layer leaves to linear blend.
struct Pieces {
  NameList whole, parts;
  double most = 0;  // largest fraction of a mesh of `parts`

  void add(const Mesh& mesh, std::size_t count) {
    if (count == mesh.positions.size()) return whole.add(mesh.name);
    parts.add(mesh.name);
    most = std::max(most, static_cast<double>(count) / static_cast<double>(mesh.positions.size()));
  }

  std::string text() const {
    const std::string share =
        fmt::format("{}{:.0f}% of {}", parts.count() > 1 ? "up to " : "", std::ceil(100 * most), parts.text());
    return fmt::format("{}{}{}", whole.text(), whole.empty() || parts.empty() ? "" : "; ", parts.empty() ? "" : share);
  }
};

// Lowers the mask of a layer over * where linear blend does better. Returns the areas that stay on linear blend.
PieceAreas leave_to_linear_blend(std::vector<LayerAtMesh>& below, LayerAtMesh& added, const Mesh& mesh,
                                 const Model& model, const chain::RigidRegions& regions,
                                 const std::vector<bool>& is_patch, std::vector<PlannedLayer>& planned, Pieces& stays) {
  const PlannedLayer& layer = planned[added.layer];
  const DeformerEntry& entry = deformer_entry(layer.deformer);
  std::vector<float> left(mesh.positions.size(), 0.0f);
  if (!regions.of_joint.empty()) left = parts_in_rigid_regions(mesh, model, regions, is_patch);
  const std::vector<double> areas = vertex_areas(mesh.positions, mesh.triangles);
  const RigidParts treatment = entry.rigid_parts != nullptr ? entry.rigid_parts(layer.deformer) : RigidParts::kMoved;
  std::vector<bool> rigid(left.size());  // in parts that stay
  if (treatment != RigidParts::kMoved) rigid = find_rigid_parts(mesh);
  if (treatment == RigidParts::kLeftAsMeshes && std::ranges::count(rigid, false) != 0) rigid.assign(left.size(), false);
  PieceAreas pieces;
  for (std::size_t i = 0; i < left.size(); ++i) {
    pieces.all += areas[i];
    (rigid[i] ? pieces.rigid_parts : pieces.rigid_regions) += rigid[i] ? areas[i] : areas[i] * left[i];
    if (rigid[i]) left[i] = 1;
  }
  const std::size_t moved = static_cast<std::size_t>(std::ranges::count(left, 0.0f));
  if (moved == left.size()) return pieces;
  const bool hides_all = !layer.wires && is_everywhere(added.mask, 1.0f);
  if (below.empty() || hides_all) {
    note_hidden(below, added.layer, mesh, planned);
    below = {{0, std::vector<float>(mesh.positions.size(), 1.0f)}};
  }
  for (std::size_t i = 0; i < left.size(); ++i) added.mask[i] *= 1 - left[i];
  stays.add(mesh, left.size() - moved);
  return pieces;
}

// Returns why a layer over *, whose mask is not 0 everywhere, leaves all of a mesh to linear blend.
std::string why_painted(const PieceAreas& pieces, PaintedPieces leaves, const Mesh& mesh) {
  std::vector<std::string> parts;
  if (pieces.rigid_parts > 0) parts.push_back("is in parts that follow one joint");
  if (pieces.rigid_regions > 0 || parts.empty()) {
    parts.push_back(leaves == PaintedPieces::kHeads
                        ? "follows facial joints, heads, or other ends thicker than their limbs"
                        : "moves as one piece (heads, hands, feet, hips, faces)");
  }
  return fmt::format(
      "everything that it would move of mesh '{0}' {1}, and stays on linear blend; a layer with the target "
      "'{0}' moves it",
      mesh.name, fmt::join(parts, " or "));
}

// Returns true if a layer whose deformer makes a surface from the skin shows at meshes, but none of them has area.
bool lacks_area(std::size_t layer, const Model& model, std::span<const std::size_t> targets, const LayerPlan& plan) {
  const DeformerEntry& entry = deformer_entry(plan.layers[layer].deformer);
  if (entry.makes_surface == nullptr || !entry.makes_surface(plan.layers[layer].deformer)) return false;
  return std::ranges::none_of(targets, [&](std::size_t m) {
    const Mesh& mesh = model.meshes[m];
    const double least = least_area(mesh);
    return !is_everywhere(plan.meshes[m].back().mask, 0.0f) &&
           std::ranges::any_of(mesh.triangles, [&](glm::uvec3 t) { return triangle_area(mesh, t) > least; });
  });
}

// Leaves everything that a layer over * moves to the layers below.
void leave_flat_skin(std::size_t layer, const Model& model, std::span<const std::size_t> targets, LayerPlan& plan) {
  for (const std::size_t m : targets) {
    std::vector<LayerAtMesh>& layers = plan.meshes[m];
    if (is_everywhere(layers.back().mask, 0.0f)) continue;
    const std::vector<float> everywhere(layers.back().mask.size(), 1.0f);
    layers.back().mask.assign(everywhere.size(), 0.0f);
    if (layers.size() == 1) layers.insert(layers.begin(), {0, everywhere});
    plan.layers[layer].idle.push_back(fmt::format("mesh '{}' has no triangle with area", model.meshes[m].name));
  }
}

// Plans layer `l` over its meshes, above the layers before it.
Result<void> plan_layer(std::size_t l, const Layer& source, const Model& model, std::span<const MuscleMeshes> muscles,
                        const Rig& rig, LayerPlan& plan, std::vector<std::string>& notes) {
  PlannedLayer& layer = plan.layers[l];
  PELT_ASSIGN(const auto targets, find_targets(model, muscles, source.target, layer, plan.is_driver));
  chain::RigidRegions regions;
  const DeformerEntry& entry = deformer_entry(layer.deformer);
  const PaintedPieces leaves =
      source.target == "*" && entry.leaves != nullptr ? entry.leaves(layer.deformer) : PaintedPieces::kNone;
  const std::vector<bool> is_patch =
      leaves == PaintedPieces::kNone ? std::vector<bool>() : patch_joints(model.skeleton);
  if (leaves != PaintedPieces::kNone) {
    regions = chain::rigid_regions(model, std::vector<std::uint32_t>(targets.begin(), targets.end()));
    if (leaves == PaintedPieces::kHeads) keep_heads(regions);
  }
  Pieces stays;
  for (const std::size_t m : targets) {
    const Mesh& mesh = model.meshes[m];
    PELT_ASSIGN(auto mask, mask_values(source.mask, mesh, model, rig, layer));
    LayerAtMesh added{l, std::move(mask)};
    std::vector<LayerAtMesh>& below = plan.meshes[m];
    if (below.empty() && layer.wires) {
      return invalid("{}: there is no layer below at mesh '{}' to combine with", layer.label, mesh.name);
    }
    if (!below.empty() && plan.layers[below.back().layer].wires && !layer.wires) {
      return invalid("{}: mesh '{}' is combined as in Wires below this layer; the layer needs 'wires' too", layer.label,
                     mesh.name);
    }
    if (below.empty() && !is_everywhere(added.mask, 1.0f)) {
      notes.push_back(
          fmt::format("{}: the first layer of mesh '{}' acts everywhere, whatever its mask", layer.label, mesh.name));
      added.mask.assign(added.mask.size(), 1.0f);
    }
    const bool is_nowhere = is_everywhere(added.mask, 0.0f);
    if (is_nowhere) {
      layer.idle.push_back(source.mask.value == 0 ? "the value of its mask is 0"
                                                  : why_nowhere(source.mask.region, mesh, model, rig));
    }
    if (source.target == "*") {
      plan.pieces[m] = leave_to_linear_blend(below, added, mesh, model, regions, is_patch, plan.layers, stays);
      if (!is_nowhere && is_everywhere(added.mask, 0.0f)) {
        layer.idle.push_back(why_painted(plan.pieces[m], leaves, mesh));
      }
    }
    below.push_back(std::move(added));
  }
  if (const std::string meshes = stays.text(); !meshes.empty()) {
    notes.push_back(fmt::format(
        "{}: these stay on linear blend, since they follow one joint or move as one piece (heads, hands, feet, "
        "hips, faces): {}",
        layer.label, meshes));
  }
  if (source.target == "*" && lacks_area(l, model, targets, plan)) leave_flat_skin(l, model, targets, plan);
  return {};
}

// Keeps only the layers that show: the topmost one that covers the whole mesh, and the nonempty ones above it. Linear
// blend below them has the mask 0 at vertices that they hide.
void drop_hidden(std::vector<LayerAtMesh>& layers, const Mesh& mesh, std::vector<PlannedLayer>& planned) {
  const auto covers = [&](const LayerAtMesh& layer) {
    return !planned[layer.layer].wires && is_everywhere(layer.mask, 1.0f);
  };
  const auto top = std::find_if(layers.rbegin(), layers.rend(), covers);
  note_hidden(std::span(layers.begin(), top.base() - 1), (top.base() - 1)->layer, mesh, planned);
  layers.erase(layers.begin(), top.base() - 1);
  const auto nowhere = [](const LayerAtMesh& layer) { return is_everywhere(layer.mask, 0.0f); };
  layers.erase(std::remove_if(layers.begin() + 1, layers.end(), nowhere), layers.end());
  if (layers[0].layer != 0) return;
  for (std::size_t v = 0; v < layers[0].mask.size(); ++v) {
    const auto hides = [&](const LayerAtMesh& layer) { return layer.mask[v] == 1 && !planned[layer.layer].wires; };
    if (std::any_of(layers.begin() + 1, layers.end(), hides)) layers[0].mask[v] = 0;
  }
}

void plan_lines(const Model& model, std::span<const MuscleMeshes> muscles, LayerPlan& plan) {
  if (muscles.empty()) return;
  const auto carries = [](const PlannedLayer& layer) {
    return layer.deformer.get_if<CurveSkeletonParameters>() != nullptr && !layer.wires;
  };
  const auto found = std::ranges::find_if(plan.layers, carries);
  const auto curves = static_cast<std::size_t>(found - plan.layers.begin());
  if (found == plan.layers.end()) {
    plan.layers.push_back({fmt::format("lines of muscles ({})", typed_name(CurveSkeletonParameters::kName)),
                           CurveSkeletonParameters{},
                           {},
                           {}});
  }
  for (const MuscleMeshes& muscle : muscles) {
    const std::size_t count = model.meshes[muscle.line].positions.size();
    std::vector<float> between(count, 1.0f);
    between[0] = 0.0f;
    std::fill(between.end() - (muscle.wrings ? 3 : 2), between.end(), 0.0f);  // the other end, and side vertices
    plan.meshes[muscle.line] = {{0, std::vector<float>(count, 1.0f)}, {curves, std::move(between)}};
  }
}

}  // namespace

std::string why_idle(const PlannedLayer& layer) {
  constexpr std::size_t kMax = 3;
  std::vector<std::string> causes;
  for (const std::string& cause : layer.idle) {
    if (std::ranges::find(causes, cause) == causes.end()) causes.push_back(cause);
  }
  const std::size_t more = causes.size() - std::min(causes.size(), kMax);
  causes.resize(causes.size() - more);
  return fmt::format("{}{}", fmt::join(causes, "; "), more > 0 ? fmt::format("; and {} more", more) : "");
}

Result<LayerPlan> plan_layers(const Model& model, std::span<const LevelMapping> levels,
                              std::span<const MuscleMeshes> muscles, const Rig& rig, std::vector<std::string>& notes) {
  LayerPlan plan;
  plan.meshes.resize(model.meshes.size());
  plan.pieces.resize(model.meshes.size());
  plan.layers.push_back({"meshes without a layer (linear-blend)", LinearBlendParameters{}, {}, {}});
  for (const Layer& layer : rig.layers) {
    plan.layers.push_back({fmt::format("layer {} ({})", plan.layers.size() - 1, typed_name(layer.deformer.name())),
                           layer.deformer,
                           layer.wires,
                           {},
                           layer.target == "*"});
  }
  const auto spreads = [](const PlannedLayer& layer) {
    const DeformerEntry& entry = deformer_entry(layer.deformer);
    return entry.spreads_twists != nullptr && entry.spreads_twists(layer.deformer);
  };
  if (std::ranges::any_of(plan.layers, spreads))
    plan.layers[0].deformer = LinearBlendParameters{.twist = Twist::kSpread};
  PELT_TRY(find_drivers(model, plan));
  for (const MuscleMeshes& muscle : muscles) plan.is_driver[muscle.line] = plan.is_driver[muscle.mesh] = true;

  for (std::size_t l = 1; l < plan.layers.size(); ++l) {
    PELT_TRY(plan_layer(l, rig.layers[l - 1], model, muscles, rig, plan, notes));
  }
  for (std::size_t m = 0; m < model.meshes.size(); ++m) {
    if (plan.is_driver[m] && plan.meshes[m].empty()) continue;
    std::vector<LayerAtMesh>& layers = plan.meshes[m];
    if (layers.empty()) layers.push_back({0, std::vector<float>(model.meshes[m].positions.size(), 1.0f)});
    drop_hidden(layers, model.meshes[m], plan.layers);
  }
  for (const LevelMapping& level : levels) {
    std::vector<LayerAtMesh>& layers = plan.levels.emplace_back();
    if (!plan.is_skin(level.of())) {
      notes.push_back(fmt::format("'{}' is left out, since it is a level of detail of a driver", level.mesh().name));
      continue;
    }
    for (const LayerAtMesh& at : plan.meshes[level.of()]) layers.push_back({at.layer, level.carry(at.mask)});
  }
  plan_lines(model, muscles, plan);
  return plan;
}

}  // namespace pelt
