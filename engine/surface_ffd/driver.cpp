// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/driver.h"

#include <fmt/format.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "engine/model/import.h"
#include "engine/model/parts.h"
#include "engine/surface_ffd/triangle_tree.h"

namespace pelt::surface_ffd {
namespace {

constexpr std::size_t kMostTransferred = 8;  // joints that one driver vertex follows
constexpr double kLeastArea = 1e-10;         // of the squared diagonal
constexpr int kSmoothingRounds = 2;          // more spread weights from finger to finger on a coarse driver

tl::unexpected<Error> invalid(const DeformerInput& input, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", input.layer, why));
}

}  // namespace

double triangle_area(const Mesh& mesh, glm::uvec3 triangle) {
  const glm::dvec3 a(mesh.positions[triangle.x]);
  return 0.5 * glm::length(
                   glm::cross(glm::dvec3(mesh.positions[triangle.y]) - a, glm::dvec3(mesh.positions[triangle.z]) - a));
}

double least_area(const Mesh& mesh) {
  if (mesh.positions.empty()) return 0;
  glm::dvec3 low(mesh.positions[0]);
  glm::dvec3 high = low;
  for (const glm::vec3 position : mesh.positions) {
    low = glm::min(low, glm::dvec3(position));
    high = glm::max(high, glm::dvec3(position));
  }
  return kLeastArea * glm::dot(high - low, high - low);
}

namespace {

// ------------------------------------------------------------------------------------------- where the mesh is from

// Positions, triangles and weights laid end to end; weights only where every mesh has them.
Mesh concatenate(std::span<const Mesh* const> meshes) {
  Mesh result;
  for (const Mesh* mesh : meshes) {
    const auto first = static_cast<std::uint32_t>(result.positions.size());
    result.positions.insert(result.positions.end(), mesh->positions.begin(), mesh->positions.end());
    for (const glm::uvec3 triangle : mesh->triangles) result.triangles.push_back(triangle + first);
    for (std::size_t i = 0; i < mesh->weights.row_count(); ++i) result.weights.append_row(mesh->weights.row(i));
  }
  if (result.weights.row_count() != result.positions.size()) result.weights = {};
  return result;
}

// The targets, or those of them that have weights, where the layer shows.
Mesh shown_surface(const DeformerInput& input, bool with_weights) {
  std::vector<const Mesh*> meshes;
  std::vector<float> mask;
  for (const DeformerTarget& target : input.targets) {
    const Mesh& mesh = input.model.meshes[target.mesh];
    if (with_weights && mesh.weights.row_count() != mesh.positions.size()) continue;
    meshes.push_back(&mesh);
    mask.insert(mask.end(), target.mask.begin(), target.mask.end());
  }
  Mesh surface = concatenate(meshes);
  std::erase_if(surface.triangles, [&](glm::uvec3 t) { return mask[t.x] + mask[t.y] + mask[t.z] == 0; });
  return surface;
}

// Triangles over one vertex a position, each with three different ones: seams and parts become one surface.
void weld(Mesh& mesh) {
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  for (glm::uvec3& t : mesh.triangles) t = {welded[t.x], welded[t.y], welded[t.z]};
  std::erase_if(mesh.triangles, [](glm::uvec3 t) { return t.x == t.y || t.y == t.z || t.z == t.x; });
}

void drop_unused_vertices(Mesh& mesh) {
  constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> remap(mesh.positions.size(), kUnused);
  for (const glm::uvec3 t : mesh.triangles) remap[t.x] = remap[t.y] = remap[t.z] = 0;
  std::vector<glm::vec3> positions;
  for (std::size_t i = 0; i < remap.size(); ++i) {
    if (remap[i] == kUnused) continue;
    remap[i] = static_cast<std::uint32_t>(positions.size());
    positions.push_back(mesh.positions[i]);
  }
  for (glm::uvec3& t : mesh.triangles) t = {remap[t.x], remap[t.y], remap[t.z]};
  mesh.positions = std::move(positions);
  mesh.weights = {};
}

// The surface, rippled: every vertex moved along its normal by a fixed pseudo-random share of the edges round it.
// Simplification measures distance from planes, and would spare no vertex along a straight limb, where the joints need
// them most. Ripples tilt the planes, so that distance along the surface counts as well: triangles stay round and even
// where the surface is straight, and small where it is curved.
std::vector<glm::vec3> rippled(const Mesh& mesh) {
  constexpr float kHeight = 0.2f;  // of the mean edge at the vertex
  std::vector<float> edge_sum(mesh.positions.size(), 0);
  std::vector<float> edge_count(mesh.positions.size(), 0);
  for (const glm::uvec3 t : mesh.triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      const std::uint32_t a = t[corner];
      const std::uint32_t b = t[(corner + 1) % 3];
      const float length = glm::distance(mesh.positions[a], mesh.positions[b]);
      for (const std::uint32_t v : {a, b}) {
        edge_sum[v] += length;
        edge_count[v] += 1;
      }
    }
  }
  const std::vector<glm::vec3> normals = vertex_normals(mesh.positions, mesh.triangles);
  std::vector<glm::vec3> result(mesh.positions.size());
  for (std::uint32_t i = 0; i < result.size(); ++i) {
    const std::uint32_t hash = (i * 2654435761u) >> 8u;
    const float noise = static_cast<float>(hash) / static_cast<float>(1u << 23u) - 1.0f;  // [-1, 1)
    result[i] = mesh.positions[i] + normals[i] * (kHeight * noise * edge_sum[i] / std::max(edge_count[i], 1.0f));
  }
  return result;
}

std::vector<glm::uvec3> triangles_from(std::span<const unsigned> indices) {
  std::vector<glm::uvec3> result;
  for (std::size_t i = 0; i + 2 < indices.size(); i += 3) {
    result.emplace_back(indices[i], indices[i + 1], indices[i + 2]);
  }
  return result;
}

std::vector<glm::uvec3> simplified(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                                   std::size_t triangle_count) {
  constexpr float kAnyError = 1e10f;
  std::vector<unsigned> indices(3 * triangles.size());
  indices.resize(meshopt_simplify(indices.data(), &triangles[0].x, indices.size(), &positions[0].x, positions.size(),
                                  sizeof(glm::vec3), 3 * triangle_count, kAnyError, 0, nullptr));
  return triangles_from(indices);
}

std::vector<glm::uvec3> simplified_sloppily(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                                            std::size_t triangle_count) {
  constexpr float kAnyError = 1e10f;
  std::vector<unsigned> indices(3 * triangles.size());
  indices.resize(meshopt_simplifySloppy(indices.data(), &triangles[0].x, indices.size(), &positions[0].x,
                                        positions.size(), sizeof(glm::vec3), 3 * triangle_count, kAnyError, nullptr));
  return triangles_from(indices);
}

// Triangles of the connected parts of `welded` that have none in `kept`, and how many such parts there are.
std::vector<glm::uvec3> lost_triangles(const Mesh& welded, std::span<const std::uint32_t> part,
                                       std::span<const glm::uvec3> kept, std::size_t& part_count) {
  std::vector<bool> known(welded.positions.size(), false);
  for (const glm::uvec3 t : kept) known[part[t.x]] = true;
  std::vector<bool> counted = known;
  std::vector<glm::uvec3> lost;
  part_count = 0;
  for (const glm::uvec3 t : welded.triangles) {
    if (known[part[t.x]]) continue;
    lost.push_back(t);
    if (!counted[part[t.x]]) ++part_count;
    counted[part[t.x]] = true;
  }
  return lost;
}

// Gives connected parts that simplification lost a few triangles back, where that does not make the driver much larger:
// what they belong to is then moved by themselves, not by what happens to be near.
void restore_lost_parts(const Mesh& welded, std::span<const glm::vec3> positions, std::size_t asked,
                        std::vector<glm::uvec3>& triangles, const DeformerInput& input) {
  constexpr std::size_t kMost = 12;
  constexpr std::size_t kLeast = 2;
  const std::vector<std::uint32_t> part = connected_parts(welded.positions.size(), welded.triangles);
  std::size_t count = 0;
  const std::vector<glm::uvec3> lost = lost_triangles(welded, part, triangles, count);
  if (count == 0) return;
  const std::size_t few = std::min(kMost, asked / (2 * count));
  if (few < kLeast) {
    input.notes.push_back(fmt::format("{}: {} small parts of the surface have no triangle of the driver of their own",
                                      input.layer, count));
    return;
  }
  input.notes.push_back(fmt::format("{}: {} small parts of the surface keep a few triangles each beyond the {} asked",
                                    input.layer, count, asked));
  const std::vector<glm::uvec3> restored = simplified(positions, lost, std::min(few * count, lost.size()));
  triangles.insert(triangles.end(), restored.begin(), restored.end());
  std::vector<std::size_t> taken(welded.positions.size(), 0);  // by part, as they are
  for (const glm::uvec3 t : lost_triangles(welded, part, triangles, count)) {
    if (taken[part[t.x]]++ < few) triangles.push_back(t);
  }
}

Mesh make_from_targets(const DriverParameters& parameters, const DeformerInput& input) {
  Mesh mesh = shown_surface(input, false);
  weld(mesh);
  drop_unused_vertices(mesh);
  if (mesh.triangles.size() > parameters.triangles) {
    const std::vector<glm::vec3> positions = rippled(mesh);
    std::vector<glm::uvec3> triangles = simplified(positions, mesh.triangles, parameters.triangles);
    if (triangles.size() > 2 * std::size_t{parameters.triangles}) {
      input.notes.push_back(
          fmt::format("{}: the surface could not be simplified below {} triangles with its connections kept, so that "
                      "the driver is a coarse one without them",
                      input.layer, triangles.size()));
      triangles = simplified_sloppily(mesh.positions, mesh.triangles, parameters.triangles);
    }
    restore_lost_parts(mesh, positions, parameters.triangles, triangles, input);
    mesh.triangles = std::move(triangles);
  }
  // What simplification leaves of a row of vertices in line is no element and holds nothing together.
  const double least = least_area(mesh);
  std::erase_if(mesh.triangles, [&](glm::uvec3 t) { return triangle_area(mesh, t) <= least; });
  drop_unused_vertices(mesh);
  mesh.name = input.builder.free_name(
      input.targets.size() == 1 ? "driver of " + input.model.meshes[input.targets[0].mesh].name : "driver");
  return mesh;
}

Result<Mesh> read_file(const DriverParameters& parameters, const DeformerInput& input) {
  const Result<Model> model = import_model((std::filesystem::path(input.directory) / parameters.file).string());
  if (!model) return fail(model.error().code, fmt::format("{}: the driver: {}", input.layer, model.error().message));
  std::vector<const Mesh*> meshes;
  for (const Mesh& mesh : model->meshes) meshes.push_back(&mesh);
  Mesh mesh = concatenate(meshes);
  mesh.weights = {};  // they speak of the file's own joints
  mesh.name = input.builder.free_name(std::filesystem::path(parameters.file).stem().string());
  return mesh;
}

// ------------------------------------------------------------------------------------- how it follows the skeleton

// Each round moves every vertex's weights half way to the mean of its neighbours', so that joints bend over a stretch
// that the driver's triangles can follow.
SparseRows smoothed(const SparseRows& weights, const Mesh& driver) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;  // both ways, sorted
  for (const glm::uvec3 t : driver.triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      const std::uint32_t a = t[corner];
      const std::uint32_t b = t[(corner + 1) % 3];
      edges.emplace_back(a, b);
      edges.emplace_back(b, a);
    }
  }
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  SparseRows result = weights;
  std::vector<WeightedElement> row;
  for (int round = 0; round < kSmoothingRounds; ++round) {
    const SparseRows before = std::exchange(result, {});
    auto edge = edges.begin();
    for (std::uint32_t i = 0; i < before.row_count(); ++i) {
      const auto end = std::find_if(edge, edges.end(), [&](const auto& e) { return e.first != i; });
      const double own = edge == end ? 1.0 : 0.5;
      const double other = edge == end ? 0.0 : 0.5 / static_cast<double>(end - edge);
      row.clear();
      for (const Influence& influence : before.row(i)) row.push_back({influence.index, influence.weight * own});
      for (; edge != end; ++edge) {
        for (const Influence& influence : before.row(edge->second)) {
          row.push_back({influence.index, influence.weight * other});
        }
      }
      append_row(result, row);
    }
  }
  return result;
}

