// SPDX-License-Identifier: MIT
#include "engine/hierarchical_bspline/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include <pelt/try.h>

#include "engine/hierarchical_bspline/levels.h"
#include "engine/hierarchical_bspline/places.h"
#include "engine/hierarchical_bspline/surface.h"

namespace pelt::hierarchical_bspline {
namespace {

constexpr double kCellEdges = 2.5;       // width of a cell between frames, in edges of the skin
constexpr double kMaxPerSpan = 16;       // frames of a span, where their number is chosen
constexpr double kCurvatureStep = 1e-3;  // of a span

double mean_edge(const DeformerInput& input) {
  double sum = 0;
  std::size_t count = 0;
  for (const DeformerTarget& target : full_detail(input)) {
    const Mesh& mesh = mesh_of(input, target);
    for (const glm::uvec3 triangle : mesh.triangles) {
      for (int c = 0; c < 3; ++c) {
        sum += glm::distance(mesh.positions[triangle[c]], mesh.positions[triangle[(c + 1) % 3]]);
        ++count;
      }
    }
  }
  return count > 0 ? sum / static_cast<double>(count) : 0;
}

// Frames at points of the surface, each posed once.
class Frames {
 public:
  Frames(Surface& surface, const std::vector<PosedVertex>& posed, std::string what)
      : surface_(surface), pass_(surface, posed), what_(std::move(what)) {}

  Result<std::uint32_t> at(glm::dvec2 uv) {
    const Grid& grid = surface_.grid(surface_.finest());
    const std::pair place(grid.along[0].inside(uv.x), grid.along[1].inside(uv.y));
    const auto [known, added] = numbers_.emplace(place, 0);
    if (!added) return known->second;
    const std::vector<Share> shares = surface_.shares(surface_.finest(), {place.first, place.second});
    if (!at_bind(surface_, shares).has_frame()) {
      return fail(ErrorCode::kInvalidArgument, fmt::format("{}: the surface has no tangent plane at u {:.3g}, v {:.3g}",
                                                           what_, place.first, place.second));
    }
    return known->second = pass_.add(shares);
  }

  bool empty() const { return pass_.empty(); }
  std::uint32_t finish(CharacterBuilder& builder) { return pass_.finish(builder); }

 private:
  Surface& surface_;
  FramePass pass_;
  std::string what_;
  std::map<std::pair<double, double>, std::uint32_t> numbers_;
};

// Returns true if a point at this height over the surface is beyond a centre of curvature, where the surface at that
// height turns over.
bool is_beyond_curvature(const Surface& surface, glm::dvec2 uv, const SurfacePoint& here, double height) {
  std::array<glm::dvec3, 2> lifted{here.tangent_u, here.tangent_v};
  for (int d = 0; d < 2; ++d) {
    glm::dvec2 step(0);
    step[d] = kCurvatureStep;
    const Direction& direction = surface.grid(surface.finest()).along[d];
    // At the end of an open direction there is one side alone.
    const glm::dvec2 low = direction.closed || uv[d] >= step[d] ? uv - step : uv;
    const glm::dvec2 high = direction.closed || uv[d] + step[d] <= direction.spans() ? uv + step : uv;
    const SurfacePoint before = surface.evaluate(surface.finest(), low);
    const SurfacePoint after = surface.evaluate(surface.finest(), high);
    if (!before.has_frame() || !after.has_frame()) return false;
    lifted[d] += height * (after.axes()[2] - before.axes()[2]) / (high - low)[d];
  }
  return glm::dot(glm::cross(lifted[0], lifted[1]), here.axes()[2]) <= 0 ||
         glm::dot(lifted[0], here.tangent_u) + glm::dot(lifted[1], here.tangent_v) < 0;
}

// Cells of frames over the surface.
class Cells {
 public:
  // `per_span`: frames of a span of the finest level along u and v, at least 1 each for append().
  Cells(const Grid& grid, std::array<double, 2> per_span) : grid_(grid), per_span_(per_span) {}

  // Adds the bilinear weights of the frames round a place to `row`.
  Result<void> append(glm::dvec2 uv, Frames& frames, std::vector<WeightedElement>& row) const {
    std::array<double, 2> low;
    std::array<double, 2> part;
    for (int d = 0; d < 2; ++d) {
      const double at = uv[d] * per_span_[d];
      low[d] = std::clamp(std::floor(at), 0.0, std::max(grid_.along[d].spans() * per_span_[d] - 1, 0.0));
      part[d] = at - low[d];
    }
    for (int a = 0; a < 2; ++a) {
      for (int b = 0; b < 2; ++b) {
        const double u = a == 1 ? part[0] : 1 - part[0];
        const double v = b == 1 ? part[1] : 1 - part[1];
        if (u * v == 0) continue;
        PELT_ASSIGN(const auto frame, frames.at({(low[0] + a) / per_span_[0], (low[1] + b) / per_span_[1]}));
        row.push_back({frame, u * v});
      }
    }
    return {};
  }

