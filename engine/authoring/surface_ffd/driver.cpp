// SPDX-License-Identifier: MIT
#include "engine/authoring/surface_ffd/driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/tools/joint_roles.h>
#include <pelt/try.h>

#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/joint_clusters.h"
#include "engine/authoring/deformer/twist_spread.h"
#include "engine/authoring/driver/folds/folds.h"
#include "engine/authoring/driver/from_skin/joint_spread.h"
#include "engine/authoring/driver/from_skin/shown_surface.h"
#include "engine/authoring/driver/key_pose/bind.h"
#include "engine/authoring/geometry/bone_forest.h"
#include "engine/authoring/surface_ffd/driver_mesh.h"
#include "shaders/blend/blend.h"

namespace pelt::surface_ffd {
namespace {

const char* follow_name(Follow follow) {
  switch (follow) {
    case Follow::kLinearBlend:
      return "driver by linear_blend";
    case Follow::kClosestLimb:
      return "driver by the closest limb";
    case Follow::kStreamed:
      return "driver, streamed";
    case Follow::kDualQuaternion:
      break;
  }
  return "driver by dual_quaternion";
}

// Returns a driver that is a mesh of the model moved by layers. bind() has already added it.
Result<Driver> driver_of_layers(const DriverParameters& parameters, std::size_t control_mesh,
                                const DeformerInput& input) {
  DriverParameters plain;
  plain.mesh = parameters.mesh;
  plain.estimate_frames = parameters.estimate_frames;
  plain.morph_targets = parameters.morph_targets;
  plain.offsets = parameters.offsets;
  if (!(parameters == plain)) {
    return invalid(input,
                   fmt::format("the driver '{}' is moved by layers or a muscle, so follow, refinements, welding and "
                               "key poses cannot be set",
                               parameters.mesh));
  }
  Driver driver;
  driver.source = *input.model.find_mesh(parameters.mesh);
  if (const auto part = input.drivers.parts.find(control_mesh); part != input.drivers.parts.end()) {
    driver.mesh = part->second.mesh;
    driver.source_triangle = part->second.triangles;
  } else {
    driver.mesh = driver.source;
    driver.source_triangle.resize(driver.mesh.triangles.size());
    std::iota(driver.source_triangle.begin(), driver.source_triangle.end(), 0u);
  }
  driver.painting = driver.mesh.weights;
  driver.sculpted = !input.rig.groups.empty();  // masks by groups may separate twins
  driver.control_mesh = control_mesh;
  driver.estimated_frames = parameters.estimate_frames;
  return driver;
}

// Returns the weights of the closest points of the targets.
Result<SparseRows> weights_of_targets(const Mesh& driver, const DeformerInput& input) {
  from_skin::ShownSurface skin = from_skin::shown_surface(input, true);
  drop_flat(skin.mesh.positions, skin.mesh.triangles);
  if (skin.mesh.triangles.empty()) {
    return invalid(input, fmt::format("the driver '{}' has no weights, and no target has any", driver.name));
  }
  PELT_ASSIGN(const auto tree, within(input.layer, TriangleTree::create(skin.mesh.positions, skin.mesh.triangles)));
  skin.mesh = {};
  return closest_weights(
      tree, [&](std::uint32_t v) { return skin.weights(v); }, driver.positions, input.threads);
}

// A bone of the skeleton at bind, moved by a bound joint.
struct Limb {
  std::uint32_t bound_joint;
  glm::dvec3 from;
  glm::dvec3 to;
};

// Returns for each joint whether its bones are limbs: those along curves, and those of a face. The bone from a root on
// the ground to the hips is not; it runs between the legs.
std::vector<bool> joints_of_limbs(const Model& model) {
  std::vector<std::string> notes;  // about curves
  std::vector<bool> are =
      chain::find_body(model, chain::find_skins(model, {}), chain::matrices_at_bind(model, {}), notes);
  const std::vector<bool> is_patch = patch_joints(model.skeleton);
  for (std::size_t j = 0; j < are.size(); ++j) are[j] = are[j] || is_patch[j];
  return are;
}

// Returns the bones from every bound joint of a limb to the bound joints below it. A joint without any gets a bone that
// continues the one to it, equally long, or is a point.
std::vector<Limb> find_limbs(const Model& model) {
  const std::vector<Bone> bones = bone_forest(model);
  const std::vector<bool> is_limb = joints_of_limbs(model);
  std::vector<Limb> limbs;
  for (std::uint32_t b = 0; b < bones.size(); ++b) {
    if (!bones[b].is_somewhere || bones[b].first != b || !is_limb[model.bound_joints[b].joint]) continue;
    const glm::dvec3& origin = bones[b].origin;
    for (const std::uint32_t child : bones[b].children) limbs.push_back({b, origin, bones[child].origin});
    if (!bones[b].children.empty()) continue;
    const glm::dvec3& reached = bones[b].parent < 0 ? origin : bones[static_cast<std::size_t>(bones[b].parent)].origin;
    limbs.push_back({b, origin, origin + (origin - reached)});
  }
  return limbs;
}

// Returns the painted weights of the closest points of the targets, over the model's bound joints. Errors: no target
// has weights.
Result<SparseRows> transferred_weights(const DriverSource& driver, const DeformerInput& input) {
  if (driver.skin_weights.row_count() != 0) return driver.skin_weights;
  return weights_of_targets(driver.mesh, input);
}

// Returns weights that bind each vertex rigidly to the closest limb (Singh & Kokkevis 2000, section 4). Errors: there
// is no limb.
Result<SparseRows> closest_limb_weights(const Mesh& driver, const DeformerInput& input) {
  const std::vector<Limb> limbs = find_limbs(input.model);
  if (limbs.empty()) return invalid(input, fmt::format("the driver '{}' has no limb to follow", driver.name));
  SparseRows weights;
  for (const glm::vec3 position : driver.positions) {
    const glm::dvec3 point(position);
    double least = std::numeric_limits<double>::infinity();
    Influence closest{limbs[0].bound_joint, 1.0f};
    for (const Limb& limb : limbs) {
      const double distance = distance_to_segment(point, limb.from, limb.to);
      if (distance < least) {
        least = distance;
        closest.index = limb.bound_joint;
      }
    }
    weights.append_row(std::span(&closest, 1));
  }
  return weights;
}

// Adds the painted weights over the model's bound joints to a driver that the skeleton moves. Returns true if they come
// from the skin.
Result<bool> add_weights(const DriverParameters& parameters, const DeformerInput& input, DriverSource& source) {
  Mesh& mesh = source.mesh;
  const bool keeps_weights = mesh.weights.row_count() != 0 && parameters.follow != Follow::kClosestLimb;
  if (keeps_weights || parameters.follow == Follow::kStreamed) return false;
  PELT_ASSIGN(mesh.weights, parameters.follow == Follow::kClosestLimb ? closest_limb_weights(mesh, input)
                                                                      : transferred_weights(source, input));
  return parameters.follow != Follow::kClosestLimb;
}

SparseRows in_order(const SparseRows& rows, std::span<const std::uint32_t> order) {
  SparseRows result;
  for (std::size_t v = 0; v < std::min(order.size(), rows.row_count()); ++v) {
    result.append_row(rows.row(order[v]), rows.row_gradients(order[v]));
  }
  return result;
}

template <class Value>
void put_in_order(std::vector<Value>& values, std::span<const std::uint32_t> order) {
  std::vector<Value> result;
  for (std::size_t v = 0; v < std::min(order.size(), values.size()); ++v) result.push_back(values[order[v]]);
  values = std::move(result);
}

// Moves the vertices of a driver with offsets to its end, so that only they have palette entries for these. Returns the
// earlier number of each vertex, or nothing if they stay.
std::vector<std::uint32_t> put_keyed_last(std::vector<key_pose::KeyedOffsets>& keyed, Driver& driver) {
  Mesh& mesh = driver.mesh;
  driver.keyed = key_pose::moved_vertices(keyed, mesh);
  std::vector<std::uint32_t> order(mesh.positions.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto moved = std::ranges::stable_partition(order, [&](std::uint32_t v) { return !driver.keyed[v]; });
  if (moved.begin() - order.begin() < std::ptrdiff_t{shared::kSliceRows} || moved.empty() || !driver.patches.empty()) {
    return {};
  }
  std::sort(driver.keyed.begin(), driver.keyed.end());
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t v = 0; v < order.size(); ++v) place[order[v]] = v;
  put_in_order(mesh.positions, order);
  put_in_order(mesh.normals, order);
  put_in_order(mesh.tangents, order);
  put_in_order(mesh.uvs, order);
  mesh.weights = in_order(mesh.weights, order);
  driver.painting = in_order(driver.painting, order);
  for (glm::uvec3& t : mesh.triangles) t = {place[t.x], place[t.y], place[t.z]};
  for (key_pose::KeyedOffsets& some : keyed) {
    put_in_order(some.offsets, order);
    put_in_order(some.turns, order);
  }
  return order;
}

// Returns the rows by which joints move a driver. `weighted`: its weights come from the skin.
MeshBinding joint_binding(const DriverParameters& parameters, bool weighted, const Driver& driver, const Model& model,
                          CharacterBuilder& builder) {
  MeshBinding binding;
  binding.mode = parameters.follow == Follow::kDualQuaternion ? BlendMode::kDualQuaternion : BlendMode::kLinear;
  const TwistSpread twists(model, weighted && spreads_twists(parameters) ? Twist::kSpread : Twist::kNone);
  binding.rows = twists.rows_over_joints(driver.mesh, binding.mode, builder);
  return binding;
}

// Adds the shapes of folds, unless an artist shapes the driver, or it is of cloth with a body's weights (spread 0),
// whose folds would differ from the body's. Returns whether there are any.
Result<bool> add_folds(const DriverParameters& parameters, const Driver& driver, const DeformerInput& input,
                       key_weights::WeightTable& weights, std::vector<key_pose::KeyedOffsets>& keyed) {
  const bool wanted = parameters.folds == Folds::kAuto && is_made_from_skin(parameters) && keyed.empty() &&
                      parameters.follow == Follow::kDualQuaternion && parameters.offsets.empty() &&
                      parameters.spread != 0.0f && !parameters.estimate_frames && folds::may_fold(input.model);
  if (!wanted) return false;
  CharacterBuilder trial = input.builder;
  MeshBinding binding = joint_binding(parameters, true, driver, input.model, trial);
  PELT_ASSIGN(auto folds, folds::find_folds(driver.mesh, parameters, std::move(binding), driver.painting, input.model,
                                            std::move(trial), input.threads));
  for (folds::Fold& fold : folds) {
    PELT_ASSIGN(const auto keys, weights.add_keys(fold.keys, input.model, input.layer + ": folds"));
    for (std::size_t k = 0; k < keys.size(); ++k) {
      keyed.push_back({weights.add_weight({keys[k]}), std::move(fold.offsets[k])});
    }
  }
  return !folds.empty();
}

// Returns the mesh with three points per vertex after its vertices (Singh & Kokkevis 2000, section 4.2).
Mesh with_axis_points(const Mesh& driver) {
  Mesh mesh;
  mesh.name = driver.name;
  mesh.positions = driver.positions;
  mesh.triangles = driver.triangles;
  mesh.parts = driver.parts;
  for (const glm::vec3 position : driver.positions) {
    for (glm::length_t c = 0; c < 3; ++c) mesh.positions.push_back(position + glm::mat3(1.0f)[c]);
  }
  return mesh;
}

Result<Driver> make_driver(const DriverParameters& parameters, const DeformerInput& input) {
  PELT_ASSIGN(auto source, find_source(parameters, input));
  PELT_ASSIGN(const auto weighted, add_weights(parameters, input, source));
  PELT_ASSIGN(auto refined, weld_and_refine(source.mesh, parameters, input));

  Driver driver;
  driver.mesh = std::move(refined.mesh);
  driver.mesh.name = source.mesh.name;
  driver.painting = driver.mesh.weights;
  if (weighted)
    driver.mesh.weights = from_skin::spread_along(driver.mesh, parameters.spread, input.model, input.threads);
  driver.source_triangle = std::move(refined.source_triangle);
  driver.patches = std::move(source.patches);
  const std::string what = fmt::format("{}: the driver '{}'", input.layer, driver.mesh.name);
  if (parameters.follow == Follow::kStreamed) {
    if (!parameters.key_poses.empty()) return invalid(input, "a streamed driver cannot have key poses");
    driver.axis_points = parameters.axis_points;
    PELT_ASSIGN(const auto added,
                input.builder.add_streamed_mesh(driver.axis_points ? with_axis_points(driver.mesh) : driver.mesh));
    driver.control_mesh = added;
    driver.estimated_frames = true;
  } else {
    const auto carry = [&](std::span<const glm::vec3> values) { return refined.vertices.carry(values); };
    key_weights::WeightTable key_weights;
    PELT_ASSIGN(auto keyed, key_pose::find_offsets(parameters.key_poses, parameters.morph_targets, source.mesh, carry,
                                                   input.model, what, input.builder, key_weights));
    PELT_ASSIGN(const bool folds, add_folds(parameters, driver, input, key_weights, keyed));
    ControlOptions options;
    options.source_vertex = put_keyed_last(keyed, driver);
    options.offset_entry = key_pose::add_offsets(key_weights, keyed, driver.mesh, input.builder);
    MeshBinding binding = joint_binding(parameters, weighted, driver, input.model, input.builder);
    PELT_ASSIGN(const auto added,
                input.builder.add_control_mesh(driver.mesh, binding, follow_name(parameters.follow), options));
    driver.control_mesh = added;
    driver.motion = std::move(binding.rows);
    // Morph targets of clips turn the surface without a function for its frames; key poses only offset it.
    driver.estimated_frames = parameters.estimate_frames || (options.offset_entry && !folds &&
                                                             parameters.key_poses.empty() && parameters.morph_targets);
    driver.sculpted = options.offset_entry && !folds;
  }
  driver.source = std::move(source.mesh);
  return driver;
}

// Moves the vertices of a driver by the offsets, after bind: skin that binds to the driver does not see the offsets.
Result<Driver> moved(Result<Driver> driver, const DriverParameters& parameters, const DeformerInput& input) {
  if (!driver) return driver;
  PELT_TRY(within(input.layer, input.builder.move_vertices(driver->control_mesh, parameters.offsets)));
  driver->sculpted = driver->sculpted || !parameters.offsets.empty();
  return driver;
}

}  // namespace

bool is_made_from_skin(const DriverParameters& driver) {
  return driver.mesh.empty() && driver.file.empty() && driver.patches.empty();
}

bool spreads_twists(const DriverParameters& driver) {
  const bool follows_weights = driver.follow == Follow::kDualQuaternion || driver.follow == Follow::kLinearBlend;
  return driver.twist == Twist::kSpread && driver.mesh.empty() && follows_weights;
}

Result<Driver> add_driver(const DriverParameters& parameters, const DeformerInput& input) {
  for (const auto& [known, driver] : input.drivers.drivers) {
    if (!is_made_from_skin(parameters) && known == parameters) return driver;
  }
  if (!parameters.mesh.empty()) {
    if (const std::optional<std::size_t> known = input.builder.find_control_mesh(parameters.mesh)) {
      for (const auto& [other, driver] : input.drivers.drivers) {
        if (driver.control_mesh != *known) continue;
        return invalid(input, fmt::format("the driver '{}' is already used with other parameters", parameters.mesh));
      }
      return moved(driver_of_layers(parameters, *known, input), parameters, input);
    }
  }
  Result<Driver> driver = moved(make_driver(parameters, input), parameters, input);
  if (driver) input.drivers.drivers.emplace_back(parameters, *driver);
  return driver;
}

}  // namespace pelt::surface_ffd