// Each row cut to the `most` strongest.
SparseRows strongest(const SparseRows& weights, std::size_t most) {
  SparseRows result;
  std::vector<WeightedElement> row;
  for (std::size_t i = 0; i < weights.row_count(); ++i) {
    row.clear();
    for (const Influence& influence : weights.row(i)) row.push_back({influence.index, influence.weight});
    cut_row(row, most, Cut::kHard);
    append_row(result, row);
  }
  return result;
}

// Weights of the closest points of the targets, over the model's bound joints.
Result<SparseRows> transferred_weights(const Mesh& driver, const DeformerInput& input) {
  const Mesh skin = shown_surface(input, true);
  std::vector<glm::uvec3> triangles = skin.triangles;
  std::erase_if(triangles, [&](glm::uvec3 t) { return triangle_area(skin, t) == 0; });
  if (triangles.empty()) {
    return invalid(input, fmt::format("the driver '{}' has no weights, and no target has any to give it", driver.name));
  }
  const Result<TriangleTree> tree = TriangleTree::create(skin.positions, triangles);
  if (!tree) return invalid(input, tree.error().message);
  SparseRows weights;
  std::vector<TriangleTree::Near> nearest;
  std::vector<WeightedElement> row;
  for (const glm::vec3 position : driver.positions) {
    tree->nearest(position, 1, nearest);
    const ClosestPoint closest = tree->closest_point(nearest[0].triangle, position);
    row.clear();
    for (int corner = 0; corner < 3; ++corner) {
      for (const Influence& influence : skin.weights.row(closest.vertices[corner])) {
        row.push_back({influence.index, closest.weights[corner] * influence.weight});
      }
    }
    append_row(weights, row);
  }
  return strongest(smoothed(weights, driver), kMostTransferred);
}

