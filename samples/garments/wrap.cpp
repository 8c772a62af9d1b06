// SPDX-License-Identifier: MIT
#include "samples/garments/wrap.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <limits>
#include <utility>

#include <pelt/bind.h>
#include <pelt/dual_quaternion.h>
#include <pelt/evaluate.h>
#include <pelt/surface_ffd.h>
#include <pelt/tools/parallel.h>
#include <pelt/try.h>

namespace pelt::samples {
namespace {

// The heights between which the turn of a motion grows from 0 to 1, metres along y.
struct Passage {
  Passage(std::span<const glm::vec3> skin, const Motion& motion) {
    glm::vec3 low(std::numeric_limits<float>::infinity());
    glm::vec3 high = -low;
    for (const glm::vec3& p : skin) {
      low = glm::min(low, p);
      high = glm::max(high, p);
    }
    from = std::lerp(low.y, high.y, motion.from);
    to = std::lerp(low.y, high.y, motion.to);
    middle = 0.5f * (low + high);
    middle.y = 0.5f * (from + to);
  }

  // Returns the share of the turn at a height, 0 to 1.
  double share(float y) const {
    const double x = std::clamp(double{y - from} / double{to - from}, 0.0, 1.0);
    return x * x * (3 - 2 * x);
  }

  float from = 0;
  float to = 1;
  glm::vec3 middle{0.0f};  // centre of the turn
};

void paint(Mesh& mesh, const Passage& passage) {
  mesh.weights = {};
  for (const glm::vec3& p : mesh.positions) {
    const double share = passage.share(p.y);
    const WeightedElement row[] = {{0, 1 - share}, {1, share}};
    append_row(mesh.weights, row);
  }
}

Result<std::vector<glm::vec3>> moved(const Model& model, const Rig& rig, const glm::mat4& turn,
                                     const std::string& name) {
  PELT_ASSIGN(const auto bound, bind(model, rig));
  const glm::mat4 joints[] = {glm::mat4(1.0f), turn};
  Evaluator evaluator(bound.character, {.jobs = thread_jobs()});
  evaluator.pose(joints);
  evaluator.evaluate();
  std::vector<glm::vec3> positions;
  for (const CharacterMesh& mesh : bound.character->meshes) {
    if (mesh.name != name) continue;
    positions.resize(mesh.vertex_count());
    to_source_order<glm::vec3>(mesh, evaluator.positions(), positions);
  }
  return positions;
}

}  // namespace

Result<Wrapped> wrap(const Mesh& skin, const Mesh& cage, const Motion& motion, SurfaceFfdParameters parameters) {
  const Passage passage(skin.positions, motion);
  const glm::vec3& middle = passage.middle;
  Model model;
  model.name = skin.name;
  model.skeleton.joints = {{.name = "below"}, {.name = "above", .parent = 0}};
  model.skeleton.joints[1].rest.translation = middle;
  model.bound_joints = {{0, glm::mat4(1.0f)}, {1, glm::translate(glm::mat4(1.0f), -middle)}};
  model.meshes = {skin, cage};
  model.meshes[0].name = "skin";
  model.meshes[1].name = "cage";
  for (Mesh& mesh : model.meshes) paint(mesh, passage);
  const glm::mat4 turn =
      glm::rotate(glm::translate(glm::mat4(1.0f), middle), glm::radians(motion.degrees), motion.axis);

  const Rig ideal{.layers = {{.target = "*", .deformer = DualQuaternionParameters{}}}, .judging = Judging::kNone};
  parameters.driver.mesh = "cage";
  const Rig wrapped{.layers = {{.target = "skin", .deformer = parameters}}, .judging = Judging::kNone};
  Wrapped result;
  PELT_ASSIGN(result.cage, moved(model, ideal, turn, "cage"));
  PELT_ASSIGN(result.ideal, moved(model, ideal, turn, "skin"));
  PELT_ASSIGN(result.skin, moved(model, wrapped, turn, "skin"));
  return result;
}

WrapError wrap_error(std::span<const glm::vec3> rest, std::span<const glm::vec3> ideal,
                     std::span<const glm::vec3> found, const Motion& motion) {
  const Passage passage(rest, motion);
  WrapError error;
  double squared = 0;
  std::size_t count = 0;
  for (std::size_t v = 0; v < rest.size(); ++v) {
    const double distance = glm::distance(glm::dvec3(ideal[v]), glm::dvec3(found[v]));
    if (!(distance <= error.worst) && !std::isnan(error.worst)) error.worst = distance;  // not a number stays the worst
    const double share = passage.share(rest[v].y);
    if (share == 0 || share == 1) continue;
    squared += distance * distance;
    ++count;
  }
  error.rms = std::sqrt(squared / static_cast<double>(std::max<std::size_t>(count, 1)));
  return error;
}

}  // namespace pelt::samples
