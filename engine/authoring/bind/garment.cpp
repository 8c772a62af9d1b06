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

#include "engine/authoring/bind/check_model.h"
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

// Returns the morph targets of meshes laid end to end; those of one name are one target.
std::vector<MorphTarget> joined_targets(std::span<const Mesh* const> meshes) {
  std::size_t count = 0;
  for (const Mesh* mesh : meshes) count += mesh->positions.size();
  std::vector<MorphTarget> joined;
  std::size_t first = 0;
  for (const Mesh* mesh : meshes) {
    for (const MorphTarget& target : mesh->morph_targets) {
      auto found = std::ranges::find(joined, target.name, &MorphTarget::name);
      if (found == joined.end()) {
        found = joined.insert(found, {target.name, std::vector<glm::vec3>(count, glm::vec3(0)), target.weight});
      }
      std::ranges::copy(target.offsets, found->offsets.begin() + static_cast<std::ptrdiff_t>(first));
      if (!target.normals.empty()) found->normals.resize(1);  // the garment's are computed
    }
    first += mesh->positions.size();
  }
  return joined;
}

// Transfers weights and morph targets of a body to cloth.
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
    const auto [first, triangles, centres, is_rigid, found] = fit(cloth);
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
    result.weights = with_rigid_parts(cloth, result.weights, is_rigid, centres);
    result.weights = cut_rows(result.weights, from_skin::kMaxTransferred, Cut::kHard);
    return result;
  }

  // Returns targets of the body's surface as targets of the cloth, in the order of the former. The offsets are those of
  // the body's points that the cloth fits at, and are filled in as weights are; rigid parts move with one offset.
  std::vector<MorphTarget> targets(const Mesh& cloth, std::span<const MorphTarget> of_body) const {
    const std::size_t count = cloth.positions.size();
    const Fit fitted = fit(cloth);
    const std::vector<NearPoint> near_centres = surface_.tree.nearest_of_each(fitted.centres, threads_);
    std::vector<bool> is_known(count);
    std::vector<ClosestPoint> on_body;
    for (std::uint32_t v = 0; v < count; ++v) {
      is_known[v] = fitted.first[v] == v && fitted.found.fits[v] && !fitted.is_rigid[v];
      on_body.push_back(fitted.is_rigid[v] ? near_centres[v].closest
                                           : fitted.found.fits[v].value_or(fitted.found.closest[v]));
    }
    const Inpainting inpainting(cloth.positions, fitted.triangles, is_known, reach_);
    const std::vector<glm::vec3> normals = vertex_normals(cloth.positions, fitted.triangles);
    std::vector<MorphTarget> result;
    for (const MorphTarget& target : of_body) {
      MorphTarget carried{target.name, std::vector<glm::vec3>(count), target.weight};
      for (int axis = 0; axis < 3; ++axis) {
        std::vector<double> values;
        for (const ClosestPoint& point : on_body) {
          double sum = 0;
          for (int c = 0; c < 3; ++c) sum += point.weights[c] * double{target.offsets[point.vertices[c]][axis]};
          values.push_back(sum);
        }
        inpainting.fill(values);
        for (std::uint32_t v = 0; v < count; ++v)
          carried.offsets[v][axis] = static_cast<float>(values[fitted.first[v]]);
      }
      if (!target.normals.empty()) {
        std::vector<glm::vec3> moved = cloth.positions;
        for (std::uint32_t v = 0; v < count; ++v) moved[v] += carried.offsets[v];
        const std::vector<glm::vec3> turned = vertex_normals(moved, fitted.triangles);
        for (const std::uint32_t v : fitted.first) carried.normals.push_back(turned[v] - normals[v]);
      }
      result.push_back(std::move(carried));
    }
    return result;
  }

 private:
  using NearPoint = TriangleTree::NearPoint;

  // How cloth lies on the body.
  struct Fit {
    std::vector<std::uint32_t> first;   // vertex at the same position, per vertex
    std::vector<glm::uvec3> triangles;  // of these
    std::vector<glm::vec3> centres;     // of the part that a vertex belongs to
    std::vector<bool> is_rigid;         // vertices of small parts, such as buttons
    FittingPoints found;
  };
  Fit fit(const Mesh& cloth) const {
    Fit result;
    const std::size_t count = cloth.positions.size();
    result.first = weld_by_position(cloth.positions);
    result.triangles = without_twins(welded_triangles(result.first, cloth.triangles));
    const std::vector<std::uint32_t> parts = connected_parts(count, result.triangles);
    std::vector<Bounds<glm::vec3>> boxes(count);  // of the parts
    for (std::uint32_t v = 0; v < count; ++v) boxes[parts[result.first[v]]].add(cloth.positions[v]);
    for (std::uint32_t v = 0; v < count; ++v) {
      const Bounds<glm::vec3>& box = boxes[parts[result.first[v]]];
      result.centres.push_back(box.low + 0.5f * box.size());
      result.is_rigid.push_back(double{glm::length(box.size())} <= reach_);
    }
    result.found = fitting_points(cloth.positions, result.triangles, surface_, reach_, threads_);
    return result;
  }

  RowOfVertex row_of_skin() const {
    return [this](std::uint32_t v) { return skin_.weights.row(v); };
  }

  // Returns the rows with those of rigid vertices replaced by one row per part: that of the cloth's or the body's point
  // closest to the centre of the part.
  SparseRows with_rigid_parts(const Mesh& cloth, const SparseRows& rows, const std::vector<bool>& is_rigid,
                              const std::vector<glm::vec3>& all_centres) const {
    std::vector<glm::vec3> centres;
    for (std::uint32_t v = 0; v < is_rigid.size(); ++v) {
      if (is_rigid[v]) centres.push_back(all_centres[v]);
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

// Returns meshes that are one cloth: the garment's meshes, which may meet; then each level of detail.
std::vector<std::vector<Mesh*>> cloths_of(Model& garment) {
  std::vector<std::vector<Mesh*>> cloths(1);
  for (Mesh& mesh : garment.meshes) cloths[0].push_back(&mesh);
  for (MeshLevel& level : garment.levels) cloths.push_back({&level.mesh});
  return cloths;
}

double reach_of(const Model& garment) {
  constexpr double kReach = 0.05;  // of the diagonal of the garment's box, as in the paper (inpaint.h)
  const Mesh whole = concatenate(garment.meshes);
  return kReach * glm::length(bounds_of<glm::dvec3>(std::span(whole.positions)).size());
}

// Adds the body's morph targets that move a mesh to it; its own of the same name stay. Clips and expressions of the
// body move the garment's targets by name.
void carry_targets(Model& garment, const Model& body, unsigned threads) {
  constexpr float kStill = 1e-3f;  // of the reach
  std::vector<const Mesh*> meshes;
  for (const Mesh& mesh : body.meshes) meshes.push_back(&mesh);
  const std::vector<MorphTarget> of_body = joined_targets(meshes);
  if (of_body.empty()) return;
  Mesh skin = concatenate(body.meshes);
  drop_flat(skin.positions, skin.triangles);
  Result<TriangleTree> tree = TriangleTree::create(skin.positions, skin.triangles);
  if (!tree) return;
  const double reach = reach_of(garment);
  const Transfer transfer(skin, std::move(*tree), body, reach, threads);
  for (const std::vector<Mesh*>& cloth : cloths_of(garment)) {
    const Mesh whole = concatenate(std::vector<const Mesh*>(cloth.begin(), cloth.end()));
    const std::vector<MorphTarget> carried = transfer.targets(whole, of_body);
    std::ptrdiff_t first = 0;
    for (Mesh* mesh : cloth) {
      const auto end = first + static_cast<std::ptrdiff_t>(mesh->positions.size());
      const auto part = [&](const std::vector<glm::vec3>& all) {
        return all.empty() ? all : std::vector<glm::vec3>(all.begin() + first, all.begin() + end);
      };
      for (const MorphTarget& target : carried) {
        const std::vector<glm::vec3> offsets = part(target.offsets);
        const auto moves = [&](const glm::vec3& o) { return glm::length(o) > kStill * static_cast<float>(reach); };
        const bool has =
            std::ranges::find(mesh->morph_targets, target.name, &MorphTarget::name) != mesh->morph_targets.end();
        if (has || std::ranges::none_of(offsets, moves)) continue;
        mesh->morph_targets.push_back({target.name, offsets, target.weight, part(target.normals)});
      }
      first = end;
    }
  }
}

// Calls visit(mesh, target) for each target of the garment with the name of one of the body.
template <class Visit>
void for_each_twin(const Model& garment, const Model& body, const std::string& mesh, std::uint32_t target,
                   const Visit& visit) {
  const Mesh* of = body.find_mesh(mesh);
  if (of == nullptr || target >= of->morph_targets.size()) return;
  for (const Mesh& worn : garment.meshes) {
    const auto twin = std::ranges::find(worn.morph_targets, of->morph_targets[target].name, &MorphTarget::name);
    if (twin != worn.morph_targets.end()) {
      visit(worn.name, static_cast<std::uint32_t>(twin - worn.morph_targets.begin()));
    }
  }
}

// Moves the garment's morph targets by the clips and expressions that move those of the body.
void follow_targets(Model& garment, const Model& body) {
  for (Clip& clip : garment.clips) {
    const std::vector<MorphChannel> channels = std::exchange(clip.morph_channels, {});
    for (const MorphChannel& channel : channels) {
      for_each_twin(garment, body, channel.mesh, channel.target, [&](const std::string& mesh, std::uint32_t target) {
        const auto is_same = [&](const MorphChannel& other) { return other.mesh == mesh && other.target == target; };
        if (std::ranges::any_of(clip.morph_channels, is_same)) return;
        clip.morph_channels.push_back(channel);
        clip.morph_channels.back().mesh = mesh;
        clip.morph_channels.back().target = target;
      });
    }
  }
  for (const Expression& expression : body.expressions) {
    if (std::ranges::find(garment.expressions, expression.name, &Expression::name) != garment.expressions.end())
      continue;
    Expression worn{expression.name, expression.binary, {}};
    for (const ExpressionTarget& moved : expression.targets) {
      for_each_twin(garment, body, moved.mesh, moved.target, [&](const std::string& mesh, std::uint32_t target) {
        const auto is_same = [&](const ExpressionTarget& o) { return o.mesh == mesh && o.target == target; };
        if (std::ranges::none_of(worn.targets, is_same)) worn.targets.push_back({mesh, target, moved.weight});
      });
    }
    if (!worn.targets.empty()) garment.expressions.push_back(std::move(worn));
  }
}

// Moves the garment's anchors to the body's joints of the same names; drops the others, with notes.
void move_anchors(Model& garment, const Model& body, std::vector<std::string>& notes) {
  for (MarkedAnchor& anchor : std::exchange(garment.anchors, {})) {
    const std::string& name = garment.skeleton.joints[anchor.joint].name;
    if (const std::optional<std::uint32_t> joint = body.skeleton.find(name)) {
      garment.anchors.push_back({std::move(anchor.name), *joint});
    } else {
      notes.push_back(fmt::format("the anchor '{}' of '{}' is left out: '{}' has no joint '{}'", anchor.name,
                                  garment.name, body.name, name));
    }
  }
}

// Returns the garment with the body's skeleton, clips and morph targets.
Result<Dressed> put_on(Model garment, const Model& body, unsigned threads) {
  if (garment.meshes.empty()) {
    return invalid("{}: has no mesh for the body to drive", garment.name);
  }
  for (const Model* model : {&std::as_const(garment), &body}) {
    const Result<void> checked = check_model(*model);
    if (!checked) return invalid("{}: {}", model->name, checked.error().message);
  }
  Dressed dressed;
  const std::optional<std::vector<std::uint32_t>> joints = match_joints(garment, body);
  const std::size_t joint_count = garment.bound_joints.size();  // a rigid garment has one: its node
  bool had_weights = false;
  for (const std::vector<Mesh*>& cloth : cloths_of(garment)) {
    for (Mesh* mesh : cloth) {
      had_weights = had_weights || (mesh->weights.row_count() != 0 && joint_count > 1);
      if (joints) {
        rename_columns(mesh->weights, *joints);
      } else {
        mesh->weights = {};
      }
    }
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
  move_anchors(garment, body, dressed.notes);
  dressed.model = std::move(garment);
  dressed.model.skeleton = body.skeleton;
  dressed.model.bound_joints = body.bound_joints;
  dressed.model.root_at_bind = body.root_at_bind;
  dressed.model.bendy_bones = body.bendy_bones;
  dressed.model.clips = body.clips;
  carry_targets(dressed.model, body, threads);
  follow_targets(dressed.model, body);
  return dressed;
}

}  // namespace

Result<Dressed> dress(Model garment, const Model& body, unsigned threads) {
  PELT_ASSIGN(auto dressed, put_on(std::move(garment), body, threads));
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
  PELT_ASSIGN(auto dressed, put_on(std::move(garment), body, threads));
  const Mesh skin = weighted_skin(body);
  Result<TriangleTree> tree = TriangleTree::create(skin.positions, skin.triangles);
  if (!tree) return invalid("{}: has no weights to copy", body.name);
  const double reach = reach_of(dressed.model);
  const Transfer transfer(skin, std::move(*tree), body, reach, threads);
  std::vector<std::vector<Mesh*>> cloths = cloths_of(dressed.model);
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
