// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <utility>

#include <pelt/garment.h>
#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/tools/mesh_parts.h>
#include <pelt/try.h>

#include "engine/authoring/driver/from_skin/joint_spread.h"
#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/fitting_points.h"
#include "engine/authoring/geometry/inpaint.h"
#include "engine/authoring/geometry/spread_weights.h"
#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

// Returns the body's bound joint of the same name for each bound joint of the garment; none if one is missing.
std::optional<std::vector<std::uint32_t>> match_joints(const Model& garment, const Model& body) {
  std::vector<std::uint32_t> matches;
  for (const BoundJoint& bound : garment.bound_joints) {
    const std::optional<std::uint32_t> joint = body.skeleton.find(garment.skeleton.joints[bound.joint].name);
    std::uint32_t b = 0;
    while (b < body.bound_joints.size() && (!joint || body.bound_joints[b].joint != *joint)) ++b;
    if (b == body.bound_joints.size()) return std::nullopt;
    matches.push_back(b);
  }
  return matches;
}

// Returns true if both bind their common joints alike, within rounding.
bool same_bind(const Model& garment, const Model& body, const std::vector<std::uint32_t>& joints) {
  for (std::size_t b = 0; b < joints.size(); ++b) {
    const glm::mat4 difference = garment.bound_joints[b].inverse_bind - body.bound_joints[joints[b]].inverse_bind;
    for (int c = 0; c < 4; ++c) {
      if (glm::length(difference[c]) > 1e-3f) return false;
    }
  }
  return true;
}

void rename_columns(SparseRows& rows, const std::vector<std::uint32_t>& columns) {
  for (Influence& influence : rows.influences) influence.index = columns[influence.index];
}

// Returns the body's meshes with weights as one mesh, without triangles that have no area.
Mesh weighted_skin(const Model& body) {
  std::vector<const Mesh*> meshes;
  for (const Mesh& mesh : body.meshes) {
    if (has_weights(mesh)) meshes.push_back(&mesh);
  }
  Mesh skin = concatenate(meshes);
  drop_flat(skin.positions, skin.triangles);
  return skin;
}

// Drops triangles whose corners an earlier one has, such as the backs of two-sided cloth.
std::vector<glm::uvec3> without_twins(std::vector<glm::uvec3> triangles) {
  std::set<std::array<std::uint32_t, 3>> seen;
  std::erase_if(triangles, [&](const glm::uvec3& t) {
    std::array<std::uint32_t, 3> corners{t.x, t.y, t.z};
    std::ranges::sort(corners);
    return !seen.insert(corners).second;
  });
  return triangles;
}

// Transfers the weights of a body to cloth without weights.
class Transfer {
 public:
  Transfer(const Mesh& skin, TriangleTree tree, const Model& body, double reach, unsigned threads)
      : skin_(skin), surface_(body_surface(skin, std::move(tree))), body_(body), reach_(reach), threads_(threads) {}

  struct Rows {
    SparseRows weights;
    std::vector<bool> strays;  // vertices of parts that fit the body nowhere
  };