// A bone of the skeleton at bind, moved by a bound joint.
struct Limb {
  std::uint32_t bound_joint;
  glm::dvec3 from;
  glm::dvec3 to;
};

// Bones from every bound joint to the bound joints below it. A joint with none below goes on as far and in the
// direction that it was reached, or is a point.
std::vector<Limb> find_limbs(const Model& model) {
  constexpr std::int64_t kNone = -1;
  const std::size_t joint_count = model.skeleton.joints.size();
  std::vector<std::int64_t> bound_of_joint(joint_count, kNone);
  std::vector<glm::dvec3> origin(model.bound_joints.size());
  for (std::size_t b = 0; b < model.bound_joints.size(); ++b) {
    const BoundJoint& bound = model.bound_joints[b];
    const glm::dmat4 inverse_bind(bound.inverse_bind);
    const bool usable = std::abs(glm::determinant(glm::dmat3(inverse_bind))) > 0;
    if (!usable || bound_of_joint[bound.joint] != kNone) continue;
    origin[b] = glm::dvec3(glm::inverse(inverse_bind)[3]);
    bound_of_joint[bound.joint] = static_cast<std::int64_t>(b);
  }
  std::vector<std::int64_t> bound_above(joint_count, kNone);  // the nearest bound joint above each joint
  std::vector<bool> has_child(model.bound_joints.size(), false);
  std::vector<Limb> limbs;
  for (std::size_t j = 0; j < joint_count; ++j) {
    const std::int32_t parent = model.skeleton.joints[j].parent;
    if (parent >= 0) {
      const auto p = static_cast<std::size_t>(parent);
      bound_above[j] = bound_of_joint[p] != kNone ? bound_of_joint[p] : bound_above[p];
    }
    if (bound_of_joint[j] == kNone || bound_above[j] == kNone) continue;
    const auto above = static_cast<std::size_t>(bound_above[j]);
    limbs.push_back(
        {static_cast<std::uint32_t>(above), origin[above], origin[static_cast<std::size_t>(bound_of_joint[j])]});
    has_child[above] = true;
  }
  for (std::size_t j = 0; j < joint_count; ++j) {
    if (bound_of_joint[j] == kNone || has_child[static_cast<std::size_t>(bound_of_joint[j])]) continue;
    const auto b = static_cast<std::size_t>(bound_of_joint[j]);
    const glm::dvec3 reached = bound_above[j] == kNone ? origin[b] : origin[static_cast<std::size_t>(bound_above[j])];
    limbs.push_back({static_cast<std::uint32_t>(b), origin[b], origin[b] + (origin[b] - reached)});
  }
  return limbs;
}