 private:
  const Grid& grid_;
  std::array<double, 2> per_span_;
};

// Returns how many frames a span of the finest level gets along u and v: powers of two.
std::array<double, 2> frames_per_span(const HierarchicalBsplineParameters& parameters, const Surface& surface,
                                      const DeformerInput& input) {
  if (parameters.frames_per_span) {
    const auto given = static_cast<double>(*parameters.frames_per_span);
    return {given, given};
  }
  const Grid& grid = surface.grid(surface.finest());
  const double cell = kCellEdges * mean_edge(input);
  std::array<double, 2> result{1, 1};
  if (!(cell > 0)) return result;
  glm::dvec2 length(0);  // of a span
  double count = 0;
  for (double u = 0.5; u < grid.along[0].spans(); ++u) {
    for (double v = 0.5; v < grid.along[1].spans(); ++v) {
      const SurfacePoint point = surface.evaluate(surface.finest(), {u, v});
      length += glm::dvec2(glm::length(point.tangent_u), glm::length(point.tangent_v));
      ++count;
    }
  }
  for (int d = 0; d < 2; ++d) {
    const double wanted = length[d] / count / cell;
    // Overlays that the skin should follow are at least as fine as the finest level.
    result[d] = std::clamp(std::exp2(std::round(std::log2(std::max(wanted, 1e-6)))), 1.0, kMaxPerSpan);
  }
  return result;
}

Result<std::vector<glm::dvec2>> places_of(const HierarchicalBsplineParameters& parameters, const Surface& surface,
                                          const Mesh& mesh, const DeformerInput& input) {
  if (parameters.places == SurfacePlaces::kClosest) {
    return closest_places(surface, mesh.positions, input.threads);
  }
  if (mesh.uvs.size() != mesh.positions.size()) {
    return invalid(input,
                   fmt::format("mesh '{}' has no texture coordinates to find its place on the surface by", mesh.name));
  }
  const Grid& grid = surface.grid(surface.finest());
  std::vector<glm::dvec2> places;
  for (const glm::vec2 uv : mesh.uvs) {
    const glm::dvec2 place = glm::dvec2(uv) * glm::dvec2(grid.along[0].spans(), grid.along[1].spans());
    places.emplace_back(grid.along[0].inside(place.x), grid.along[1].inside(place.y));
  }
  return places;
}

// What lies farther off than the curvature allows.
struct Beyond {
  std::size_t count = 0;
  std::size_t worst = 0;
  double distance = 0;
};

}  // namespace

Result<std::vector<MeshBinding>> bind(const HierarchicalBsplineParameters& parameters, const DeformerInput& input) {
  if (parameters.control.empty()) {
    return invalid(input, "the rig gives no surface: 'control', the control vertices of its base grid");
  }
  if (!input.builder.has_joints()) return invalid(input, "the model has no joints for the surface to follow");
  PELT_ASSIGN(auto surface, Surface::create(parameters, input.layer));
  PELT_ASSIGN(const auto posed, add_levels(parameters, surface, input));
  Frames frames(surface, posed, input.layer);
  const std::array<double, 2> per_span = frames_per_span(parameters, surface, input);
  const bool everywhere = per_span[0] == 0;
  const Cells cells(surface.grid(surface.finest()), per_span);

  std::vector<MeshBinding> bindings;
  for (const DeformerTarget& target : input.targets) {
    const Mesh& mesh = mesh_of(input, target);
    PELT_ASSIGN(const auto places, places_of(parameters, surface, mesh, input));
    MeshBinding& binding = bindings.emplace_back();
    binding.distances.assign(mesh.positions.size(), -1.0f);
    binding.remarks.assign(mesh.positions.size(), 0);
    Beyond beyond;
    std::vector<WeightedElement> row;
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
      row.clear();
      if (target.mask[v] > 0) {
        const SurfacePoint place = surface.evaluate(surface.finest(), places[v]);
        const glm::dvec3 away = glm::dvec3(mesh.positions[v]) - place.position;
        const double distance = glm::length(away);
        binding.distances[v] = static_cast<float>(distance);
        if (place.has_frame() && is_beyond_curvature(surface, places[v], place, glm::dot(away, place.axes()[2]))) {
          binding.remarks[v] |= kFar;
          if (distance > beyond.distance) beyond = {beyond.count, v, distance};
          ++beyond.count;
        }
        if (everywhere) {
          PELT_ASSIGN(const auto frame, frames.at(places[v]));
          row.push_back({frame, 1.0});
        } else {
          PELT_TRY(cells.append(places[v], frames, row));
        }
      }
      append_row(binding.rows, row);
    }
    if (beyond.count > 0) {
      input.notes.push_back(
          fmt::format("{}: {} vertices of mesh '{}' lie farther from the surface than its radius of "
                      "curvature; the farthest is vertex {}, {:.3g} m off",
                      input.layer, beyond.count, mesh.name, beyond.worst, beyond.distance));
    }
    input.progress(static_cast<double>(bindings.size()) / static_cast<double>(input.targets.size()));
  }
  if (frames.empty()) return bindings;
  const std::uint32_t first_slot = frames.finish(input.builder);
  for (MeshBinding& binding : bindings) {
    for (Influence& influence : binding.rows.influences) influence.index += first_slot;
  }
  return bindings;
}

}  // namespace pelt::hierarchical_bspline
