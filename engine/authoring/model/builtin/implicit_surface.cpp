// SPDX-License-Identifier: MIT
#include "engine/authoring/model/builtin/implicit_surface.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace pelt {
namespace {

const glm::vec3 kMirror{-1.0f, 1.0f, 1.0f};

struct Sphere {
  glm::vec3 centre;
  float radius;
};

Sphere bound(const Ellipsoid& shape) { return {shape.centre, std::max({shape.radii.x, shape.radii.y, shape.radii.z})}; }

Sphere bound(const Capsule& shape) {
  return {0.5f * (shape.a + shape.b),
          0.5f * glm::distance(shape.a, shape.b) + std::max(shape.radius_a, shape.radius_b)};
}

Sphere bound(const Chain& shape) {
  glm::vec3 centre(0.0f);
  for (const Chain::Ball& ball : shape.balls) centre += ball.centre / static_cast<float>(shape.balls.size());
  float radius = 0;
  for (const Chain::Ball& ball : shape.balls) {
    radius = std::max(radius, glm::distance(centre, ball.centre) + ball.radius);
  }
  return {centre, radius + shape.seam};
}

Sphere bound(const Loft& shape) {
  const float middle = 0.5f * (shape.sections.front().s + shape.sections.back().s);
  float radius = 0;
  for (const Section& section : shape.sections) {
    const float side = std::max(std::abs(section.side_low), std::abs(section.side_high));
    const float front = std::max(std::abs(section.front_low), std::abs(section.front_high));
    radius = std::max(radius, glm::length(glm::vec3(side, front, section.s - middle)));
  }
  // The curve through the sections may swing past them a little.
  return {shape.origin + middle * shape.axis, 1.1f * radius};
}

Shape mirrored(const Ellipsoid& shape) {
  Ellipsoid m = shape;
  m.centre *= kMirror;
  for (int c = 0; c < 3; ++c) m.axes[c] *= kMirror;
  return m;
}

Shape mirrored(const Capsule& shape) {
  Capsule m = shape;
  m.a *= kMirror;
  m.b *= kMirror;
  return m;
}

Shape mirrored(const Chain& shape) {
  Chain m = shape;
  for (Chain::Ball& ball : m.balls) ball.centre *= kMirror;
  return m;
}

Shape mirrored(const Loft& shape) {
  Loft m = shape;
  for (glm::vec3* v : {&m.origin, &m.side, &m.axis, &m.front}) *v *= kMirror;
  return m;
}

Shape mirror_of(const Shape& shape) {
  return std::visit([](const auto& s) { return mirrored(s); }, shape);
}

glm::vec4 extents(const Section& s) { return {s.side_low, s.side_high, s.front_low, s.front_high}; }

// Value and slope of the sections' extents at s, which lies within the table.
struct Extents {
  glm::vec4 value;
  glm::vec4 slope;
};

Extents interpolate(const std::vector<Section>& sections, float s) {
  std::size_t i = 0;
  while (i + 2 < sections.size() && sections[i + 1].s < s) ++i;
  // Level at both ends: beyond them the field continues with the last section, and its value must not jump there.
  const auto tangent = [&](std::size_t k) {
    if (k == 0 || k + 1 == sections.size()) return glm::vec4(0.0f);
    return (extents(sections[k + 1]) - extents(sections[k - 1])) / (sections[k + 1].s - sections[k - 1].s);
  };
  const float width = sections[i + 1].s - sections[i].s;
  const float t = (s - sections[i].s) / width;
  const glm::vec4 p0 = extents(sections[i]), p1 = extents(sections[i + 1]);
  const glm::vec4 m0 = tangent(i) * width, m1 = tangent(i + 1) * width;
  const glm::vec4 c2 = 3.0f * (p1 - p0) - 2.0f * m0 - m1;
  const glm::vec4 c3 = 2.0f * (p0 - p1) + m0 + m1;
  return {p0 + t * (m0 + t * (c2 + t * c3)), (m0 + t * (2.0f * c2 + 3.0f * t * c3)) / width};
}

}  // namespace

FieldSample sample(const Ellipsoid& shape, const glm::vec3& p) {
  // First-order distance: k0 is 1 on the surface, k0 / k1 turns its excess into metres.
  const glm::vec3 q = (p - shape.centre) * shape.axes;
  const glm::vec3 a = q / shape.radii;
  const glm::vec3 b = a / shape.radii;
  const float k0 = glm::length(a);
  const float k1 = std::max(glm::length(b), 1e-9f);
  return {k0 * (k0 - 1.0f) / k1, shape.axes * (b / k1)};
}

FieldSample sample(const Capsule& shape, const glm::vec3& p) {
  const glm::vec3 ab = shape.b - shape.a;
  const float squared = std::max(glm::dot(ab, ab), 1e-12f);
  const float along = glm::dot(p - shape.a, ab) / squared;
  const float t = std::clamp(along, 0.0f, 1.0f);
  const glm::vec3 offset = p - (shape.a + t * ab);
  const float length = std::max(glm::length(offset), 1e-9f);
  glm::vec3 gradient = offset / length;
  if (along > 0.0f && along < 1.0f) gradient -= ((shape.radius_b - shape.radius_a) / squared) * ab;
  return {length - glm::mix(shape.radius_a, shape.radius_b, t), gradient};
}

FieldSample sample(const Chain& shape, const glm::vec3& p) {
  const auto link = [&](std::size_t i) {
    const Chain::Ball &a = shape.balls[i], &b = shape.balls[i + 1];
    return sample(Capsule{a.centre, a.radius, b.centre, b.radius}, p);
  };
  FieldSample chain = link(0);
  for (std::size_t i = 1; i + 1 < shape.balls.size(); ++i) chain = smooth_union(chain, link(i), shape.seam);
  return chain;
}

