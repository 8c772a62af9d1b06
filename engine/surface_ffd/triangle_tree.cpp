// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/triangle_tree.h"

#include <embree3/rtcore.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

namespace pelt {
namespace {

struct DeviceDeleter {
  void operator()(std::remove_pointer_t<RTCDevice>* device) const { rtcReleaseDevice(device); }
};
struct SceneDeleter {
  void operator()(std::remove_pointer_t<RTCScene>* scene) const { rtcReleaseScene(scene); }
};

// Corners ascend by vertex index, so that triangles that share an edge or a vertex compute the same distance to it, to
// the last bit: a tie is a tie.
struct Corners {
  glm::uvec3 vertices;
  glm::dvec3 a, b, c;
};

// Closest point of the segment from `a` to `b`: its fraction along the segment.
double closest_on_segment(const glm::dvec3& point, const glm::dvec3& a, const glm::dvec3& b) {
  const glm::dvec3 edge = b - a;
  const double squared = glm::dot(edge, edge);
  return squared > 0 ? std::clamp(glm::dot(point - a, edge) / squared, 0.0, 1.0) : 0.0;
}

double squared_length(const glm::dvec3& v) { return glm::dot(v, v); }

// Above the inside of the triangle the foot of the perpendicular is closest, elsewhere a point of an edge.
ClosestPoint closest_on(const Corners& corners, const glm::dvec3& point) {
  const auto& [vertices, a, b, c] = corners;
  ClosestPoint result;
  result.vertices = vertices;
  const glm::dvec3 ab = b - a;
  const glm::dvec3 ac = c - a;
  const glm::dvec3 ap = point - a;
  const glm::dvec3 normal = glm::cross(ab, ac);
  const double squared = squared_length(normal);
  if (squared > 0) {
    const double v = glm::dot(glm::cross(ap, ac), normal) / squared;
    const double w = glm::dot(glm::cross(ab, ap), normal) / squared;
    const double u = 1 - v - w;
    if (u > 0 && v > 0 && w > 0) {
      const double height = glm::dot(ap, normal);
      result.weights = {u, v, w};
      result.squared_distance = height * height / squared;
      return result;
    }
  }
  result.squared_distance = std::numeric_limits<double>::infinity();
  const glm::dvec3 points[3] = {a, b, c};
  constexpr int kEdges[3][2] = {{0, 1}, {0, 2}, {1, 2}};
  for (const auto& [from, to] : kEdges) {
    const double t = closest_on_segment(point, points[from], points[to]);
    const double distance = squared_length(point - (points[from] * (1 - t) + points[to] * t));
    if (distance < result.squared_distance) {
      result.squared_distance = distance;
      result.weights = glm::dvec3(0);
      result.weights[from] = 1 - t;
      result.weights[to] = t;
    }
  }
  return result;
}

bool nearer(const TriangleTree::Near& a, const TriangleTree::Near& b) {
  return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance : a.triangle < b.triangle;
}

}  // namespace

// Embree works in floats on the mesh scaled to a box of size 1 round the origin, and only proposes triangles: its
// radius has a margin for that, and the distances that count are computed here.
struct TriangleTree::State {
  std::vector<Corners> triangles;
  glm::dvec3 centre{0};
  double scale = 1;  // to Embree's space
  std::unique_ptr<std::remove_pointer_t<RTCDevice>, DeviceDeleter> device;
  std::unique_ptr<std::remove_pointer_t<RTCScene>, SceneDeleter> scene;
};

namespace {

// Embree's radius for a distance: wider by what floats round away. `reach`: 1 + the point's distance from the origin.
float padded_radius(double distance, double scale, double reach) {
  return static_cast<float>(distance * scale * (1 + 1e-5) + 1e-6 * reach);
}

// What one query keeps while Embree walks: a heap of the nearest so far, the farthest on top.
struct Query {
  const std::vector<Corners>& triangles;
  const glm::dvec3& point;
  std::size_t count;
  std::vector<TriangleTree::Near>& heap;
  double scale;
  double reach;

