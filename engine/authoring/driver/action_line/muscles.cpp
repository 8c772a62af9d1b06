// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/action_line/muscles.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include <pelt/finite.h>
#include <pelt/try.h>

#include "engine/authoring/chain/chains.h"
#include "engine/authoring/driver/action_line/line.h"
#include "engine/authoring/driver/action_line/spindle.h"
#include "engine/authoring/model/find_named.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/character/core/invalid.h"

namespace pelt {
namespace {

constexpr std::size_t kMaxPoints = shared::kMaxLinePoints - 2;
constexpr std::size_t kMaxMuscles = 1024;  // of a rig; a human has about 650
// Holds the spindles of 512 muscles at the default resolution, or of 8 at the finest.
constexpr std::size_t kMaxSpindleVertices = std::size_t{1} << 18;
constexpr float kEvenPoints = 4;        // number of control points if the rig gives none
constexpr float kShortest = 1e-6f;      // least distance between the attachments, metres
constexpr float kSideDistance = 0.25f;  // distance of the side vertex, in distances between the attachments

bool is_within(float value, float least, float most) { return value >= least && value <= most; }

Result<void> check_muscle(const Muscle& muscle) {
  if (muscle.name.empty()) return invalid("a muscle has no name");
  if (muscle.mesh.empty() && !(muscle.radius > 0 && muscle.radius <= kMaxCoordinate)) {
    return invalid("muscle '{}': the radius is {}, but must be above 0", muscle.name, muscle.radius);
  }
  if (!is_within(muscle.tendon, 0, 0.4f)) {
    return invalid("muscle '{}': the tendon is {}, but must be from 0 to 0.4", muscle.name, muscle.tendon);
  }
  if (!(muscle.resolution >= 4 && muscle.resolution <= 128)) {
    return invalid("muscle '{}': the resolution is {}, but must be from 4 to 128", muscle.name, muscle.resolution);
  }
  if (!is_within(muscle.volume, 0, 1)) {
    return invalid("muscle '{}': the volume is {}, but must be from 0 to 1", muscle.name, muscle.volume);
  }
  if (!is_within(muscle.bulge, 0, 2)) {
    return invalid("muscle '{}': the bulge is {}, but must be from 0 to 2", muscle.name, muscle.bulge);
  }
  if (muscle.points.size() > kMaxPoints) {
    return invalid("muscle '{}': the line has {} points, more than {}", muscle.name, muscle.points.size(), kMaxPoints);
  }
  float before = 0;
  for (const LinePoint& point : muscle.points) {
    if (!(point.at > before && point.at < 1)) {
      return invalid("muscle '{}': the points' places must ascend between 0 and 1, but {} follows {}", muscle.name,
                     point.at, before);
    }
    before = point.at;
  }
  return {};
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
    result_.muscles.push_back({result_.model.meshes.size() - 1, mesh});
    return {};
  }

  ModelWithMuscles take() { return std::move(result_); }

 private:
  Result<std::uint32_t> joint_of(const Muscle& muscle, const Attachment& attachment) const {
    return find_joint(result_.model.skeleton, attachment.joint, fmt::format("muscle '{}'", muscle.name));
  }

  glm::vec3 place_of(std::uint32_t joint, glm::vec3 offset) const { return glm::vec3(at_bind_[joint][3]) + offset; }

  // Returns the column of a joint in weights; adds one for a joint that no skin binds.
  std::uint32_t column_of(std::uint32_t joint) {
    std::vector<BoundJoint>& bound = result_.model.bound_joints;
    const auto known = std::find_if(bound.begin(), bound.end(), [&](const BoundJoint& b) { return b.joint == joint; });
    if (known != bound.end()) return static_cast<std::uint32_t>(known - bound.begin());
    bound.push_back({joint, glm::mat4(glm::inverse(at_bind_[joint]))});
    return static_cast<std::uint32_t>(bound.size() - 1);
  }

  // Returns a direction perpendicular to the plane of the line and the bones beside it. When the joints bend, the line
  // turns in that plane, so a side vertex in the plane would not stay beside the line.
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
      return invalid("muscle '{}': an attachment is not finite, or too far away: beyond {:g} m", muscle.name,
                     kMaxCoordinate);
    }
    if (!(length > kShortest))
      return invalid("muscle '{}': it is attached twice at one place, and has no length", muscle.name);
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
        return invalid("muscle '{}': the offset of a point is not finite, or longer than {:g} m", muscle.name,
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
      return invalid("muscle '{}': a mesh has that name; where it is to be the muscle's, name it as its mesh",
                     muscle.name);
    }
    result_.model.meshes.push_back(action_line::make_spindle(muscle.name, action_line::RestLine(line.positions),
                                                             {muscle.radius, muscle.tendon, muscle.resolution}));
    spindle_vertices_ += result_.model.meshes.back().positions.size();
    if (spindle_vertices_ > kMaxSpindleVertices) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("muscle '{}': the spindles up to this one have {} vertices, more than {}; give them a "
                              "lower resolution",
                              muscle.name, spindle_vertices_, kMaxSpindleVertices));
    }
    return result_.model.meshes.size() - 1;
  }

  Result<std::size_t> given_mesh(const Muscle& muscle) const {
    PELT_ASSIGN(const auto mesh, find_mesh(result_.model, muscle.mesh, fmt::format("muscle '{}'", muscle.name)));
    const auto index = static_cast<std::size_t>(mesh - result_.model.meshes.data());
    for (const MuscleMeshes& other : result_.muscles) {
      if (other.mesh == index || other.line == index) {
        return invalid("muscle '{}': the mesh '{}' is another muscle's", muscle.name, muscle.mesh);
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

}  // namespace pelt