Result<SparseRows> closest_limb_weights(const Mesh& driver, const DeformerInput& input) {
  const std::vector<Limb> limbs = find_limbs(input.model);
  if (limbs.empty()) return invalid(input, fmt::format("the driver '{}' has no limb to follow", driver.name));
  SparseRows weights;
  for (const glm::vec3 position : driver.positions) {
    const glm::dvec3 point(position);
    double least = std::numeric_limits<double>::infinity();
    Influence closest{limbs[0].bound_joint, 1.0f};
    for (const Limb& limb : limbs) {
      const glm::dvec3 bone = limb.to - limb.from;
      const double squared = glm::dot(bone, bone);
      const double t = squared > 0 ? std::clamp(glm::dot(point - limb.from, bone) / squared, 0.0, 1.0) : 0.0;
      const double distance = glm::distance(point, limb.from + t * bone);
      if (distance < least) {
        least = distance;
        closest.index = limb.bound_joint;
      }
    }
    weights.append_row(std::span(&closest, 1));
  }
  return weights;
}

const char* follow_name(Follow follow) {
  switch (follow) {
    case Follow::kLinearBlend:
      return "driver by linear_blend";
    case Follow::kClosestLimb:
      return "driver by the closest limb";
    case Follow::kDualQuaternion:
      break;
  }
  return "driver by dual_quaternion";
}

