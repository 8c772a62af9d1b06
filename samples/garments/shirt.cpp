// SPDX-License-Identifier: MIT
#include "samples/garments/shirt.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/tools/joint_roles.h>
#include <pelt/tools/mesh_parts.h>
#include <pelt/tools/triangle_tree.h>
#include <pelt/try.h>

#include "samples/garments/outer_surface.h"

namespace pelt::samples {
namespace {

// An end of a garment: it cuts away the cloth beyond a plane, within a cone that has the radius `radius` at the plane
// and opens by 45 degrees.
struct Opening {
  glm::vec3 origin{0.0f};
  glm::vec3 outward{0.0f};  // unit
  float radius = std::numeric_limits<float>::infinity();
  std::vector<bool> limb{};  // true for the limb's bound joints; empty: all. Skin of other joints is inside

  // Returns how far inside of the garment's end a point is, metres; below 0 it is outside. `row`: weights of the skin
  // beneath it.
  float inside(const glm::vec3& point, std::span<const Influence> row) const {
    const float beyond = glm::dot(point - origin, outward);
    const float besides = std::max(-beyond, glm::length(point - origin - beyond * outward) - radius - beyond);
    if (limb.empty() || row.empty()) return besides;
    float others = 0.5f;
    for (const Influence& influence : row) others -= limb[influence.index] ? influence.weight : 0.0f;
    return std::max(besides, 2 * others * radius);
  }
};

// The positions of joints at bind, by their role.
class Joints {
 public:
  explicit Joints(const Model& body) : body_(body), uses_(joint_uses(body.skeleton)) {}

  struct Place {
    std::uint32_t joint = 0;   // index in the skeleton
    glm::vec3 position{0.0f};  // model space, metres
  };

  // Returns the first bound joint with that role.
  Result<Place> find(JointRole role, Side side = Side::kNone) const {
    for (const BoundJoint& bound : body_.bound_joints) {
      const JointUse& use = uses_[bound.joint];
      if (use.role != role || use.side != side || use.kind == JointKind::kTwist) continue;
      return Place{bound.joint, glm::vec3(glm::inverse(bound.inverse_bind)[3])};
    }
    const char* which = side == Side::kNone ? "" : side == Side::kLeft ? "left " : "right ";
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: a shirt needs a joint that is named as one of these: {}{}", body_.name, which,
                            role_words(role)));
  }

  // Returns for each bound joint true if it is that joint of the skeleton or descends from it.
  std::vector<bool> hanging_from(std::uint32_t joint) const {
    std::vector<bool> hangs;
    for (const Joint& each : body_.skeleton.joints) {
      hangs.push_back(hangs.size() == joint || (each.parent >= 0 && hangs[static_cast<std::size_t>(each.parent)]));
    }
    std::vector<bool> bound_hang;
    for (const BoundJoint& bound : body_.bound_joints) bound_hang.push_back(hangs[bound.joint]);
    return bound_hang;
  }

 private:
  const Model& body_;
  std::vector<JointUse> uses_;
};

Result<std::vector<Opening>> find_openings(const Joints& joints, const ShirtOptions& options) {
  constexpr float kNeckline = 0.2f;  // from the neck downwards, as a share of the way from neck to arm
  constexpr float kWidth = 0.6f;     // radius of an opening, as a share of the way from neck to arm or arm to forearm
  PELT_ASSIGN(const auto neck, joints.find(JointRole::kNeck));
  std::vector<Opening> openings;
  glm::vec3 hips(0.0f);
  float thigh_length = 0;
  float shoulder_length = 0;
  for (const Side side : {Side::kLeft, Side::kRight}) {
    std::array<glm::vec3, 4> places;
    std::uint32_t upper_arm = 0;
    constexpr JointRole kRoles[] = {JointRole::kUpperArm, JointRole::kForearm, JointRole::kThigh, JointRole::kShin};
    for (std::size_t i = 0; i < places.size(); ++i) {
      PELT_ASSIGN(const auto place, joints.find(kRoles[i], side));
      places[i] = place.position;
      if (i == 0) upper_arm = place.joint;
    }
    const auto& [arm, forearm, thigh, shin] = places;
    openings.push_back({glm::mix(arm, forearm, options.sleeve), glm::normalize(forearm - arm),
                        kWidth * glm::distance(arm, forearm), joints.hanging_from(upper_arm)});
    hips += 0.5f * thigh;
    thigh_length += 0.5f * glm::distance(thigh, shin);
    shoulder_length += 0.5f * glm::distance(neck.position, arm);
  }
  const glm::vec3 up = glm::normalize(neck.position - hips);
  openings.push_back({neck.position - kNeckline * shoulder_length * up, up, kWidth * shoulder_length});
  openings.push_back({.origin = hips - options.hem * thigh_length * up, .outward = -up});
  return openings;
}

