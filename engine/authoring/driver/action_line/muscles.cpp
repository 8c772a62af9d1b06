// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/action_line/muscles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <numeric>
#include <string>
#include <utility>

#include <pelt/finite.h>
#include <pelt/try.h>

#include "engine/authoring/base/parallel_each.h"
#include "engine/authoring/chain/chains.h"
#include "engine/authoring/chain/frame_curve.h"
#include "engine/authoring/driver/action_line/line.h"
#include "engine/authoring/model/closed_tube.h"
#include "engine/authoring/model/find_named.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/authoring/rows/table_rows.h"
#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

constexpr std::size_t kMaxPoints = shared::kMaxLinePoints - 2;
constexpr std::size_t kMaxMuscles = 1024;  // of a rig; a human has about 650
// Room for the spindles of 512 muscles at the default resolution, or of 8 at the finest.
constexpr std::size_t kMaxSpindleVertices = std::size_t{1} << 18;
constexpr float kEvenPoints = 4;        // number of control points if the rig has none
constexpr float kShortest = 1e-6f;      // smallest distance between the attachments, metres
constexpr float kSideDistance = 0.25f;  // distance of the side vertex, in distances between the attachments

// Checks what check_rig cannot.
Result<void> check_muscle(const Muscle& muscle) {
  if (muscle.mesh.empty() && !(muscle.radius > 0 && muscle.radius <= kMaxCoordinate)) {
    return invalid("muscle '{}': the radius {} must be above 0", muscle.name, muscle.radius);
  }
  if (muscle.points.size() > kMaxPoints) {
    return invalid("muscle '{}': the line has {} points, more than {}", muscle.name, muscle.points.size(), kMaxPoints);
  }
  float before = 0;
  for (const LinePoint& point : muscle.points) {
    if (!(point.at > before && point.at < 1)) {
      return invalid("muscle '{}': the values 'at' of points must ascend between 0 and 1, but {} follows {}",
                     muscle.name, point.at, before);
    }
    before = point.at;
  }
  return {};
}

constexpr float kTendonRadius = 0.2f;  // as a fraction of the radius
constexpr float kEnd = 0.04f;          // fraction of the length over which an end closes as a quarter ellipse

// Returns the radius as a fraction of that in the middle.
float radius_at(float lambda, float tendon) {
  const float from_end = std::min(lambda, 1 - lambda);
  const float belly = std::clamp((lambda - tendon) / (1 - 2 * tendon), 0.0f, 1.0f);
  const float swelling = std::max(std::sin(glm::pi<float>() * belly), 0.0f);
  const float open = 1 - std::clamp(from_end / kEnd, 0.0f, 1.0f);
  return (kTendonRadius + (1 - kTendonRadius) * swelling * std::sqrt(swelling)) * std::sqrt(1 - open * open);
}

// Makes the closed mesh of a muscle, which tapers to a point at either end of the line. It has no weights.
Mesh make_spindle(const Muscle& muscle, const action_line::RestLine& line) {
  const std::uint32_t around = muscle.resolution;
  const std::uint32_t along = 2 * around;
  Mesh mesh;
  mesh.name = muscle.name;
  mesh.positions.push_back(affine_origin(line.frame(0)));
  for (std::uint32_t ring = 1; ring < along; ++ring) {
    // Rings are closer together near the ends, which close the mesh.
    const float even = static_cast<float>(ring) / static_cast<float>(along);
    const float lambda = std::lerp(0.5f - 0.5f * std::cos(glm::pi<float>() * even), even, 0.5f);
    const Affine frame = line.frame(lambda);
    const float radius = muscle.radius * radius_at(lambda, muscle.tendon);
    for (std::uint32_t i = 0; i < around; ++i) {
      const float angle = glm::two_pi<float>() * static_cast<float>(i) / static_cast<float>(around);
      const glm::mat3 axes = affine_axes(frame);
      mesh.positions.push_back(affine_origin(frame) + radius * (std::cos(angle) * axes[1] + std::sin(angle) * axes[2]));
    }
  }
  mesh.positions.push_back(affine_origin(line.frame(1)));
  mesh.triangles = closed_tube(along - 1, around);
  mesh.parts = {{0, static_cast<std::uint32_t>(mesh.triangles.size()), -1}};
  mesh.normals = vertex_normals(mesh.positions, mesh.triangles);
  return mesh;
}