  Rows rows(const Mesh& cloth) const {
    const std::size_t count = cloth.positions.size();
    const std::vector<std::uint32_t> first = weld_by_position(cloth.positions);
    const std::vector<glm::uvec3> triangles = without_twins(welded_triangles(first, cloth.triangles));
    const std::vector<std::uint32_t> parts = connected_parts(count, triangles);
    std::vector<Bounds<glm::vec3>> boxes(count);  // of the parts
    for (std::uint32_t v = 0; v < count; ++v) boxes[parts[first[v]]].add(cloth.positions[v]);
    // Small parts, such as buttons, stay rigid.
    std::vector<bool> is_rigid;
    for (std::uint32_t v = 0; v < count; ++v)
      is_rigid.push_back(double{glm::length(boxes[parts[first[v]]].size())} <= reach_);

    const FittingPoints found = fitting_points(cloth.positions, triangles, surface_, reach_, threads_);
    SparseRows known;
    for (std::uint32_t v = 0; v < count; ++v) {
      if (first[v] == v && found.fits[v] && !is_rigid[v]) {
        append_weights_at(*found.fits[v], row_of_skin(), known);
      } else {
        known.append_row({});
      }
    }
    const SparseRows filled = inpaint(cloth.positions, triangles, known, reach_, threads_);
    Rows result;
    for (std::uint32_t v = 0; v < count; ++v) {
      const std::span<const Influence> row = filled.row(first[v]);
      result.strays.push_back(row.empty() && !is_rigid[v]);
      if (row.empty()) {
        append_weights_at(found.closest[v], row_of_skin(), result.weights);
      } else {
        result.weights.append_row(row);
      }
    }
    // Narrower transitions than on a body: the copied weights already have the width of the body's.
    const std::vector<Transition> transitions(body_.bound_joints.size(),
                                              {.radii = 0.5f, .bones = 0.75f, .rigid = true});
    result.weights = spread_weights(cloth, result.weights, body_, transitions, threads_);
    result.weights = with_rigid_parts(cloth, result.weights, is_rigid, [&](std::uint32_t v) {
      const Bounds<glm::vec3>& box = boxes[parts[first[v]]];
      return box.low + 0.5f * box.size();
    });
    result.weights = cut_rows(result.weights, from_skin::kMaxTransferred, Cut::kHard);
    return result;
  }

 private:
  RowOfVertex row_of_skin() const {
    return [this](std::uint32_t v) { return skin_.weights.row(v); };
  }

  // Returns the rows with those of rigid vertices replaced by one row per part: that of the cloth's or the body's point
  // closest to the centre of the part.
  template <class CentreOf>
  SparseRows with_rigid_parts(const Mesh& cloth, const SparseRows& rows, const std::vector<bool>& is_rigid,
                              const CentreOf& centre_of) const {
    std::vector<glm::vec3> centres;
    for (std::uint32_t v = 0; v < is_rigid.size(); ++v) {
      if (is_rigid[v]) centres.push_back(centre_of(v));
    }
    if (centres.empty()) return rows;
    std::vector<glm::uvec3> triangles = cloth.triangles;
    std::erase_if(triangles, [&](const glm::uvec3& t) { return is_rigid[t.x]; });
    drop_flat(cloth.positions, triangles);
    const Result<TriangleTree> tree = TriangleTree::create(cloth.positions, triangles);
    const auto on_body = surface_.tree.nearest_of_each(centres, threads_);
    const auto on_cloth = tree ? tree->nearest_of_each(centres, threads_) : on_body;
    SparseRows result;
    std::size_t i = 0;
    for (std::uint32_t v = 0; v < is_rigid.size(); ++v) {
      if (!is_rigid[v]) {
        result.append_row(rows.row(v));
        continue;
      }
      if (tree && on_cloth[i].closest.squared_distance <= on_body[i].closest.squared_distance) {
        append_weights_at(
            on_cloth[i].closest, [&](std::uint32_t c) { return rows.row(c); }, result);
      } else {
        append_weights_at(on_body[i].closest, row_of_skin(), result);
      }
      ++i;
    }
    return result;
  }

  const Mesh& skin_;
  BodySurface surface_;
  const Model& body_;
  double reach_;  // metres
  unsigned threads_;
};

// Returns all meshes of a model and their levels.
std::vector<Mesh*> meshes_and_levels(Model& model) {
  std::vector<Mesh*> meshes;
  for (Mesh& mesh : model.meshes) meshes.push_back(&mesh);
  for (MeshLevel& level : model.levels) meshes.push_back(&level.mesh);
  return meshes;
}