// Joins all meshes, without the triangles that have no area.
Mesh one_mesh(const Model& body) {
  Mesh mesh = concatenate(body.meshes);
  std::erase_if(mesh.triangles, [&](glm::uvec3 t) { return triangle_area(mesh, t) == 0; });
  return mesh;
}

// Moves every vertex half way to the mean of its neighbours, `rounds` times. A vertex that this brings nearer to the
// body than `least` moves out again.
void smooth(Surface& cloth, const Mesh& skin, const TriangleTree& tree, float least, int rounds) {
  const std::vector<std::uint32_t> welded = weld_by_position(cloth.positions);
  const auto edges = edges_both_ways(welded, cloth.triangles);
  for (int round = 0; round < rounds; ++round) {
    std::vector<glm::vec4> sums(cloth.positions.size(), glm::vec4(0.0f));
    for (const auto& [from, to] : edges) sums[from] += glm::vec4(cloth.positions[to], 1);
    for (std::size_t v = 0; v < sums.size(); ++v) {
      if (sums[v].w > 0) cloth.positions[v] = glm::mix(cloth.positions[v], glm::vec3(sums[v]) / sums[v].w, 0.5f);
    }
    const std::vector<TriangleTree::NearPoint> near = tree.nearest_of_each(cloth.positions, 0);
    for (std::size_t v = 0; v < near.size(); ++v) {
      const auto distance = static_cast<float>(std::sqrt(near[v].closest.squared_distance));
      if (!(distance > 0 && distance < least)) continue;
      glm::dvec3 closest(0);
      for (int c = 0; c < 3; ++c) {
        closest += near[v].closest.weights[c] * glm::dvec3(skin.positions[near[v].closest.vertices[c]]);
      }
      const glm::vec3 out = cloth.positions[v] - glm::vec3(closest);
      cloth.positions[v] += (least / distance - 1) * out;
    }
  }
}

// Moves vertices near the cut (`inside` 0) onto it along an edge, so that cutting leaves no slivers.
void move_to_cut(Surface& cloth, std::vector<float>& inside) {
  constexpr float kClose = 0.3f;  // share of the edge's length
  std::vector<float> nearest(inside.size(), kClose);
  std::vector<glm::vec3> moved = cloth.positions;
  for (const glm::uvec3 t : cloth.triangles) {
    for (int c = 0; c < 6; ++c) {
      const std::uint32_t from = t[c % 3];
      const std::uint32_t to = t[(c % 3 + (c < 3 ? 1 : 2)) % 3];
      if (!(inside[from] * inside[to] < 0)) continue;
      const float share = inside[from] / (inside[from] - inside[to]);
      if (share >= nearest[from]) continue;
      nearest[from] = share;
      moved[from] = glm::mix(cloth.positions[from], cloth.positions[to], share);
    }
  }
  for (std::size_t v = 0; v < inside.size(); ++v) {
    if (nearest[v] < kClose) inside[v] = 0;
  }
  cloth.positions = std::move(moved);
}