// Adds the muscles of a rig to a model, one after the other.
class MuscleBuilder {
 public:
  explicit MuscleBuilder(const Model& model) : result_{model, {}} {
    std::vector<std::uint32_t> meshes(model.meshes.size());
    std::iota(meshes.begin(), meshes.end(), 0u);
    at_bind_ = chain::matrices_at_bind(model, meshes);
  }

  Result<void> add(const Muscle& muscle) {
    PELT_TRY(check_muscle(muscle));
    PELT_ASSIGN(const auto from, joint_of(muscle, muscle.from));
    PELT_ASSIGN(const auto to, joint_of(muscle, muscle.to));
    PELT_ASSIGN(auto line, make_line(muscle, from, to));
    PELT_ASSIGN(auto mesh, muscle.mesh.empty() ? add_spindle(muscle, line) : given_mesh(muscle));
    result_.model.meshes.push_back(std::move(line));
    result_.muscles.push_back({result_.model.meshes.size() - 1, mesh, muscle.wring});
    return {};
  }

  ModelWithMuscles take() { return std::move(result_); }

 private:
  Result<std::uint32_t> joint_of(const Muscle& muscle, const Attachment& attachment) const {
    return find_joint(result_.model.skeleton, attachment.joint, fmt::format("muscle '{}'", muscle.name));
  }

  glm::vec3 place_of(std::uint32_t joint, glm::vec3 offset) const { return glm::vec3(at_bind_[joint][3]) + offset; }

  // Returns the column of a joint in weights; adds one for a joint in no skin.
  std::uint32_t column_of(std::uint32_t joint) {
    std::vector<BoundJoint>& bound = result_.model.bound_joints;
    const auto known = std::ranges::find(bound, joint, &BoundJoint::joint);
    if (known != bound.end()) return static_cast<std::uint32_t>(known - bound.begin());
    bound.push_back({joint, glm::mat4(glm::inverse(at_bind_[joint]))});
    return static_cast<std::uint32_t>(bound.size() - 1);
  }

  // Returns a direction perpendicular to the plane of the line and its bones. When the joints bend, the line turns in
  // that plane, so a side vertex in the plane would not stay at its side.
  static glm::vec3 side_direction(glm::vec3 tangent, glm::vec3 from_bone) {
    const glm::vec3 other = std::abs(tangent.x) < 0.6f ? glm::vec3(1, 0, 0) : glm::vec3(0, 1, 0);
    return shared::direction_across(tangent, glm::cross(tangent, from_bone),
                                    glm::normalize(glm::cross(tangent, other)));
  }

  Result<Mesh> make_line(const Muscle& muscle, std::uint32_t from, std::uint32_t to) {
    const glm::vec3 start = place_of(from, muscle.from.offset);
    const glm::vec3 end = place_of(to, muscle.to.offset);
    const float length = glm::distance(start, end);
    if (!is_near(start) || !is_near(end)) {
      return invalid("muscle '{}': an attachment must be finite and within {:g} m of the origin", muscle.name,
                     kMaxCoordinate);
    }
    if (!(length > kShortest))
      return invalid("muscle '{}': both attachments are at one point, so it has no length", muscle.name);
    std::vector<LinePoint> points = muscle.points;
    for (float k = 1; muscle.points.empty() && k <= kEvenPoints; ++k) points.push_back({k / (kEvenPoints + 1), {}});
    points.insert(points.begin(), {0, {}});
    points.push_back({1, {}});

    Mesh line;
    line.name = free_name(muscle.name + " line");
    const std::uint32_t first_column = column_of(from);
    const std::uint32_t last_column = column_of(to);
    for (const LinePoint& point : points) {
      if (!is_near(point.offset)) {
        return invalid("muscle '{}': the offset of a point must be finite and at most {:g} m long", muscle.name,
                       kMaxCoordinate);
      }
      line.positions.push_back(glm::mix(start, end, point.at) + point.offset);
      append_weights(line, first_column, last_column, point.at);
    }
    const glm::vec3 tangent = glm::normalize(line.positions[1] - line.positions[0]);
    const glm::vec3 middle = 0.5f * (place_of(from, {}) + place_of(to, {}));
    const glm::vec3 away = line.positions[line.positions.size() / 2] - middle;
    line.positions.push_back(start + kSideDistance * length * side_direction(tangent, away));
    append_weights(line, first_column, last_column, 0);
    if (muscle.wring) {
      const Affine last = action_line::RestLine(line.positions, false).frame(1);
      line.positions.push_back(end + kSideDistance * length * affine_axes(last)[1]);
      append_weights(line, first_column, last_column, 1);
    }
    line.normals.assign(line.positions.size(), glm::vec3(0, 0, 1));
    return line;
  }

