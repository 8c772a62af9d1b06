// SPDX-License-Identifier: MIT
#include <opensubdiv/bfr/refinerSurfaceFactory.h>
#include <opensubdiv/bfr/surface.h>
#include <opensubdiv/far/topologyRefiner.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <unsupported/Eigen/BVH>

#include <pelt/try.h>

#include "engine/authoring/geometry/cage_topology.h"
#include "engine/authoring/mos/strategies.h"
#include "engine/character/base/invalid.h"

namespace pelt::mos {
namespace {

namespace Bfr = OpenSubdiv::Bfr;
namespace Far = OpenSubdiv::Far;

using Patch = Bfr::Surface<double>;  // the limit surface of a face
using Box = Eigen::AlignedBox3d;

constexpr int kLevels = 5;  // levels of subdivision towards an irregular point, before an end cap
constexpr int kCellsAlongQuad = 4;
constexpr std::size_t kSamplesAlongCell = 3;

// A square of a face's domain, small enough for one minimum of the distance.
struct Cell {
  std::uint32_t face = 0;
  glm::dvec2 low{0.0};
  double size = 0;
  Box box;               // of the piece of the surface
  glm::dmat3 axes{1.0};  // rotates model space into the axes of a tighter box
  Box turned;
  using Samples = std::array<glm::dvec3, kSamplesAlongCell * kSamplesAlongCell>;
  Samples samples{};
};

// Returns the position of a sample in its cell, 0 to 1.
glm::dvec2 grid_place(std::size_t i) {
  return glm::dvec2(i % kSamplesAlongCell, i / kSamplesAlongCell) / (kSamplesAlongCell - 1.0);
}

// Returns axes along the cell, across it and away from the surface; those of the model if the cell has no area.
glm::dmat3 axes_of(const Cell::Samples& samples) {
  const glm::dvec3 one = samples.back() - samples.front();
  const glm::dvec3 other = samples[samples.size() - kSamplesAlongCell] - samples[kSamplesAlongCell - 1];
  const glm::dvec3 normal = glm::cross(one, other);
  const glm::dvec3 along = one - other;
  if (!(glm::length(normal) > 1e-9 * glm::length(one) * glm::length(other)) || along == glm::dvec3(0.0)) {
    return glm::dmat3(1.0);
  }
  const glm::dvec3 x = glm::normalize(along);
  const glm::dvec3 z = glm::normalize(normal);
  return glm::transpose(glm::dmat3(x, glm::cross(z, x), z));
}

// Returns how far the surface may leave the box of its samples. At its maximum, a coordinate has slope 0 along the
// cell, and a sample is within half a step h. So the coordinate exceeds that sample by at most
//   (h^2 / 8) (|S_uu| + 2 |S_uv| + |S_vv|).
// The margin is twice that, since the derivatives are differences of samples.
double margin_of(const Cell::Samples& samples) {
  const auto at = [&](std::size_t u, std::size_t v) { return samples[v * kSamplesAlongCell + u]; };
  double uu = 0;
  double uv = 0;
  double vv = 0;
  for (std::size_t i = 0; i < kSamplesAlongCell; ++i) {
    uu = std::max(uu, glm::length(at(0, i) - 2.0 * at(1, i) + at(2, i)));
    vv = std::max(vv, glm::length(at(i, 0) - 2.0 * at(i, 1) + at(i, 2)));
  }
  for (std::size_t v = 0; v < 2; ++v) {
    for (std::size_t u = 0; u < 2; ++u) {
      uv = std::max(uv, glm::length(at(u, v) - at(u + 1, v) - at(u, v + 1) + at(u + 1, v + 1)));
    }
  }
  return (uu + 2 * uv + vv) / 4;
}

Eigen::Vector3d to_eigen(glm::dvec3 v) { return {v.x, v.y, v.z}; }

Box box_of(const Cell::Samples& samples, const glm::dmat3& axes, double margin) {
  Box box;
  for (const glm::dvec3& sample : samples) box.extend(to_eigen(axes * sample));
  box.min().array() -= margin;
  box.max().array() += margin;
  return box;
}

// Returns the minimum of g.d + d.H.d / 2 over the square, with H positive definite: inside, or on one of the four
// sides.
glm::dvec2 least_in_square(glm::dvec2 g, double uu, double uv, double vv, glm::dvec2 low, glm::dvec2 high) {
  const double determinant = uu * vv - uv * uv;
  const glm::dvec2 inside((uv * g.y - vv * g.x) / determinant, (uv * g.x - uu * g.y) / determinant);
  if (glm::all(glm::greaterThanEqual(inside, low)) && glm::all(glm::lessThanEqual(inside, high))) return inside;
  glm::dvec2 best(0.0);
  double least = 0;
  const auto consider = [&](glm::dvec2 d) {
    const double value = glm::dot(g, d) + 0.5 * (uu * d.x * d.x + 2 * uv * d.x * d.y + vv * d.y * d.y);
    if (value < least) {
      least = value;
      best = d;
    }
  };
  for (const double u : {low.x, high.x}) consider({u, std::clamp(-(g.y + uv * u) / vv, low.y, high.y)});
  for (const double v : {low.y, high.y}) consider({std::clamp(-(g.x + uv * v) / uu, low.x, high.x), v});
  return best;
}

}  // namespace

struct CageSurface::Surface {
  struct ClosestPoint {
    double squared_distance = std::numeric_limits<double>::max();
    std::uint32_t face = 0;
    glm::dvec2 at{0.0};
  };