  bool visit(std::uint32_t triangle, float& radius) {
    const TriangleTree::Near candidate{triangle, closest_on(triangles[triangle], point).squared_distance};
    if (heap.size() == count) {
      if (!nearer(candidate, heap.front())) return false;
      std::pop_heap(heap.begin(), heap.end(), nearer);
      heap.back() = candidate;
    } else {
      heap.push_back(candidate);
    }
    std::push_heap(heap.begin(), heap.end(), nearer);
    if (heap.size() < count) return false;
    const float shrunk = padded_radius(std::sqrt(heap.front().squared_distance), scale, reach);
    if (shrunk >= radius) return false;
    radius = shrunk;
    return true;
  }
};

bool visit_primitive(RTCPointQueryFunctionArguments* arguments) {
  return static_cast<Query*>(arguments->userPtr)->visit(arguments->primID, arguments->query->radius);
}

}  // namespace

TriangleTree::TriangleTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
TriangleTree::~TriangleTree() = default;
TriangleTree::TriangleTree(TriangleTree&&) noexcept = default;
TriangleTree& TriangleTree::operator=(TriangleTree&&) noexcept = default;

Result<TriangleTree> TriangleTree::create(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles) {
  if (triangles.empty()) return fail(ErrorCode::kInvalidArgument, "there is no triangle with area");
  auto state = std::make_unique<State>();
  glm::dvec3 low(std::numeric_limits<double>::infinity());
  glm::dvec3 high = -low;
  state->triangles.reserve(triangles.size());
  for (glm::uvec3 vertices : triangles) {
    if (vertices.x > vertices.y) std::swap(vertices.x, vertices.y);
    if (vertices.y > vertices.z) std::swap(vertices.y, vertices.z);
    if (vertices.x > vertices.y) std::swap(vertices.x, vertices.y);
    const Corners corners{vertices, positions[vertices.x], positions[vertices.y], positions[vertices.z]};
    low = glm::min(low, glm::min(corners.a, glm::min(corners.b, corners.c)));
    high = glm::max(high, glm::max(corners.a, glm::max(corners.b, corners.c)));
    state->triangles.push_back(corners);
  }
  state->centre = (low + high) * 0.5;
  const double size = glm::length(high - low);
  state->scale = size > 0 ? 1 / size : 1;

  state->device.reset(rtcNewDevice(nullptr));
  if (!state->device) return fail(ErrorCode::kUnsupported, "Embree cannot start on this machine");
  state->scene.reset(rtcNewScene(state->device.get()));
  rtcSetSceneFlags(state->scene.get(), RTC_SCENE_FLAG_ROBUST);
  RTCGeometry geometry = rtcNewGeometry(state->device.get(), RTC_GEOMETRY_TYPE_TRIANGLE);
  auto* vertices = static_cast<float*>(rtcSetNewGeometryBuffer(geometry, RTC_BUFFER_TYPE_VERTEX, 0, RTC_FORMAT_FLOAT3,
                                                               3 * sizeof(float), positions.size()));
  auto* indices = static_cast<std::uint32_t*>(rtcSetNewGeometryBuffer(
      geometry, RTC_BUFFER_TYPE_INDEX, 0, RTC_FORMAT_UINT3, 3 * sizeof(std::uint32_t), triangles.size()));
  if (vertices == nullptr || indices == nullptr) {
    rtcReleaseGeometry(geometry);
    return fail(ErrorCode::kUnsupported, fmt::format("Embree cannot hold {} triangles", triangles.size()));
  }
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const glm::dvec3 point = (glm::dvec3(positions[i]) - state->centre) * state->scale;
    for (int axis = 0; axis < 3; ++axis) vertices[3 * i + axis] = static_cast<float>(point[axis]);
  }
  for (std::size_t i = 0; i < triangles.size(); ++i) {
    for (int corner = 0; corner < 3; ++corner) indices[3 * i + corner] = triangles[i][corner];
  }
  rtcCommitGeometry(geometry);
  rtcAttachGeometry(state->scene.get(), geometry);
  rtcReleaseGeometry(geometry);
  rtcCommitScene(state->scene.get());
  const RTCError error = rtcGetDeviceError(state->device.get());
  if (error != RTC_ERROR_NONE) {
    return fail(ErrorCode::kUnsupported, fmt::format("Embree failed with error {}", static_cast<int>(error)));
  }
  return TriangleTree(std::move(state));
}

void TriangleTree::nearest(const glm::dvec3& point, std::size_t count, std::vector<Near>& result, double hint) const {
  const State& state = *state_;
  result.clear();
  if (count >= state.triangles.size()) {
    for (std::uint32_t t = 0; t < state.triangles.size(); ++t) {
      result.push_back({t, closest_on(state.triangles[t], point).squared_distance});
    }
    std::sort(result.begin(), result.end(), nearer);
    return;
  }
  const glm::dvec3 scaled = (point - state.centre) * state.scale;
  const double reach = 1 + glm::length(scaled);
  Query query{state.triangles, point, count, result, state.scale, reach};
  for (const double radius : {hint, std::numeric_limits<double>::infinity()}) {
    RTCPointQuery sphere{};
    sphere.x = static_cast<float>(scaled.x);
    sphere.y = static_cast<float>(scaled.y);
    sphere.z = static_cast<float>(scaled.z);
    sphere.radius = padded_radius(radius, state.scale, reach);
    RTCPointQueryContext context;
    rtcInitPointQueryContext(&context);
    result.clear();
    rtcPointQuery(state.scene.get(), &sphere, &context, visit_primitive, &query);
    if (result.size() == count) break;
  }
  std::sort(result.begin(), result.end(), nearer);
}

ClosestPoint TriangleTree::closest_point(std::uint32_t triangle, const glm::dvec3& point) const {
  return closest_on(state_->triangles[triangle], point);
}

}  // namespace pelt