Result<Mesh> find_mesh(const DriverParameters& parameters, const DeformerInput& input) {
  if (!parameters.mesh.empty() && !parameters.file.empty()) {
    return invalid(input, fmt::format("the driver is named twice, as mesh '{}' and as file '{}'", parameters.mesh,
                                      parameters.file));
  }
  if (!parameters.file.empty()) return read_file(parameters, input);
  if (parameters.mesh.empty()) return make_from_targets(parameters, input);
  const Mesh* mesh = input.model.find_mesh(parameters.mesh);
  if (mesh == nullptr) {
    return fail(ErrorCode::kNotFound,
                fmt::format("{}: the driver '{}' is not in the model", input.layer, parameters.mesh));
  }
  return *mesh;
}

}  // namespace

Result<Driver> add_driver(const DriverParameters& parameters, const DeformerInput& input) {
  Result<Mesh> mesh = find_mesh(parameters, input);
  if (!mesh) return tl::unexpected(mesh.error());
  const std::string deformer = follow_name(parameters.follow);
  if (const std::optional<std::size_t> known = input.builder.find_control_mesh(mesh->name)) {
    if (input.builder.reports()[*known].deformer != deformer) {
      return invalid(
          input, fmt::format("the driver '{}' already is a {}", mesh->name, input.builder.reports()[*known].deformer));
    }
    return Driver{std::move(*mesh), *known};
  }
  if (mesh->triangles.empty()) return invalid(input, fmt::format("the driver '{}' has no triangles", mesh->name));
  if (parameters.follow == Follow::kClosestLimb || mesh->weights.row_count() == 0) {
    Result<SparseRows> weights = parameters.follow == Follow::kClosestLimb ? closest_limb_weights(*mesh, input)
                                                                           : transferred_weights(*mesh, input);
    if (!weights) return tl::unexpected(weights.error());
    mesh->weights = std::move(*weights);
  }
  MeshBinding binding;
  binding.mode = parameters.follow == Follow::kDualQuaternion ? BlendMode::kDualQuaternion : BlendMode::kLinear;
  binding.rows = input.builder.rows_over_joints(mesh->weights, binding.mode);
  const Result<std::size_t> control_mesh = input.builder.add_control_mesh(*mesh, binding, deformer);
  if (!control_mesh) return tl::unexpected(control_mesh.error());
  return Driver{std::move(*mesh), *control_mesh};
}

}  // namespace pelt::surface_ffd