  static void append_weights(Mesh& line, std::uint32_t first, std::uint32_t last, float at) {
    if (first == last) {
      const WeightedElement alone[] = {{first, 1.0}};
      return append_row(line.weights, alone);
    }
    const WeightedElement both[] = {{first, 1.0 - at}, {last, at}};
    append_row(line.weights, both);
  }

  Result<std::size_t> add_spindle(const Muscle& muscle, const Mesh& line) {
    if (result_.model.find_mesh(muscle.name) != nullptr) {
      return invalid("muscle '{}': a mesh has that name; to use it as the muscle's mesh, set the key 'mesh'",
                     muscle.name);
    }
    result_.model.meshes.push_back(make_spindle(muscle, action_line::RestLine(line.positions, muscle.wring)));
    spindle_vertices_ += result_.model.meshes.back().positions.size();
    if (spindle_vertices_ > kMaxSpindleVertices) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("muscle '{}': the spindles up to this one have {} vertices, more than {}; lower their "
                              "resolution",
                              muscle.name, spindle_vertices_, kMaxSpindleVertices));
    }
    return result_.model.meshes.size() - 1;
  }

  Result<std::size_t> given_mesh(const Muscle& muscle) const {
    PELT_ASSIGN(const auto mesh, find_mesh(result_.model, muscle.mesh, fmt::format("muscle '{}'", muscle.name)));
    const auto index = static_cast<std::size_t>(mesh - result_.model.meshes.data());
    for (const MuscleMeshes& other : result_.muscles) {
      if (other.mesh == index || other.line == index) {
        return invalid("muscle '{}': the mesh '{}' belongs to another muscle", muscle.name, muscle.mesh);
      }
    }
    return index;
  }

  std::string free_name(const std::string& wish) const {
    std::string name = wish;
    for (int number = 2; result_.model.find_mesh(name) != nullptr; ++number) name = fmt::format("{} {}", wish, number);
    return name;
  }

  ModelWithMuscles result_;
  std::vector<glm::dmat4> at_bind_;
  std::size_t spindle_vertices_ = 0;
};

}  // namespace

Result<ModelWithMuscles> add_muscles(const Model& model, const Rig& rig) {
  if (rig.muscles.size() > kMaxMuscles) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("the rig has {} muscles, more than {}", rig.muscles.size(), kMaxMuscles));
  }
  MuscleBuilder builder(model);
  for (const Muscle& muscle : rig.muscles) {
    PELT_TRY(builder.add(muscle));
  }
  return builder.take();
}

MeshBinding bind_muscle(const Muscle& muscle, const Mesh& mesh, const Mesh& line, std::size_t control_mesh,
                        unsigned threads, CharacterBuilder& builder) {
  using chain::FrameCurve;
  constexpr std::size_t kPieces = 4;  // pieces of the line that closest points are searched in
  const action_line::RestLine rest(line.positions, muscle.wring);
  const auto fraction = [](std::size_t piece, float lambda) { return (static_cast<float>(piece) + lambda) / kPieces; };
  const FrameCurve curve(std::vector<double>(kPieces, double{rest.length()} / kPieces),
                         [&](std::size_t piece, float lambda) { return rest.frame(fraction(piece, lambda)); });
  std::vector<FrameCurve::Location> places(mesh.positions.size());
  constexpr std::size_t kGrain = 64;
  parallel_each(places.size(), kGrain, threads, [&](std::size_t v) { places[v] = curve.closest(mesh.positions[v]); });

  PalettePass pass = rest.make_pass(builder.first_vertex(control_mesh), {muscle.tendon, muscle.volume, muscle.bulge});
  pass.stage = builder.stage_after(control_mesh);
  builder.note_muscle(muscle.name, {{pass.table.begin(), pass.table.begin() + shared::kLineWords}, pass.stage});
  const std::vector<float> samples = action_line::sample_places();
  const TablePiece table{samples, builder.add_pass(std::move(pass))};
  MeshBinding binding;
  std::vector<WeightedElement> row;
  for (std::size_t v = 0; v < places.size(); ++v) {
    row.clear();
    const glm::dvec3 gradient = glm::dvec3(curve.slope(places[v], mesh.positions[v])) / double{rest.length()};
    append_between(table, fraction(places[v].piece, places[v].lambda), 1.0, gradient, row);
    append_row(binding.rows, row, Gradients::kKnown);
    binding.distances.push_back(static_cast<float>(places[v].distance));
  }
  binding.remarks.assign(places.size(), 0);
  return binding;
}

}  // namespace pelt
