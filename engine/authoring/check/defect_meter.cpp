// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cassert>
#include <cmath>
#include <queue>
#include <utility>

#include <pelt/tools/defect_meter.h>

#include "engine/authoring/base/parallel_each.h"
#include "engine/authoring/base/stop.h"

namespace pelt {
namespace {

constexpr double kWholeFallback = 1.8;  // score from which a vertex falls back to linear blend completely
constexpr double kGentle = 0.25;        // largest extra stretch of an edge by the transition to linear blend
constexpr double kSteepest = 0.5;       // largest drop along one edge: the transition takes at least two rings
constexpr std::size_t kGrain = 4096;

constexpr float kTurnedOver = 101.5f;  // degrees; a cosine of -0.2
constexpr float kCollapsed = 0.3f;     // of the rest area; less of linear blend's triangle has no reliable direction
constexpr float kGone = 1e-3f;         // of the rest area; less has no direction at all
constexpr float kCosineOfCrease = 0.86602540f;
const float kCosineOfTurned = std::cos(glm::radians(kTurnedOver));

// Returns the angle between two unit normals, degrees; 0 if its cosine is above `cosine_of_least`.
float fold(const glm::vec3& a, const glm::vec3& b, float cosine_of_least) {
  const float cosine = glm::dot(a, b);
  return cosine > cosine_of_least ? 0.0f : glm::degrees(std::acos(std::max(cosine, -1.0f)));
}

}  // namespace

double allowed_value(DefectKind kind) {
  switch (kind) {
    case DefectKind::kStretch:
      return 1.95;
    case DefectKind::kStrain:
      return 0.55;
    case DefectKind::kCrease:
      return 30;
    case DefectKind::kInverted:
      return kTurnedOver;
    case DefectKind::kDistance:
      break;
  }
  return 0.2;
}

void DefectMeter::Worst::see(DefectKind other, double other_value, double allowed, std::uint32_t other_frame) {
  const double other_score = other_value / allowed;
  if (other_score <= score) return;
  *this = {static_cast<float>(other_score), static_cast<float>(other_value), other_frame, other};
}

DefectMeter::DefectMeter(const LinearReference& reference, std::size_t clip_frames, unsigned threads)
    : reference_(reference),
      clip_frames_(clip_frames),
      threads_(threads),
      edges_(reference.edges().size()),
      of_clips_{std::vector<Worst>(reference.hinges().size()), std::vector<Worst>(reference.triangles().size())},
      of_others_(of_clips_),
      linear_normals_(reference.triangles().size()),
      normals_(linear_normals_.size()),
      apart_(reference.vertex_count(), 0.0f),
      apart_frames_(reference.vertex_count(), 0) {}

void DefectMeter::add(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved) {
  assert(linear.size() == apart_.size() && moved.size() == apart_.size());
  parallel_each(apart_.size(), kGrain, threads_, [&](std::size_t v) {
    const auto apart = static_cast<float>(distance(linear[v], moved[v]));
    if (apart <= apart_[v]) return;
    apart_[v] = apart;
    apart_frames_[v] = frame_;
  });
  const double stretch = allowed_value(DefectKind::kStretch);
  const double strain = frame_ < clip_frames_ ? allowed_value(DefectKind::kStrain) : stretch - 1;
  parallel_each(edges_.size(), kGrain, threads_, [&](std::size_t e) {
    const LinearReference::Edge& edge = reference_.edges()[e];
    if (edge.rigid) edges_[e].see(DefectKind::kStrain, strain_of(edge, moved), strain, frame_);
    if (reference_.is_long(edge.rest)) {
      edges_[e].see(DefectKind::kStretch, stretch_of(edge, linear, moved), stretch, frame_);
    }
  });
  add_shapes(linear, moved);
  ++frame_;
}

void DefectMeter::add_shapes(std::span<const glm::vec3> linear, std::span<const glm::vec3> moved) {
  auto& [hinges, triangles] = frame_ < clip_frames_ ? of_clips_ : of_others_;
  parallel_each(triangles.size(), kGrain, threads_, [&](std::size_t f) {
    const glm::uvec3 t = reference_.triangles()[f];
    const auto rest_area = static_cast<float>(reference_.twice_rest_areas()[f]);
    const auto unit_normal = [&](std::span<const glm::vec3> points, float& area) {
      const glm::vec3 normal = glm::cross(points[t.y] - points[t.x], points[t.z] - points[t.x]);
      area = glm::length(normal);
      return area > kGone * rest_area ? normal / area : glm::vec3(0);
    };
    float linear_area = 0, area = 0;
    linear_normals_[f] = unit_normal(linear, linear_area);
    normals_[f] = unit_normal(moved, area);
    if (!(linear_area > kCollapsed * rest_area) || !(area > kGone * rest_area)) return;
    const float turned = fold(linear_normals_[f], normals_[f], kCosineOfTurned);
    if (turned > kTurnedOver) triangles[f].see(DefectKind::kInverted, turned, kTurnedOver, frame_);
  });
  const double crease = allowed_value(DefectKind::kCrease);
  parallel_each(hinges.size(), kGrain, threads_, [&](std::size_t h) {
    const LinearReference::Hinge& hinge = reference_.hinges()[h];
    const glm::vec3 &a = normals_[hinge.triangles[0]], &b = normals_[hinge.triangles[1]];
    if (a == glm::vec3(0) || b == glm::vec3(0)) return;
    const float folded = fold(a, b, kCosineOfCrease);
    if (folded == 0) return;
    const glm::vec3 &c = linear_normals_[hinge.triangles[0]], &d = linear_normals_[hinge.triangles[1]];
    const bool known = c != glm::vec3(0) && d != glm::vec3(0);
    const float more = folded - std::max(hinge.fold, known ? fold(c, d, 1) : 0.0f);
    if (more > crease) hinges[h].see(DefectKind::kCrease, more, crease, frame_);
  });
}

Defects DefectMeter::defects() const {
  Defects defects;
  defects.apart = apart_;
  defects.vertices.resize(apart_.size());
  const double diagonal = reference_.diagonal();
  for (std::size_t v = 0; v < apart_.size() && diagonal > 0; ++v) {
    const double far = apart_[v] / diagonal;
    defects.vertices[v] = {DefectKind::kDistance, far, far / allowed_value(DefectKind::kDistance), apart_frames_[v]};
  }
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    stop_if_asked();
    const Worst& worst = edges_[e];
    const LinearReference::Edge& edge = reference_.edges()[e];
    for (const std::uint32_t v : {edge.from, edge.to}) {
      if (worst.score > defects.vertices[v].score)
        defects.vertices[v] = {worst.kind, worst.value, worst.score, worst.frame};
    }
  }
  const auto add = [&](const Worst& worst, std::uint32_t vertex, double size) {
    if (worst.score > 0)
      defects.shapes.push_back({worst.kind, vertex, worst.frame, worst.value, static_cast<float>(size)});
  };
  for (const Shapes* shapes : {&of_clips_, &of_others_}) {
    for (std::size_t h = 0; h < shapes->hinges.size(); ++h)
      add(shapes->hinges[h], reference_.hinges()[h].from, reference_.hinges()[h].length);
    for (std::size_t f = 0; f < shapes->triangles.size(); ++f)
      add(shapes->triangles[f], reference_.triangles()[f].x, std::sqrt(0.5 * reference_.twice_rest_areas()[f]));
  }
  return defects;
}

