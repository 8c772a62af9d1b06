// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/folds/folds.h"

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <glm/gtc/quaternion.hpp>
#include <optional>
#include <utility>

#include <pelt/evaluate.h>
#include <pelt/frame.h>
#include <pelt/pose.h>
#include <pelt/tools/joint_roles.h>
#include <pelt/tools/parallel.h>
#include <pelt/tools/weld.h>
#include <pelt/try.h>

#include "engine/authoring/check/anatomy.h"
#include "engine/authoring/driver/build_character.h"
#include "engine/authoring/driver/folds/fold_solver.h"
#include "engine/authoring/geometry/bone_forest.h"
#include "engine/character/model/skeleton_walk.h"

namespace pelt::folds {
namespace {

// Degrees between the bones. Keys are dense from the first contact on, so that no gap opens between them. The last is
// near the limit of a joint, since its shape stays beyond it.
constexpr std::array<double, 7> kKeys = {80, 95, 105, 115, 125, 137, 150};
constexpr double kSolved[] = {60, 80, 88, 95, 100, 105, 110, 115, 120, 125, 131, 137, 144, 150};
constexpr double kFirst = 15;            // degrees from rest of the first key
constexpr double kMost = 175;            // degrees from rest of the last key
constexpr double kSoftRadii = 5;         // from the joint, to skin that follows the pose only
constexpr double kOuter = 0.9;           // radii from the joint, to outer skin that does
constexpr double kOuterFade = 1.1;       // radii
constexpr std::size_t kMinPoints = 20;   // of each segment
constexpr std::ptrdiff_t kMinSoft = 80;  // fewer points cannot show a fold
constexpr double kMinBone = 4;           // radii; shorter limbs are too stout to fold
constexpr double kMostMoved = 1;         // radii; a shape that moves farther is not trusted
constexpr double kLeast = 0.01;          // of the radius: offsets are shortened by this, so that few vertices have any

double smooth(double x) {
  const double t = std::clamp(x, 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

bool is_rigid(const glm::dmat4& motion) {
  constexpr double kMostStretch = 0.01;
  const glm::dmat3 axes(motion);
  const glm::dmat3 squared = glm::transpose(axes) * axes - glm::dmat3(1.0);
  return std::max({glm::length(squared[0]), glm::length(squared[1]), glm::length(squared[2])}) < kMostStretch &&
         glm::determinant(axes) > 0;
}

bool is_folding(const JointUse& use) {
  return (use.role == JointRole::kForearm || use.role == JointRole::kShin) && use.kind == JointKind::kHinge;
}

// A joint that bends about one axis, between two bones.
struct Hinge {
  std::uint32_t joint;
  std::uint32_t before;            // the bound joint at which the bone before it begins
  glm::dvec3 from, centre, to;     // ends of the bones at bind
  glm::dvec3 axis;                 // in the joint's space
  double at_rest;                  // degrees between the bones in the rest pose
  std::vector<double> weights[2];  // of the near and the far segment, per welded point
};

// A driver without coincident points.
struct Welded {
  std::vector<std::uint32_t> point_of;  // per vertex
  std::vector<std::uint32_t> vertex_of;
  std::vector<glm::uvec3> triangles;
};

Welded weld(const Mesh& mesh) {
  Welded welded;
  const std::vector<std::uint32_t> first = weld_by_position(mesh.positions);
  for (std::uint32_t v = 0; v < first.size(); ++v) {
    const bool is_first = first[v] == v;
    welded.point_of.push_back(is_first ? static_cast<std::uint32_t>(welded.vertex_of.size())
                                       : welded.point_of[first[v]]);
    if (is_first) welded.vertex_of.push_back(v);
  }
  for (const glm::uvec3& t : mesh.triangles) {
    const glm::uvec3 w(welded.point_of[t.x], welded.point_of[t.y], welded.point_of[t.z]);
    if (w.x != w.y && w.y != w.z && w.z != w.x) welded.triangles.push_back(w);
  }
  return welded;
}

// The part of a driver round a hinge, and its poses.
struct Region {
  HingeSkin skin;
  std::vector<std::uint32_t> points;  // of the welded driver, per point of the skin
  std::vector<double> degrees;        // from the rest pose, ascending
  std::vector<HingePose> poses;
};

// Limits a skin to its soft points and two rings round them.
Region limited(HingeSkin skin) {
  std::vector<bool> kept;
  for (const double soft : skin.soft) kept.push_back(soft > 0);
  for (int ring = 0; ring < 2; ++ring) {
    std::vector<bool> wider = kept;
    for (const glm::uvec3& t : skin.triangles) {
      if (kept[t.x] || kept[t.y] || kept[t.z]) wider[t.x] = wider[t.y] = wider[t.z] = true;
    }
    kept = std::move(wider);
  }
  std::vector<std::uint32_t> points, place(kept.size());
  for (std::uint32_t v = 0; v < kept.size(); ++v) {
    if (!kept[v]) continue;
    const std::size_t i = points.size();
    place[v] = static_cast<std::uint32_t>(i);
    points.push_back(v);
    skin.points[i] = skin.points[v];
    skin.soft[i] = skin.soft[v];
    skin.is_far[i] = skin.is_far[v];
  }
  skin.points.resize(points.size());
  skin.soft.resize(points.size());
  skin.is_far.resize(points.size());
  std::erase_if(skin.triangles, [&](const glm::uvec3& t) { return !kept[t.x] || !kept[t.y] || !kept[t.z]; });
  for (glm::uvec3& t : skin.triangles) t = {place[t.x], place[t.y], place[t.z]};
  return {std::move(skin), std::move(points), {}, {}};
}

class Finder {
 public:
  Finder(const Mesh& driver, const DriverParameters& parameters, const SparseRows& painting, const Model& model,
         const Character& character)
      : driver_(driver),
        parameters_(parameters),
        painting_(painting),
        model_(model),
        character_(character),
        welded_(weld(driver)) {}

  std::vector<Fold> find(unsigned threads);

 private:
  std::vector<Hinge> find_hinges() const;
  std::optional<Hinge> hinge_of(std::size_t bone, const Anatomy& body) const;
  std::optional<Region> region_of(const Hinge& hinge) const;
  bool pose(const Hinge& hinge, Evaluator& evaluator, Region& region) const;
  std::optional<Fold> solved(const Hinge& hinge, Region& region) const;

  const Mesh& driver_;
  const DriverParameters& parameters_;
  const SparseRows& painting_;
  const Model& model_;
  const Character& character_;
  Welded welded_;
  std::vector<Bone> bones_ = bone_forest(model_);
};

std::optional<Hinge> Finder::hinge_of(std::size_t b, const Anatomy& body) const {
  const std::uint32_t j = model_.bound_joints[b].joint;
  if (!is_folding(body.use(j)) || !body.hinge(j)) return std::nullopt;
  if (!bones_[b].is_somewhere || bones_[b].first != b) return std::nullopt;
  const auto is_helper = [&](int bone) {
    return body.use(model_.bound_joints[static_cast<std::size_t>(bone)].joint).kind == JointKind::kTwist;
  };
  int before = bones_[b].parent;
  while (before >= 0 && is_helper(before)) before = bones_[static_cast<std::size_t>(before)].parent;
  if (before < 0) return std::nullopt;
  Hinge hinge{.joint = j,
              .before = model_.bound_joints[static_cast<std::size_t>(before)].joint,
              .from = bones_[static_cast<std::size_t>(before)].origin,
              .centre = bones_[b].origin,
              .to = bones_[b].origin};
  std::vector<std::uint32_t> ends = bones_[b].children;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    const Bone& end = bones_[ends[i]];
    if (is_helper(static_cast<int>(ends[i]))) ends.insert(ends.end(), end.children.begin(), end.children.end());
    if (glm::distance(end.origin, hinge.centre) > glm::distance(hinge.to, hinge.centre)) hinge.to = end.origin;
  }
  if (hinge.to == hinge.centre || hinge.from == hinge.centre) return std::nullopt;
  std::vector<glm::mat4> rest(model_.skeleton.joints.size());
  rest_matrices(model_.skeleton, rest);
  hinge.axis = glm::normalize(glm::inverse(glm::dmat3(rest[j])) * *body.hinge(j));
  const glm::dvec3 arriving = body.arriving(j).value_or(body.bone(j));
  hinge.at_rest = glm::degrees(
      std::atan2(glm::dot(glm::cross(arriving, body.bone(j)), *body.hinge(j)), glm::dot(arriving, body.bone(j))));
  for (const std::uint32_t v : welded_.vertex_of) {
    double near = 0, far = 0;
    for (const Influence& influence : painting_.row(v)) {
      const std::uint32_t joint = model_.bound_joints[influence.index].joint;
      const bool is_far = joint == j || hangs_below(model_.skeleton, joint, j);
      const bool is_near = joint == hinge.before || hangs_below(model_.skeleton, joint, hinge.before);
      (is_far ? far : near) += is_far || is_near ? double{influence.weight} : 0.0;
    }
    hinge.weights[0].push_back(near);
    hinge.weights[1].push_back(far);
  }
  return hinge;
}

std::vector<Hinge> Finder::find_hinges() const {
  const Anatomy body(character_);
  std::vector<Hinge> hinges;
  if (body.four_legged()) return hinges;  // knees and hocks of animals fold against the trunk and each other
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    if (auto hinge = hinge_of(b, body)) hinges.push_back(std::move(*hinge));
  }
  return hinges;
}

// Returns the driver round a hinge; none if too little of the driver is there.
std::optional<Region> Finder::region_of(const Hinge& hinge) const {
  std::vector<glm::dvec3> points;
  std::vector<glm::dvec3> own[2];
  for (std::size_t i = 0; i < welded_.vertex_of.size(); ++i) {
    points.emplace_back(driver_.positions[welded_.vertex_of[i]]);
    for (int s = 0; s < 2; ++s) {
      if (hinge.weights[s][i] > 0.5) own[s].push_back(points.back());
    }
  }
  if (own[0].size() < kMinPoints || own[1].size() < kMinPoints) return std::nullopt;
  const glm::dvec3 along = glm::normalize(hinge.centre - hinge.from) + glm::normalize(hinge.to - hinge.centre);
  glm::dvec3 axis(0);
  for (const BoundJoint& bound : model_.bound_joints) {
    if (bound.joint == hinge.joint) axis = glm::inverse(glm::dmat3(bound.inverse_bind)) * hinge.axis;
  }
  const glm::dvec3 across = glm::cross(axis, along);
  if (!(glm::length(across) > 0.1 * glm::length(axis))) return std::nullopt;
  const glm::dvec3 inner = glm::normalize(across);
  HingeSkin skin{.points = std::move(points),
                 .triangles = welded_.triangles,
                 .soft = {},
                 .is_far = {},
                 .centre = hinge.centre,
                 .radius = 0,
                 .gap = 0,
                 .volume = static_cast<double>(parameters_.fold_volume),
                 .near = SegmentField(hinge.from, hinge.centre, inner, own[0]),
                 .far = SegmentField(hinge.centre, hinge.to, inner, own[1])};
  skin.radius = 0.5 * (skin.near.radius_at(true) + skin.far.radius_at(false));
  skin.gap = static_cast<double>(parameters_.fold_gap) * skin.radius;
  const double shorter = std::min(glm::distance(hinge.from, hinge.centre), glm::distance(hinge.centre, hinge.to));
  if (!(skin.radius > 0) || shorter < kMinBone * skin.radius) return std::nullopt;
  const double reach = std::min(kSoftRadii * skin.radius, shorter);
  for (std::size_t i = 0; i < skin.points.size(); ++i) {
    const glm::dvec3 way = skin.points[i] - hinge.centre;
    skin.is_far.push_back(skin.far.depth(skin.points[i]) < skin.near.depth(skin.points[i]));
    skin.soft.push_back(smooth(2 * (1 - glm::length(way) / reach)) *
                        smooth((glm::dot(way, inner) / skin.radius + kOuter) / kOuterFade) *
                        smooth(hinge.weights[0][i] + hinge.weights[1][i]));
  }
  if (std::ranges::count_if(skin.soft, [](double soft) { return soft > 0; }) < kMinSoft) return std::nullopt;
  Region region = limited(std::move(skin));
  for (const double between : kSolved) {
    const double degrees = between - hinge.at_rest;
    if (degrees > kFirst && degrees < kMost) region.degrees.push_back(degrees);
  }
  return region;
}

// Poses a region; false if a motion of its segments is not rigid.
bool Finder::pose(const Hinge& hinge, Evaluator& evaluator, Region& region) const {
  if (model_.skeleton.joints[hinge.joint].matrix) return false;
  const CharacterMesh& control = *std::ranges::find_if(
      character_->meshes, [&](const CharacterMesh& mesh) { return mesh.control && mesh.name == driver_.name; });
  std::vector<Transform> local(model_.skeleton.joints.size());
  std::vector<glm::mat4> matrices(local.size());
  const auto motion = [&](std::uint32_t joint) {
    const auto bound = std::ranges::find(model_.bound_joints, joint, &BoundJoint::joint);
    return glm::dmat4(matrices[joint]) * glm::dmat4(bound->inverse_bind);
  };
  for (const double degrees : region.degrees) {
    rest_pose(model_.skeleton, local);
    local[hinge.joint].rotation *= glm::quat(glm::angleAxis(glm::radians(degrees), hinge.axis));
    model_matrices(model_.skeleton, local, matrices);
    evaluator.pose(matrices);
    evaluator.evaluate();
    HingePose pose{.near_motion = motion(hinge.before), .far_motion = motion(hinge.joint)};
    for (const std::uint32_t point : region.points) {
      const std::uint32_t v = welded_.vertex_of[point];
      pose.points.emplace_back(evaluator.positions()[control.first_vertex + v]);
      pose.turns.emplace_back(affine_axes(evaluator.palette()[*control.frame_entry + v]));
    }
    if (!is_rigid(pose.near_motion) || !is_rigid(pose.far_motion)) return false;
    region.poses.push_back(std::move(pose));
  }
  return true;
}

// Solves all poses, each from the one before, and fits keys to them. Uses up the poses. None: a shape is not trusted.
std::optional<Fold> Finder::solved(const Hinge& hinge, Region& region) const {
  const std::size_t count = region.points.size();
  FoldSolver solver(region.skin);
  std::vector<double> keys;
  for (const double key : kKeys) {
    if (key - hinge.at_rest > kFirst) keys.push_back(key - hinge.at_rest);
  }
  const auto samples = static_cast<Eigen::Index>(region.degrees.size());
  Eigen::MatrixXd hats = Eigen::MatrixXd::Zero(samples, static_cast<Eigen::Index>(keys.size()));
  Eigen::MatrixXd offsets(samples, static_cast<Eigen::Index>(3 * count));
  std::vector<glm::dvec3> at_bind(count, glm::dvec3(0));
  for (Eigen::Index s = 0; s < samples; ++s) {
    HingePose& pose = region.poses[static_cast<std::size_t>(s)];
    for (std::size_t i = 0; i < count; ++i) pose.displacement.push_back(pose.turns[i] * at_bind[i]);
    const std::vector<glm::dvec3> displacement = solver.solve(pose);
    for (std::size_t i = 0; i < count; ++i) {
      if (glm::length(displacement[i]) > kMostMoved * region.skin.radius) return std::nullopt;
      at_bind[i] = glm::inverse(pose.turns[i]) * displacement[i];
      for (int c = 0; c < 3; ++c) offsets(s, static_cast<Eigen::Index>(3 * i) + c) = at_bind[i][c];
    }
    const double degrees = region.degrees[static_cast<std::size_t>(s)];
    double before = 0;
    for (std::size_t k = 0; k < keys.size(); ++k) {
      const bool is_last = k + 1 == keys.size();
      const double rising = (degrees - before) / (keys[k] - before);
      const double falling = is_last ? 1 : (keys[k + 1] - degrees) / (keys[k + 1] - keys[k]);
      hats(s, static_cast<Eigen::Index>(k)) = std::clamp(std::min(rising, falling), 0.0, 1.0);
      before = keys[k];
    }
  }
  const Eigen::MatrixXd fitted = (hats.transpose() * hats).ldlt().solve(hats.transpose() * offsets);
  Fold fold;
  fold.keys.angles = {{model_.skeleton.joints[hinge.joint].name, glm::vec3(hinge.axis)}};
  std::vector<std::size_t> place(welded_.vertex_of.size(), count);
  for (std::size_t i = 0; i < count; ++i) place[region.points[i]] = i;
  for (std::size_t k = 0; k < keys.size(); ++k) {
    fold.keys.poses.push_back({.degrees = {static_cast<float>(keys[k])}});
    std::vector<glm::vec3>& key = fold.offsets.emplace_back(driver_.positions.size(), glm::vec3(0));
    for (std::size_t v = 0; v < key.size(); ++v) {
      const std::size_t i = place[welded_.point_of[v]];
      if (i == count) continue;
      const auto row = static_cast<Eigen::Index>(k);
      const auto column = static_cast<Eigen::Index>(3 * i);
      const glm::dvec3 offset(fitted(row, column), fitted(row, column + 1), fitted(row, column + 2));
      const double least = kLeast * region.skin.radius;
      if (glm::length(offset) > least) key[v] = glm::vec3(offset * (1 - least / glm::length(offset)));
    }
  }
  return fold;
}

std::vector<Fold> Finder::find(unsigned threads) {
  Evaluator evaluator(character_, {.jobs = thread_jobs(threads), .normals = false, .same_everywhere = true});
  std::vector<std::pair<Hinge, Region>> found;
  for (Hinge& hinge : find_hinges()) {
    std::optional<Region> region = region_of(hinge);
    if (!region || region->degrees.size() < kKeys.size()) continue;
    if (!pose(hinge, evaluator, *region)) continue;
    found.emplace_back(std::move(hinge), std::move(*region));
  }
  std::vector<std::optional<Fold>> solutions(found.size());
  parallel_for(found.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) solutions[i] = solved(found[i].first, found[i].second);
  });
  std::vector<Fold> folds;
  for (std::optional<Fold>& fold : solutions) {
    if (fold) folds.push_back(std::move(*fold));
  }
  return folds;
}

}  // namespace

bool may_fold(const Model& model) { return std::ranges::any_of(joint_uses(model.skeleton), is_folding); }

Result<std::vector<Fold>> find_folds(const Mesh& driver, const DriverParameters& parameters, MeshBinding binding,
                                     const SparseRows& painting, const Model& model, CharacterBuilder builder,
                                     unsigned threads) {
  PELT_ASSIGN(const auto control, builder.add_control_mesh(driver, std::move(binding), "driver"));
  builder.frame_entries(control);
  // A skin of the same shape, whose weights show Anatomy the limbs.
  Mesh skin = driver;
  skin.name = builder.free_name("skin");
  skin.weights = painting;
  skin.morph_targets.clear();
  MeshBinding linear{.rows = builder.rows_over_joints(painting, BlendMode::kLinear)};
  PELT_TRY(builder.add_skin(skin, std::move(linear), "linear_blend"));
  PELT_ASSIGN(const auto character, build_character(builder));
  return Finder(driver, parameters, painting, model, character).find(threads);
}

}  // namespace pelt::folds
