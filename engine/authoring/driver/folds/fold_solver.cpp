// SPDX-License-Identifier: MIT
#include "engine/authoring/driver/folds/fold_solver.h"

#include <algorithm>

#include <pelt/mesh.h>

#include "engine/authoring/base/stop.h"
#include "shaders/quaternion.h"

namespace pelt::folds {
namespace {

constexpr int kMaxSteps = 60;
constexpr double kSettled = 2e-4;   // of the radius: largest step at which the shape is at rest
constexpr int kStepsOfContact = 4;  // between changes of the points in contact
constexpr double kHold = 0.6;       // stiffness towards the pose
constexpr double kBend = 2;         // stiffness of the curvature of the displacement
constexpr double kReach = 0.5;      // of the radius: length over which a displacement fades
constexpr double kContact = 120;    // stiffness of contact, in mean stiffnesses of a point
constexpr double kPressureStep = 0.35;
constexpr double kTooDeep = 0.15;     // of the radius: beyond, contact moves points that face away too
constexpr double kOtherInside = 0.1;  // of the radius: farthest from the other segment in contact
constexpr double kSlide = 0.9;        // of a push along the posed normal: slides along the posed skin instead
constexpr double kSlideReach = 0.8;   // of the radius: displacement at which it no longer does
constexpr double kMinSlope = 0.2;     // of the lead; below, it shows no way out
constexpr double kStiffest = 1e-3;    // softness below which a point is fixed
constexpr double kMinContactSoftness = 0.05;
constexpr double kCancelled = 1e-9;  // of the area of a point's triangles: a sum of theirs is only rounding

glm::dvec3 at_bind(const glm::dmat4& motion, const glm::dvec3& point) {
  return glm::transpose(glm::dmat3(motion)) * (point - glm::dvec3(motion[3]));
}

glm::dvec3 row_of(const Eigen::Matrix<double, Eigen::Dynamic, 3>& m, Eigen::Index i) {
  return {m(i, 0), m(i, 1), m(i, 2)};
}

void add_to_row(Eigen::Matrix<double, Eigen::Dynamic, 3>& m, Eigen::Index i, const glm::dvec3& v) {
  for (int c = 0; c < 3; ++c) m(i, c) += v[c];
}

}  // namespace

FoldSolver::FoldSolver(const HingeSkin& skin)
    : skin_(skin), place_(skin.points.size(), -1), around_(skin.points.size()), areas_(skin.points.size(), 0.0) {
  for (std::uint32_t v = 0; v < skin.points.size(); ++v) {
    if (skin.soft[v] <= kStiffest) continue;
    place_[v] = static_cast<int>(free_.size());
    free_.push_back(v);
  }
  const auto add = [&](std::uint32_t from, std::uint32_t to, double weight) {
    const auto known = std::ranges::find(around_[from], to, &Edge::to);
    if (known == around_[from].end()) {
      around_[from].push_back({to, weight});
    } else {
      known->weight += weight;
    }
  };
  for (const glm::uvec3& t : skin.triangles) {
    for (int k = 0; k < 3; ++k) {
      const std::uint32_t a = t[k], b = t[(k + 1) % 3], c = t[(k + 2) % 3];
      const glm::dvec3 u = skin.points[a] - skin.points[c], v = skin.points[b] - skin.points[c];
      const double doubled = glm::length(glm::cross(u, v));
      const double weight = std::clamp(glm::dot(u, v) / std::max(doubled, 1e-12), 0.05, 5.0) / 2;
      add(a, b, weight);
      add(b, a, weight);
      areas_[c] += doubled / 6;
    }
  }
  make_stiffness();
}

void FoldSolver::make_stiffness() {
  const auto all = static_cast<Eigen::Index>(skin_.points.size());
  const auto count = static_cast<Eigen::Index>(free_.size());
  std::vector<Eigen::Triplet<double>> entries, curving;
  hold_.resize(count);
  const double length = kReach * skin_.radius;
  for (std::uint32_t v = 0; v < around_.size(); ++v) {
    double sum = 0;
    for (const Edge& edge : around_[v]) {
      sum += edge.weight;
      if (place_[edge.to] >= 0) entries.emplace_back(v, place_[edge.to], -edge.weight);
    }
    if (place_[v] >= 0) {
      entries.emplace_back(v, place_[v], sum);
      hold_[place_[v]] = kHold * areas_[v] / (length * length * skin_.soft[v] * skin_.soft[v]);
      mean_stiffness_ += sum / static_cast<double>(count);
    }
    curving.emplace_back(v, v, kBend * length * length / std::max(areas_[v], 1e-12));
  }
  Matrix laplacian(all, count), scale(all, all), pick(count, all);
  laplacian.setFromTriplets(entries.begin(), entries.end());
  scale.setFromTriplets(curving.begin(), curving.end());
  std::vector<Eigen::Triplet<double>> picked;
  for (Eigen::Index i = 0; i < count; ++i) picked.emplace_back(i, free_[static_cast<std::size_t>(i)], 1.0);
  pick.setFromTriplets(picked.begin(), picked.end());
  smooth_ = laplacian.transpose() * scale * laplacian;
  stiffness_ = Matrix(pick * laplacian) + smooth_;
  for (Eigen::Index i = 0; i < count; ++i) stiffness_.coeffRef(i, i) += hold_[i];
  stiffness_.makeCompressed();
  factors_.analyzePattern(stiffness_);
}

// Returns by how much less deep a point is in the other segment than in its own, metres.
double FoldSolver::lead(const glm::dvec3& point, bool is_far, const HingePose& pose) const {
  const double near = skin_.near.depth(at_bind(pose.near_motion, point));
  const double far = skin_.far.depth(at_bind(pose.far_motion, point));
  return is_far ? near - far : far - near;
}

FoldSolver::Contact FoldSolver::find_contact(const HingePose& pose, std::span<const glm::dvec3> normals) const {
  const double gap = skin_.gap, small = 1e-3 * skin_.radius;
  Contact contact{std::vector<bool>(free_.size()), Vectors(free_.size(), 3)};
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const std::uint32_t v = free_[i];
    const glm::dvec3& point = points_[v];
    glm::dvec3 target = point;
    const bool is_far = skin_.is_far[v];
    const double ahead = skin_.soft[v] > kMinContactSoftness ? lead(point, is_far, pose) : gap;
    const double other = ahead >= gap ? 0
                         : is_far     ? skin_.near.depth(at_bind(pose.near_motion, point))
                                      : skin_.far.depth(at_bind(pose.far_motion, point));
    if (ahead < gap && other < kOtherInside * skin_.radius) {
      glm::dvec3 slope(0);
      for (int c = 0; c < 3; ++c) {
        glm::dvec3 step(0);
        step[c] = small;
        slope[c] = (lead(point + step, is_far, pose) - lead(point - step, is_far, pose)) / (2 * small);
      }
      const bool faces = glm::dot(normals[v], slope) < 0 || ahead < -kTooDeep * skin_.radius;
      if (faces && glm::length(slope) > kMinSlope) {
        contact.active[i] = true;
        const glm::dvec3& posed = posed_normals_[v];
        const double near = std::max(0.0, 1 - glm::distance(point, pose.points[v]) / (kSlideReach * skin_.radius));
        const glm::dvec3 way = slope - near * kSlide * glm::dot(slope, posed) * posed;
        target += (gap - ahead) / glm::dot(slope, way) * way;
      }
    }
    contact.targets.row(static_cast<Eigen::Index>(i)) << target.x, target.y, target.z;
  }
  return contact;
}

