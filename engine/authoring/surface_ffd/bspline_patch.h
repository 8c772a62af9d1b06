// SPDX-License-Identifier: MIT
// A tensor-product B-spline or NURBS surface as a parametric driver: Piegl & Tiller, The NURBS Book, 2nd edition.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <string>
#include <vector>

#include <pelt/mesh.h>
#include <pelt/result.h>
#include <pelt/sparse_rows.h>

namespace pelt::surface_ffd {

// Control vertex (i, j) is entry i * count_v + j: u slowest. Parameters run over the domain
// [knots_u[degree_u], knots_u[count_u]] x [knots_v[degree_v], knots_v[count_v]].
struct BsplinePatch {
  std::uint32_t count_u = 0;
  std::uint32_t count_v = 0;
  std::uint32_t degree_u = 3;
  std::uint32_t degree_v = 3;
  std::vector<double> knots_u;     // count_u + degree_u + 1
  std::vector<double> knots_v;     // count_v + degree_v + 1
  std::vector<glm::vec3> control;  // metres
  std::vector<double> weights;     // one per control vertex; empty: 1 each
  std::uint32_t samples = 1;       // per span, in either direction
};

// Checks a patch. All errors are kInvalidArgument and name `what` and the knot, weight or control vertex: a degree
// outside of 1 to 8, fewer control vertices than degree + 1, a vector of the wrong length, knots that descend, are
// beyond 1e9, differ by less than 1e-9 of the largest, or repeat so often that the surface falls apart, weights outside
// of 1e-6 to 1e6, coordinates that are not finite or beyond kMaxCoordinate. The functions below require a valid patch.
Result<void> validate(const BsplinePatch& patch, const std::string& what);

// The weight of a control vertex in a point of the patch: S = sum R P, S_u = sum R_u P, S_v = sum R_v P.
struct PatchBasis {
  std::uint32_t control;
  double r;
  double r_u;
  double r_v;
};

// Returns the control vertices that act at (u, v): (degree_u + 1) * (degree_v + 1) of them, ascending. Parameters must
// be finite and are clamped to the domain. R is >= 0 and sums to 1, the derivatives sum to 0. At a knot the derivatives
// are those of the side above, at the end of the domain those of the side below.
std::vector<PatchBasis> basis(const BsplinePatch& patch, glm::dvec2 uv);

struct PatchPoint {
  glm::dvec3 position;
  glm::dvec3 tangent_u;  // derivatives: metres per unit of the parameter
  glm::dvec3 tangent_v;
};
PatchPoint evaluate(const BsplinePatch& patch, glm::dvec2 uv);

// Return the different knots of the domain, ascending.
std::vector<double> domain_knots_u(const BsplinePatch& patch);
std::vector<double> domain_knots_v(const BsplinePatch& patch);

// Returns the parameters of the samples, `patch.samples` per span, u slowest: the elements of a parametric driver
// (docs/mathematics.md section 1.5); `across` of them per parameter of u.
struct PatchSamples {
  std::vector<glm::dvec2> uvs;
  std::size_t across = 0;
};
PatchSamples patch_samples(const BsplinePatch& patch);

// Most vertices of a tessellated driver.
inline constexpr std::uint64_t kMaxTessellated = std::uint64_t{1} << 18;

struct TessellatedPatch {
  Mesh mesh;                    // vertices with u slowest; normals on the side of S_u x S_v
  std::vector<glm::dvec2> uvs;  // parameters of every vertex
  SparseRows rows;              // R of every vertex, over the control vertices
};

// Makes triangles over `quads_u` x `quads_v` quads (each at least 1) of equal parameter steps in every knot span, so
// that creases at repeated knots keep their edges. Errors: kInvalidArgument for more than kMaxTessellated vertices.
Result<TessellatedPatch> tessellate(const BsplinePatch& patch, std::uint32_t quads_u, std::uint32_t quads_v);

}  // namespace pelt::surface_ffd