// Returns the garment with the body's skeleton and clips.
Result<Dressed> put_on(Model garment, const Model& body) {
  if (garment.meshes.empty()) {
    return invalid("{}: has no mesh for the body to drive", garment.name);
  }
  Dressed dressed;
  const std::optional<std::vector<std::uint32_t>> joints = match_joints(garment, body);
  const std::size_t joint_count = garment.bound_joints.size();  // a rigid garment has one: its node
  bool had_weights = false;
  for (Mesh* mesh : meshes_and_levels(garment)) {
    had_weights = had_weights || (mesh->weights.row_count() != 0 && joint_count > 1);
    if (joints) {
      rename_columns(mesh->weights, *joints);
    } else {
      mesh->weights = {};
    }
  }
  const auto is_morphed = [](const Mesh& mesh) { return !mesh.morph_targets.empty(); };
  if (std::any_of(body.meshes.begin(), body.meshes.end(), is_morphed)) {
    dressed.notes.push_back(fmt::format("the morph targets of '{}' do not move the garment", body.name));
  }
  if (!garment.clips.empty()) {
    dressed.notes.push_back(
        fmt::format("the clips of '{}' are left out: it moves by the clips of '{}'", garment.name, body.name));
  }
  if (joints && !same_bind(garment, body, *joints)) {
    dressed.notes.push_back(
        fmt::format("'{}' and '{}' are bound in different poses; bind assumes that the garment fits the body "
                    "in the poses of their files",
                    garment.name, body.name));
  }
  if (!joints && had_weights) {
    dressed.notes.push_back(fmt::format("the weights of '{}' are left out: they name joints that '{}' does not have",
                                        garment.name, body.name));
  }
  dressed.model = std::move(garment);
  dressed.model.skeleton = body.skeleton;
  dressed.model.bound_joints = body.bound_joints;
  dressed.model.clips = body.clips;
  for (Clip& clip : dressed.model.clips) clip.morph_channels.clear();
  return dressed;
}

}  // namespace

Result<Dressed> dress(Model garment, const Model& body) {
  PELT_ASSIGN(auto dressed, put_on(std::move(garment), body));
  Mesh driver = concatenate(body.meshes);
  if (driver.triangles.empty()) {
    return invalid("{}: has no triangles to drive the garment", body.name);
  }
  driver.normals = vertex_normals(driver.positions, driver.triangles);
  driver.name = body.meshes.size() == 1 ? body.meshes[0].name : "body";
  for (int number = 2; dressed.model.find_mesh(driver.name) != nullptr; ++number)
    driver.name = fmt::format("body {}", number);
  dressed.body = driver.name;
  dressed.model.meshes.push_back(std::move(driver));
  return dressed;
}

Result<Dressed> dress_by_weights(Model garment, const Model& body, unsigned threads) {
  constexpr double kReach = 0.05;  // of the diagonal of the garment's box, as in the paper (inpaint.h)
  PELT_ASSIGN(auto dressed, put_on(std::move(garment), body));
  const Mesh skin = weighted_skin(body);
  Result<TriangleTree> tree = TriangleTree::create(skin.positions, skin.triangles);
  if (!tree) return invalid("{}: has no weights to copy", body.name);
  const Mesh whole = concatenate(dressed.model.meshes);
  const double reach = kReach * glm::length(bounds_of<glm::dvec3>(std::span(whole.positions)).size());
  const Transfer transfer(skin, std::move(*tree), body, reach, threads);
  // Meshes that meet are one cloth. Levels of detail are their own.
  std::vector<std::vector<Mesh*>> cloths(1);
  for (Mesh& mesh : dressed.model.meshes) cloths[0].push_back(&mesh);
  for (MeshLevel& level : dressed.model.levels) cloths.push_back({&level.mesh});
  dressed.copied_weights = true;
  for (std::vector<Mesh*>& meshes : cloths) {
    if (std::erase_if(meshes, [](const Mesh* mesh) { return has_weights(*mesh); }) > 0) dressed.copied_weights = false;
    if (meshes.empty()) continue;
    const Transfer::Rows rows = transfer.rows(concatenate(std::vector<const Mesh*>(meshes.begin(), meshes.end())));
    std::size_t row = 0;
    for (Mesh* mesh : meshes) {
      std::size_t strays = 0;
      for (std::size_t v = 0; v < mesh->positions.size(); ++v, ++row) {
        mesh->weights.append_row(rows.weights.row(row));
        strays += rows.strays[row];
      }
      if (strays == 0 || &meshes != &cloths[0]) continue;
      dressed.notes.push_back(fmt::format(
          "mesh '{}': {} of {} vertices are on parts that fit '{}' nowhere (within {:.3g} m, normals within "
          "30 degrees) and take the weights of its closest points",
          mesh->name, strays, mesh->positions.size(), body.name, reach));
    }
  }
  return dressed;
}

}  // namespace pelt