std::vector<float> fallback_weights(const Defects& defects, const LinearReference& reference,
                                    std::span<const std::uint32_t> welded) {
  std::vector<float> left(welded.size(), 0.0f);
  std::priority_queue<std::pair<float, std::uint32_t>> open;
  const auto raise = [&](std::uint32_t v, double value) {
    const auto share = static_cast<float>(value);
    if (share <= left[v]) return;
    left[v] = share;
    open.emplace(share, v);
  };
  for (std::size_t v = 0; v < welded.size(); ++v) {
    raise(welded[v], std::clamp((defects.vertices[v].score - 1) / (kWholeFallback - 1), 0.0, 1.0));
  }
  if (open.empty()) return left;
  struct Way {
    std::uint32_t from, to;
    double drop;  // largest drop of the weight from one end to the other
  };
  std::vector<Way> ways;
  for (const LinearReference::Edge& edge : reference.edges()) {
    stop_if_asked();
    const double apart = std::max(defects.apart[edge.from], defects.apart[edge.to]);
    const double drop = apart > 0 ? std::min(kGentle * edge.rest / apart, kSteepest) : kSteepest;
    ways.push_back({welded[edge.from], welded[edge.to], drop});
    ways.push_back({welded[edge.to], welded[edge.from], drop});
  }
  std::sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) { return a.from < b.from; });
  while (!open.empty()) {
    stop_if_asked();
    const auto [value, v] = open.top();
    open.pop();
    if (value < left[v]) continue;
    const auto first = std::lower_bound(ways.begin(), ways.end(), v,
                                        [](const Way& way, std::uint32_t from) { return way.from < from; });
    for (auto way = first; way != ways.end() && way->from == v; ++way) raise(way->to, value - way->drop);
  }
  for (std::size_t v = 0; v < welded.size(); ++v) left[v] = left[welded[v]];
  return left;
}

}  // namespace pelt