// Returns the force of the rotated edges on each free point; fixed neighbours turn as the point does.
FoldSolver::Vectors FoldSolver::elastic_force(std::vector<glm::dmat3>& turns) const {
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const std::uint32_t v = free_[i];
    glm::dmat3 sum(0.0);
    for (const Edge& edge : around_[v]) {
      sum += edge.weight * glm::outerProduct(points_[v] - points_[edge.to], skin_.points[v] - skin_.points[edge.to]);
    }
    turns[i] = shared::nearest_rotation_from(glm::mat3(sum), glm::mat3(turns[i]));
  }
  Vectors force = Vectors::Zero(static_cast<Eigen::Index>(free_.size()), 3);
  for (std::size_t i = 0; i < free_.size(); ++i) {
    const std::uint32_t v = free_[i];
    for (const Edge& edge : around_[v]) {
      const int other = place_[edge.to];
      const glm::dmat3& turn = other >= 0 ? turns[static_cast<std::size_t>(other)] : turns[i];
      const glm::dvec3 rest = skin_.points[v] - skin_.points[edge.to];
      add_to_row(force, static_cast<Eigen::Index>(i), 0.5 * edge.weight * ((turns[i] + turn) * rest));
      if (other < 0) add_to_row(force, static_cast<Eigen::Index>(i), edge.weight * points_[edge.to]);
    }
  }
  return force;
}