  std::vector<Patch> patches;
  std::vector<std::vector<int>> controls;             // cage points of each patch
  std::vector<std::vector<glm::dvec3>> patch_points;  // points that each patch is evaluated from
  std::vector<Cell> cells;
  Eigen::KdBVH<double, 3, std::uint32_t> tree;  // of cells

  void add_cells(std::uint32_t face);
  void add_cell(std::uint32_t face, glm::dvec2 low, double size);
  void search(const Cell& cell, glm::dvec3 place, ClosestPoint& best) const;
  ClosestPoint closest(glm::dvec3 place) const;
  // Returns the gradients of u and v of the closest point by `place`.
  std::array<glm::dvec3, 2> slopes(const ClosestPoint& closest, glm::dvec3 place) const;
};

void CageSurface::Surface::add_cell(std::uint32_t face, glm::dvec2 low, double size) {
  Cell cell{.face = face, .low = low, .size = size};
  for (std::size_t i = 0; i < cell.samples.size(); ++i) {
    const glm::dvec2 at = low + size * grid_place(i);
    patches[face].Evaluate(&at.x, &patch_points[face][0].x, 3, &cell.samples[i].x);
  }
  const double margin = margin_of(cell.samples);
  cell.axes = axes_of(cell.samples);
  cell.box = box_of(cell.samples, glm::dmat3(1.0), margin);
  cell.turned = box_of(cell.samples, cell.axes, margin);
  cells.push_back(cell);
}

void CageSurface::Surface::add_cells(std::uint32_t face) {
  const Bfr::Parameterization domain = patches[face].GetParameterization();
  const bool is_split = domain.HasSubFaces();  // one quadrilateral per corner, half as long
  const int count = is_split ? kCellsAlongQuad / 2 : kCellsAlongQuad;
  const double size = 1.0 / kCellsAlongQuad;
  for (int part = 0; part < (is_split ? domain.GetFaceSize() : 1); ++part) {
    glm::dvec2 origin(0.0);
    const glm::dvec2 corner(0.0);
    if (is_split) domain.ConvertSubFaceToCoord(part, &corner.x, &origin.x);
    for (int v = 0; v < count; ++v) {
      for (int u = 0; u < count; ++u) add_cell(face, origin + size * glm::dvec2(u, v), size);
    }
  }
}

// Searches a cell for the point closest to `place`, by Newton's method restricted to the cell. It minimises half the
// squared distance f = |S - place|^2 / 2, with f_uu = S_u.S_u + S_uu.(S - place), and so on. If f is not convex, it
// leaves out the second derivatives.
void CageSurface::Surface::search(const Cell& cell, glm::dvec3 place, ClosestPoint& best) const {
  constexpr int kMaxSteps = 30;
  constexpr int kMaxHalvings = 20;
  constexpr double kNoStep = 1e-10;  // fractions of the cell
  constexpr double kSmallStep = 1e-4;
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::max();
  for (std::size_t i = 0; i < cell.samples.size(); ++i) {
    const glm::dvec3 offset = cell.samples[i] - place;
    const double squared = glm::dot(offset, offset);
    if (squared < least) {
      least = squared;
      nearest = i;
    }
  }
  const glm::dvec2 high = cell.low + cell.size;
  glm::dvec2 at = cell.low + cell.size * grid_place(nearest);
  const double* points = &patch_points[cell.face][0].x;
  const Patch& patch = patches[cell.face];

  std::array<glm::dvec3, 6> s{};  // S, S_u, S_v, S_uu, S_uv, S_vv
  const auto evaluate = [&](glm::dvec2 uv) {
    patch.Evaluate(&uv.x, points, 3, &s[0].x, &s[1].x, &s[2].x, &s[3].x, &s[4].x, &s[5].x);
    const glm::dvec3 offset = s[0] - place;
    return glm::dot(offset, offset);
  };
  double squared = evaluate(at);
  for (int step = 0; step < kMaxSteps; ++step) {
    const glm::dvec3 offset = s[0] - place;
    const glm::dvec2 gradient(glm::dot(offset, s[1]), glm::dot(offset, s[2]));
    const double first_uu = glm::dot(s[1], s[1]);
    const double first_vv = glm::dot(s[2], s[2]);
    double uu = first_uu + glm::dot(offset, s[3]);
    double uv = glm::dot(s[1], s[2]) + glm::dot(offset, s[4]);
    double vv = first_vv + glm::dot(offset, s[5]);
    const double least_determinant = 1e-6 * first_uu * first_vv;
    const bool is_convex = uu > 1e-3 * first_uu && vv > 1e-3 * first_vv && uu * vv - uv * uv > least_determinant;
    if (!is_convex) {
      const double damping = 1e-6 * (first_uu + first_vv);
      if (damping == 0) break;
      uu = first_uu + damping;
      uv = glm::dot(s[1], s[2]);
      vv = first_vv + damping;
    }
    glm::dvec2 move = least_in_square(gradient, uu, uv, vv, cell.low - at, high - at);
    if (std::max(std::abs(move.x), std::abs(move.y)) <= kNoStep * cell.size) break;
    // Newton's error after a step is of the order of the step's square.
    const bool is_last = is_convex && std::max(std::abs(move.x), std::abs(move.y)) <= kSmallStep * cell.size;
    const double slope = glm::dot(gradient, move);  // slope of f; below 0
    bool found = false;
    for (int halving = 0; halving < kMaxHalvings && !found; ++halving, move *= 0.5) {
      const glm::dvec2 next = glm::clamp(at + move, cell.low, high);
      const double there = evaluate(next);
      if (there > squared + 2e-4 * slope * std::exp2(-halving)) continue;
      found = there < squared;
      if (!found) break;
      squared = there;
      at = next;
    }
    if (!found || is_last) break;
  }
  if (squared < best.squared_distance) best = {squared, cell.face, at};
}

CageSurface::Surface::ClosestPoint CageSurface::Surface::closest(glm::dvec3 place) const {
  struct Search {
    using Scalar = double;
    const Surface& surface;
    glm::dvec3 place;
    ClosestPoint best;

    double minimumOnVolume(const Box& box) const { return box.squaredExteriorDistance(to_eigen(place)); }
    double minimumOnObject(std::uint32_t index) {
      const Cell& cell = surface.cells[index];
      if (cell.turned.squaredExteriorDistance(to_eigen(cell.axes * place)) < best.squared_distance) {
        surface.search(cell, place, best);
      }
      return best.squared_distance;
    }
  };
  Search search{*this, place, {}};
  Eigen::BVMinimize(tree, search);
  return search.best;
}

Result<CageSurface> CageSurface::create(std::span<const glm::dvec3> points,
                                        const std::vector<std::vector<std::uint32_t>>& faces) {
  PELT_ASSIGN(const auto refiner, cage_topology({points.size(), faces}, "cage"));
  Bfr::SurfaceFactory::Options options;
  options.SetApproxLevelSmooth(kLevels);
  const Bfr::RefinerSurfaceFactory<> factory(*refiner, options);

  const auto surface = std::make_shared<Surface>();
  surface->patches.resize(faces.size());
  for (std::uint32_t f = 0; f < faces.size(); ++f) {
    Patch& patch = surface->patches[f];
    if (!factory.InitVertexSurface(static_cast<int>(f), &patch)) {
      return invalid("cage: face {} has no limit surface", f);
    }
    std::vector<int>& controls = surface->controls.emplace_back(patch.GetNumControlPoints());
    patch.GetControlPointIndices(controls.data());
    std::vector<glm::dvec3>& patch_points = surface->patch_points.emplace_back(patch.GetNumPatchPoints());
    patch.PreparePatchPoints(&points[0].x, 3, &patch_points[0].x, 3);
    surface->add_cells(f);
  }
  std::vector<std::uint32_t> indices;
  std::vector<Box> boxes;
  for (const Cell& cell : surface->cells) {
    indices.push_back(static_cast<std::uint32_t>(indices.size()));
    boxes.push_back(cell.box);
  }
  surface->tree.init(indices.begin(), indices.end(), boxes.begin(), boxes.end());
  return CageSurface(surface);
}

// With the matrix H of the second derivatives of f (search), the closest point moves by H^-1 (S_u . d, S_v . d) if
// `place` moves by d; not across a border.
std::array<glm::dvec3, 2> CageSurface::Surface::slopes(const ClosestPoint& closest, glm::dvec3 place) const {
  std::array<glm::dvec3, 6> s{};
  patches[closest.face].Evaluate(&closest.at.x, &patch_points[closest.face][0].x, 3, &s[0].x, &s[1].x, &s[2].x, &s[3].x,
                                 &s[4].x, &s[5].x);
  const glm::dvec3 offset = s[0] - place;
  glm::dmat2 h(glm::dot(s[1], s[1]) + glm::dot(offset, s[3]), glm::dot(s[1], s[2]) + glm::dot(offset, s[4]), 0,
               glm::dot(s[2], s[2]) + glm::dot(offset, s[5]));
  h[1][0] = h[0][1];
  constexpr double kAcross = 1e-6;  // in patches: the closest point would still move, but a border is in the way
  for (int c = 0; c < 2; ++c) {
    glm::dvec3& along = c == 0 ? s[1] : s[2];
    if (!(std::abs(glm::dot(offset, along)) > kAcross * glm::dot(along, along))) continue;
    along = glm::dvec3(0);
    h[c][1 - c] = h[1 - c][c] = 0;
  }
  const double determinant = glm::determinant(h);
  if (!(determinant > 1e-6 * glm::length(h[0]) * glm::length(h[1]))) return {};
  return {(h[1][1] * s[1] - h[0][1] * s[2]) / determinant, (h[0][0] * s[2] - h[0][1] * s[1]) / determinant};
}

void CageSurface::weights(glm::dvec3 place, std::vector<WeightedElement>& row) const {
  const Surface::ClosestPoint closest = surface_->closest(place);
  const std::array<glm::dvec3, 2> slopes = surface_->slopes(closest, place);
  const std::vector<int>& controls = surface_->controls[closest.face];
  std::vector<double> stencil(controls.size()), by_u(controls.size()), by_v(controls.size());
  surface_->patches[closest.face].EvaluateStencil(&closest.at.x, stencil.data(), by_u.data(), by_v.data());
  row.clear();
  for (std::size_t c = 0; c < controls.size(); ++c) {
    row.push_back({static_cast<std::uint32_t>(controls[c]), stencil[c], by_u[c] * slopes[0] + by_v[c] * slopes[1]});
  }
  // Round a narrow tube a patch may have one point on both sides.
  std::sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.index < b.index; });
  std::size_t count = 0;
  for (const WeightedElement& influence : row) {
    if (count > 0 && row[count - 1].index == influence.index) {
      row[count - 1].weight += influence.weight;
      row[count - 1].gradient += influence.gradient;
    } else {
      row[count++] = influence;
    }
  }
  row.resize(count);
}

}  // namespace pelt::mos
