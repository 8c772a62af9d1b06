// SPDX-License-Identifier: MIT
#include "samples/viewer/pick.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <pelt/tools/parallel.h>

namespace pelt::viewer {
namespace {

constexpr float kNearest =
    1e-6f;  // fraction of the camera's distance to its target: nearer points do not count as in front

// Unit vectors to the right, up and back.
struct CameraAxes {
  glm::vec3 right, up, back;
};

CameraAxes axes_of(const samples::Camera& camera) {
  const glm::vec3 back = glm::normalize(camera.eye - camera.target);
  const glm::vec3 right = glm::normalize(glm::cross(camera.up, back));
  return {right, glm::cross(back, right), back};
}

struct TriangleHit {
  float distance = std::numeric_limits<float>::infinity();
  std::size_t triangle = 0;
};

// Returns the distance at which the ray hits a triangle from either side (Moeller and Trumbore 1997); infinite if it
// misses.
float enters(const Ray& ray, glm::vec3 a, glm::vec3 b, glm::vec3 c) {
  constexpr float kNowhere = std::numeric_limits<float>::infinity();
  const glm::vec3 e1 = b - a;
  const glm::vec3 e2 = c - a;
  const glm::vec3 p = glm::cross(ray.direction, e2);
  const float determinant = glm::dot(e1, p);
  if (determinant == 0) return kNowhere;
  const glm::vec3 from_a = ray.origin - a;
  const float u = glm::dot(from_a, p) / determinant;
  const glm::vec3 q = glm::cross(from_a, e1);
  const float v = glm::dot(ray.direction, q) / determinant;
  if (!(u >= 0 && v >= 0 && u + v <= 1)) return kNowhere;
  const float distance = glm::dot(e2, q) / determinant;
  return distance > 0 ? distance : kNowhere;
}

// Returns the nearest triangle; of several, the first.
TriangleHit nearest_triangle(const Ray& ray, std::span<const glm::vec3> positions,
                             std::span<const glm::uvec3> triangles) {
  constexpr std::size_t kChunk = 4096;
  std::vector<TriangleHit> of_chunk((triangles.size() + kChunk - 1) / kChunk);
  parallel_for(of_chunk.size(), 1, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t chunk = begin; chunk < end; ++chunk) {
      const std::size_t last = std::min((chunk + 1) * kChunk, triangles.size());
      for (std::size_t t = chunk * kChunk; t < last; ++t) {
        const glm::uvec3 corners = triangles[t];
        const float distance = enters(ray, positions[corners.x], positions[corners.y], positions[corners.z]);
        if (distance < of_chunk[chunk].distance) of_chunk[chunk] = {distance, t};
      }
    }
  });
  TriangleHit nearest;
  for (const TriangleHit& hit : of_chunk) {
    if (hit.distance < nearest.distance) nearest = hit;
  }
  return nearest;
}

}  // namespace

Ray ray_through(const samples::Camera& camera, glm::vec2 size, glm::vec2 at) {
  const CameraAxes axes = axes_of(camera);
  const float half_height = std::tan(0.5f * camera.vertical_fov);
  const glm::vec2 middle = (glm::floor(at) + 0.5f) / size * 2.0f - 1.0f;
  const glm::vec3 direction =
      middle.x * half_height * (size.x / size.y) * axes.right - middle.y * half_height * axes.up - axes.back;
  return {camera.eye, glm::normalize(direction)};
}

std::optional<glm::vec2> pixel_of(const samples::Camera& camera, glm::vec2 size, glm::vec3 point) {
  const CameraAxes axes = axes_of(camera);
  const glm::vec3 from_eye = point - camera.eye;
  const float depth = -glm::dot(from_eye, axes.back);
  if (!(depth > kNearest * glm::distance(camera.eye, camera.target))) return std::nullopt;
  const float scale = 0.5f * size.y / (std::tan(0.5f * camera.vertical_fov) * depth);
  return 0.5f * size + scale * glm::vec2(glm::dot(from_eye, axes.right), -glm::dot(from_eye, axes.up));
}

float metres_per_pixel(const samples::Camera& camera, glm::vec2 size, glm::vec3 point) {
  const float depth = std::abs(glm::dot(point - camera.eye, axes_of(camera).back));
  return 2 * std::tan(0.5f * camera.vertical_fov) * depth / size.y;
}

std::optional<VertexHit> pick_vertex(Stage& stage, const Actor& actor, const Ray& ray) {
  const std::span<const glm::vec3> positions = stage.evaluated(actor).positions();
  const glm::mat4 world = actor.worlds.front();
  const glm::mat4 model = glm::inverse(world);
  // Do not normalise, so that distances along both rays agree.
  const Ray local{glm::vec3(model * glm::vec4(ray.origin, 1.0f)), glm::vec3(model * glm::vec4(ray.direction, 0.0f))};
  std::optional<VertexHit> nearest;
  for (const CharacterMesh& mesh : actor.character->meshes) {
    if (mesh.control) continue;
    const std::span<const glm::vec3> points = positions.subspan(mesh.first_vertex, mesh.vertex_count());
    const TriangleHit hit = nearest_triangle(local, points, mesh.triangles);
    if (!std::isfinite(hit.distance) || (nearest && nearest->distance <= hit.distance)) continue;
    const glm::vec3 at = local.origin + hit.distance * local.direction;
    const glm::uvec3 corners = mesh.triangles[hit.triangle];
    std::uint32_t corner = corners.x;
    for (const std::uint32_t other : {corners.y, corners.z}) {
      if (glm::distance(points[other], at) < glm::distance(points[corner], at)) corner = other;
    }
    nearest = VertexHit{mesh.name, mesh.source_vertex[corner], glm::vec3(world * glm::vec4(points[corner], 1.0f)),
                        hit.distance};
  }
  return nearest;
}

std::optional<std::size_t> nearest_point(std::span<const glm::vec3> points, const samples::Camera& camera,
                                         glm::vec2 size, glm::vec2 at, float radius) {
  std::optional<std::size_t> nearest;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const std::optional<glm::vec2> pixel = pixel_of(camera, size, points[k]);
    if (!pixel || !(glm::distance(*pixel, at) <= radius)) continue;
    radius = glm::distance(*pixel, at);
    nearest = k;
  }
  return nearest;
}

const Handle* pick_handle(const Overlay& overlay, const samples::Camera& camera, glm::vec2 size, glm::vec2 at,
                          float radius) {
  std::vector<glm::vec3> points;
  for (const Handle& handle : overlay.handles) points.push_back(handle.position);
  const std::optional<std::size_t> nearest = nearest_point(points, camera, size, at, radius);
  return nearest ? &overlay.handles[*nearest] : nullptr;
}

std::string pick_joint(const Actor& actor, const samples::Camera& camera, glm::vec2 size, glm::vec2 at, float radius) {
  std::vector<glm::vec3> points;
  for (const glm::mat4& joint : actor.pose.joints) points.emplace_back(actor.worlds.front() * joint[3]);
  const std::optional<std::size_t> nearest = nearest_point(points, camera, size, at, radius);
  return nearest ? actor.character->skeleton.joints[*nearest].name : "";
}

}  // namespace pelt::viewer