// Returns the volume under the triangles that may move, as cones from the centre.
double FoldSolver::volume(std::span<const glm::dvec3> points, const glm::dvec3& centre) const {
  double sum = 0;
  for (const glm::uvec3& t : skin_.triangles) {
    if (place_[t.x] < 0 && place_[t.y] < 0 && place_[t.z] < 0) continue;
    sum += glm::dot(points[t.x] - centre, glm::cross(points[t.y] - centre, points[t.z] - centre)) / 6;
  }
  return sum;
}

// Returns unit normals; 0 if the triangles round a point cancel, so that rounding would decide.
std::vector<glm::dvec3> FoldSolver::point_normals() const {
  std::vector<glm::dvec3> normals(points_.size(), glm::dvec3(0));
  std::vector<double> areas(points_.size(), 1e-30);
  for (const glm::uvec3& t : skin_.triangles) {
    const glm::dvec3 doubled = glm::cross(points_[t.y] - points_[t.x], points_[t.z] - points_[t.x]);
    const double area = glm::length(doubled);
    for (int k = 0; k < 3; ++k) normals[t[k]] += doubled, areas[t[k]] += area;
  }
  for (std::size_t v = 0; v < normals.size(); ++v) {
    const double length = glm::length(normals[v]);
    normals[v] *= length > kCancelled * areas[v] ? 1 / length : 0;
  }
  return normals;
}

std::vector<glm::dvec3> FoldSolver::solve(const HingePose& pose) {
  const auto count = static_cast<Eigen::Index>(free_.size());
  points_ = pose.points;
  posed_normals_ = point_normals();
  Vectors posed(count, 3);
  std::vector<glm::dmat3> turns;
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::uint32_t v = free_[static_cast<std::size_t>(i)];
    posed.row(i) << pose.points[v].x, pose.points[v].y, pose.points[v].z;
    points_[v] += pose.displacement[v];
    turns.emplace_back(shared::nearest_rotation_from(glm::mat3(pose.turns[v]), glm::mat3(1.0f)));
  }
  const Vectors held = hold_.asDiagonal() * posed + smooth_ * posed;
  const glm::dvec3 centre(pose.near_motion * glm::dvec4(skin_.centre, 1));
  const double at_pose = volume(pose.points, centre);
  const double wanted = at_pose + skin_.volume * (volume(skin_.points, skin_.centre) - at_pose);
  double pressure = 0;
  Eigen::VectorXd pushing = Eigen::VectorXd::Constant(count, -1);
  for (int step = 0; step < kMaxSteps; ++step) {
    stop_if_asked();
    const std::vector<glm::dvec3> normals = point_normals();
    const Contact contact = find_contact(pose, normals);
    if (step % kStepsOfContact == 0) {
      Eigen::VectorXd stiff(count);
      for (Eigen::Index i = 0; i < count; ++i) {
        stiff[i] = contact.active[static_cast<std::size_t>(i)] ? kContact * mean_stiffness_ : 0.0;
      }
      if (stiff != pushing) {
        pushing = stiff;
        Matrix stiffness = stiffness_;
        stiffness.diagonal() += pushing;
        factors_.factorize(stiffness);
      }
    }
    Vectors blown(count, 3);  // the force of a unit of pressure
    for (Eigen::Index i = 0; i < count; ++i) {
      const std::uint32_t v = free_[static_cast<std::size_t>(i)];
      const double share = contact.active[static_cast<std::size_t>(i)] ? 0 : skin_.soft[v];
      const glm::dvec3 force = share * areas_[v] * normals[v];
      blown.row(i) << force.x, force.y, force.z;
    }
    const Vectors force = elastic_force(turns) + held + pushing.asDiagonal() * contact.targets + pressure * blown;
    const Vectors moved = factors_.solve(force);
    const Vectors swelling = factors_.solve(blown);
    double response = 0, farthest = 0;
    for (Eigen::Index i = 0; i < count; ++i) {
      const std::uint32_t v = free_[static_cast<std::size_t>(i)];
      response += areas_[v] * glm::dot(row_of(swelling, i), normals[v]);
      farthest = std::max(farthest, glm::distance(points_[v], row_of(moved, i)));
      points_[v] = row_of(moved, i);
    }
    pressure += kPressureStep * (wanted - volume(points_, centre)) / std::max(response, 1e-12);
    if (farthest < kSettled * skin_.radius) break;
  }
  std::vector<glm::dvec3> displacement(points_.size(), glm::dvec3(0));
  for (const std::uint32_t v : free_) displacement[v] = points_[v] - pose.points[v];
  return displacement;
}

}  // namespace pelt::folds