FieldSample sample(const Loft& shape, const glm::vec3& p) {
  const glm::vec3 d = p - shape.origin;
  const glm::vec3 q(glm::dot(d, shape.side), glm::dot(d, shape.axis), glm::dot(d, shape.front));
  const float first = shape.sections.front().s, last = shape.sections.back().s;
  const Extents e = interpolate(shape.sections, std::clamp(q.y, first, last));

  // k0 = (|u|^n + |v|^n)^(1/n) is 1 on the section's outline. To first order, the distance in the section's plane is k0
  // - 1 over the length of k0's gradient in that plane. That length leaves out the slope along the axis: it has kinks
  // at the sections, which would show in every seam.
  const glm::vec2 centre(0.5f * (e.value.x + e.value.y), 0.5f * (e.value.z + e.value.w));
  const glm::vec2 half(0.5f * (e.value.y - e.value.x), 0.5f * (e.value.w - e.value.z));
  const glm::vec2 centre_slope(0.5f * (e.slope.x + e.slope.y), 0.5f * (e.slope.z + e.slope.w));
  const glm::vec2 half_slope(0.5f * (e.slope.y - e.slope.x), 0.5f * (e.slope.w - e.slope.z));
  const glm::vec2 uv = (glm::vec2(q.x, q.z) - centre) / half;
  const glm::vec2 size = glm::max(glm::abs(uv), glm::vec2(1e-6f));
  const float n = shape.exponent;
  const float k0 = n == 2.0f ? glm::length(size) : std::pow(std::pow(size.x, n) + std::pow(size.y, n), 1.0f / n);
  const glm::vec2 ratio = size / k0;
  const glm::vec2 slope_uv = glm::sign(uv) * (n == 2.0f ? ratio : glm::pow(ratio, glm::vec2(n - 1.0f))) / half;
  const glm::vec3 slope(slope_uv.x, -glm::dot(slope_uv, centre_slope + uv * half_slope), slope_uv.y);
  const float steepness = glm::length(slope_uv);
  const float radial = (k0 - 1.0f) / steepness;
  const glm::vec3 radial_gradient = slope / steepness;

  // Closes the ends: the intersection of the tube with a slab, with rounded rims.
  const float axial = std::max(first - q.y, q.y - last);
  const glm::vec3 axial_gradient(0.0f, q.y > 0.5f * (first + last) ? 1.0f : -1.0f, 0.0f);
  const glm::vec2 w(radial + shape.rim, axial + shape.rim);
  FieldSample local;
  if (w.x > 0.0f && w.y > 0.0f) {
    const float length = glm::length(w);
    local = {length - shape.rim, (w.x * radial_gradient + w.y * axial_gradient) / length};
  } else if (w.x > w.y) {
    local = {radial, radial_gradient};
  } else {
    local = {axial, axial_gradient};
  }
  local.gradient = local.gradient.x * shape.side + local.gradient.y * shape.axis + local.gradient.z * shape.front;
  return local;
}

FieldSample smooth_union(const FieldSample& a, const FieldSample& b, float blend) {
  const FieldSample& near = a.distance < b.distance ? a : b;
  const FieldSample& far = a.distance < b.distance ? b : a;
  const float h = 1.0f - (far.distance - near.distance) / blend;
  if (!(h > 0.0f)) return near;
  return {near.distance - h * h * h * blend / 6.0f, glm::mix(near.gradient, far.gradient, 0.5f * h * h)};
}

FieldSample smooth_difference(const FieldSample& a, const FieldSample& b, float blend) {
  const FieldSample r = smooth_union({-a.distance, -a.gradient}, b, blend);
  return {-r.distance, -r.gradient};
}

void ImplicitSurface::append(Shape shape, float blend, bool carved) {
  const Sphere sphere = std::visit([](const auto& s) { return bound(s); }, shape);
  steps_.push_back({std::move(shape), blend, carved, sphere.centre, sphere.radius});
}

void ImplicitSurface::add(Shape shape, float blend) { append(std::move(shape), blend, false); }

void ImplicitSurface::carve(Shape shape, float blend) { append(std::move(shape), blend, true); }

void ImplicitSurface::add_pair(const Shape& shape, float blend) {
  add(shape, blend);
  add(mirror_of(shape), blend);
}

void ImplicitSurface::carve_pair(const Shape& shape, float blend) {
  carve(shape, blend);
  carve(mirror_of(shape), blend);
}

FieldSample ImplicitSurface::sample(const glm::vec3& p) const {
  FieldSample field{std::numeric_limits<float>::max(), glm::vec3(0.0f, 1.0f, 0.0f)};
  for (const Step& step : steps_) {
    // A union changes nothing if the shape is farther than the field by `blend`; a difference changes nothing if the
    // shape is farther than minus the field by `blend`. Field values are less than distances, the more so the longer
    // the shape: the slack keeps a shape from vanishing where it still matters.
    const float slack = 0.02f + 0.5f * step.bound_radius;
    const float reach = (step.carved ? -field.distance : field.distance) + step.blend + step.bound_radius + slack;
    const glm::vec3 offset = p - step.bound_centre;
    if (reach < 0.0f || glm::dot(offset, offset) > reach * reach) continue;
    const FieldSample shape = std::visit([&](const auto& s) { return pelt::sample(s, p); }, step.shape);
    field = step.carved ? smooth_difference(field, shape, step.blend) : smooth_union(field, shape, step.blend);
  }
  return field;
}

}  // namespace pelt