// Keeps the surface where `inside`, a number a vertex, is at least 0. Vertices that are no longer used stay.
Surface cut(Surface cloth, std::vector<float> inside) {
  move_to_cut(cloth, inside);
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> crossings;  // the new vertex on a cut edge
  const auto crossing = [&](std::uint32_t a, std::uint32_t b) {
    const auto [found, is_new] =
        crossings.emplace(std::minmax(a, b), static_cast<std::uint32_t>(cloth.positions.size()));
    if (is_new) {
      const float share = inside[a] / (inside[a] - inside[b]);
      cloth.positions.push_back(glm::mix(cloth.positions[a], cloth.positions[b], share));
    }
    return found->second;
  };
  std::vector<glm::uvec3> left;
  for (const glm::uvec3 t : cloth.triangles) {
    std::vector<std::uint32_t> corners;
    for (int c = 0; c < 3; ++c) {
      const std::uint32_t a = t[c];
      const std::uint32_t b = t[(c + 1) % 3];
      if (inside[a] >= 0) corners.push_back(a);
      if (inside[a] * inside[b] < 0) corners.push_back(crossing(a, b));
    }
    for (std::size_t c = 2; c < corners.size(); ++c) left.emplace_back(corners[0], corners[c - 1], corners[c]);
  }
  cloth.triangles = std::move(left);
  return cloth;
}

// Returns the connected part with the most triangles, as a mesh.
Mesh largest_part(const Surface& cloth) {
  const std::vector<std::uint32_t> parts = connected_parts(cloth.positions.size(), cloth.triangles);
  std::vector<std::size_t> counts(parts.size(), 0);
  for (const glm::uvec3 t : cloth.triangles) ++counts[parts[t.x]];
  const auto largest = static_cast<std::uint32_t>(std::ranges::max_element(counts) - counts.begin());
  Mesh mesh;
  std::vector<std::uint32_t> number(parts.size(), 0);
  for (std::size_t v = 0; v < parts.size(); ++v) {
    if (parts[v] != largest) continue;
    number[v] = static_cast<std::uint32_t>(mesh.positions.size());
    mesh.positions.push_back(cloth.positions[v]);
  }
  for (const glm::uvec3 t : cloth.triangles) {
    if (parts[t.x] == largest) mesh.triangles.emplace_back(number[t.x], number[t.y], number[t.z]);
  }
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  mesh.parts = {{.triangle_count = static_cast<std::uint32_t>(mesh.triangles.size())}};
  return mesh;
}

}  // namespace

Result<Mesh> make_shirt(const Model& body, const ShirtOptions& options) {
  constexpr int kSmoothing = 30;  // rounds
  constexpr float kMin = 0.7f;    // share of the offset that smoothing leaves
  constexpr float kSeam = 0.04f;  // share of the size: seam beyond the openings for smoothing, which shrinks borders
  PELT_ASSIGN(const auto openings, find_openings(Joints(body), options));
  const Mesh skin = one_mesh(body);
  const Result<TriangleTree> tree = TriangleTree::create(skin.positions, skin.triangles);
  if (!tree)
    return fail(ErrorCode::kInvalidArgument, fmt::format("{}: has no triangles to wear a shirt on", body.name));
  glm::vec3 low = skin.positions[0];
  glm::vec3 high = low;
  for (const glm::vec3& p : skin.positions) {
    low = glm::min(low, p);
    high = glm::max(high, p);
  }
  const float size = glm::distance(low, high);
  Surface cloth =
      *outer_surface(skin.positions, skin.triangles, options.offset * size, options.span * size, options.cell * size);
  const auto cut_at_openings = [&](float beyond) {  // metres
    SparseRows weights;
    if (has_weights(skin)) {
      weights = closest_weights(
          *tree, [&](std::uint32_t v) { return skin.weights.row(v); }, cloth.positions, 0);
    }
    std::vector<float> inside;
    for (std::size_t v = 0; v < cloth.positions.size(); ++v) {
      const std::span<const Influence> row = weights.row_count() > 0 ? weights.row(v) : std::span<const Influence>();
      float least = std::numeric_limits<float>::infinity();
      for (const Opening& opening : openings) {
        least = std::min(least, opening.inside(cloth.positions[v], row) + beyond);
      }
      inside.push_back(least);
    }
    return largest_part(cut(std::move(cloth), std::move(inside)));
  };
  Mesh shirt = cut_at_openings(kSeam * size);
  cloth = {std::move(shirt.positions), std::move(shirt.triangles)};
  smooth(cloth, skin, *tree, kMin * options.offset * size, kSmoothing);
  shirt = cut_at_openings(0);
  if (shirt.triangles.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                fmt::format("{}: nothing of the body is where a shirt is worn", body.name));
  }
  shirt.name = "shirt";
  return shirt;
}

}  // namespace pelt::samples
