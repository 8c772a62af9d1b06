// SPDX-License-Identifier: MIT
// Shapes that are sculpted as the zero set of a field: ellipsoids, tapered capsules and lofts, joined and carved with
// rounded seams. The field is negative inside and close to a distance near the surface, as meshing and projection need;
// far away it is only a bound.
#pragma once

#include <array>
#include <glm/glm.hpp>
#include <variant>
#include <vector>

namespace pelt {

// The value of a field and its direction of ascent (length about 1; approximate inside seams).
struct FieldSample {
  float distance = 0;
  glm::vec3 gradient{0.0f, 1.0f, 0.0f};
};

// An ellipsoid. Columns of `axes` are the principal directions, unit and orthogonal; radii in metres.
struct Ellipsoid {
  glm::vec3 centre{0.0f};
  glm::vec3 radii{0.1f};
  glm::mat3 axes{1.0f};
};

// Spheres from `a` to `b`, whose radius changes linearly from `radius_a` to `radius_b`.
struct Capsule {
  glm::vec3 a{0.0f};
  float radius_a = 0.1f;
  glm::vec3 b{0.0f};
  float radius_b = 0.1f;
};

// Capsules from sphere to sphere, joined with a seam of their own; a finger, for example.
struct Chain {
  struct Ball {
    glm::vec3 centre{0.0f};
    float radius = 0.1f;
  };
  std::vector<Ball> balls;  // at least two
  float seam = 0.002f;      // blend between neighbours
};

// A cross-section at `s` along a loft's axis: extents along the loft's side and front axes, in metres.
struct Section {
  float s = 0;
  float side_low = 0, side_high = 0;
  float front_low = 0, front_high = 0;
};

// Cross-sections joined by a smooth curve (Catmull-Rom through every extent, level at the ends), closed at both ends
// with rounded rims.
struct Loft {
  glm::vec3 origin{0.0f};
  glm::vec3 side{1.0f, 0.0f, 0.0f};  // unit, orthogonal
  glm::vec3 axis{0.0f, 1.0f, 0.0f};  // s runs along it
  glm::vec3 front{0.0f, 0.0f, 1.0f};
  float exponent = 2.0f;          // exponent of the superellipse: 2 is an ellipse, more is boxier
  float rim = 0.02f;              // radius of the rounded rims
  std::vector<Section> sections;  // at least two, s ascends strictly, high > low
};

using Shape = std::variant<Ellipsoid, Capsule, Chain, Loft>;

FieldSample sample(const Ellipsoid& shape, const glm::vec3& p);
FieldSample sample(const Capsule& shape, const glm::vec3& p);
FieldSample sample(const Chain& shape, const glm::vec3& p);
FieldSample sample(const Loft& shape, const glm::vec3& p);

// The union of two fields with a fillet that begins where they differ by less than `blend`; twice continuously
// differentiable (the cubic polynomial minimum).
FieldSample smooth_union(const FieldSample& a, const FieldSample& b, float blend);

// The difference, `a` without `b`, with the same fillet.
FieldSample smooth_difference(const FieldSample& a, const FieldSample& b, float blend);

// Shapes joined in the order in which they were added.
class ImplicitSurface {
 public:
  void add(Shape shape, float blend);
  void carve(Shape shape, float blend);

  // The same for the shape and its mirror image in the plane x = 0.
  void add_pair(const Shape& shape, float blend);
  void carve_pair(const Shape& shape, float blend);

  FieldSample sample(const glm::vec3& p) const;

 private:
  struct Step {
    Shape shape;
    float blend;
    bool carved;
    glm::vec3 bound_centre;  // sphere round the shape, for skipping it from afar
    float bound_radius;
  };
  void append(Shape shape, float blend, bool carved);

  std::vector<Step> steps_;
};

}  // namespace pelt
