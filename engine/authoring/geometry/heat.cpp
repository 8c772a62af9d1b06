// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/heat.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <pelt/tools/area.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/geometry/diffusion.h"

namespace pelt {

// Some triangles that conduct heat, and their vertices in their own order.
class SurfaceHeat::Part {
 public:
  explicit Part(const SurfaceHeat& surface) : surface_(surface), place_(surface.vertex_count(), kNone) {}

  void add(const glm::uvec3& t, float conductivity) {
    if (!(conductivity > 0) || !(triangle_area(surface_.positions_, t) > 0)) return;
    triangles_.push_back(t);
    conductivities_.push_back(conductivity);
    for (int corner = 0; corner < 3; ++corner) {
      std::uint32_t& place = place_[t[corner]];
      if (place != kNone) continue;
      place = static_cast<std::uint32_t>(vertices_.size());
      vertices_.push_back(t[corner]);
    }
  }

  std::span<const std::uint32_t> vertices() const { return vertices_; }

  // Returns true if no heat flows, since its vertices have one value.
  bool is_even(std::span<const float> values) const {
    return std::ranges::all_of(vertices_, [&](std::uint32_t v) { return values[v] == values[vertices_[0]]; });
  }

  Diffusion diffusion() const {
    Diffusion result(vertices_.size());
    const auto at = [&](std::uint32_t v) { return glm::dvec3(surface_.positions_[v]); };
    for (std::size_t i = 0; i < triangles_.size(); ++i) {
      const glm::uvec3 t = triangles_[i];
      result.add({place_[t.x], place_[t.y], place_[t.z]}, {at(t.x), at(t.y), at(t.z)}, conductivities_[i]);
    }
    return result;
  }

  // Does a step with values of the whole surface.
  void flow(const Diffusion& diffusion, std::span<const std::span<float>> values) const {
    std::vector<std::vector<double>> columns(values.size());
    for (std::size_t c = 0; c < values.size(); ++c) {
      columns[c].reserve(vertices_.size());
      for (const std::uint32_t v : vertices_) columns[c].push_back(values[c][v]);
    }
    diffusion.flow(columns);
    for (std::size_t c = 0; c < values.size(); ++c) {
      for (std::size_t i = 0; i < vertices_.size(); ++i) values[c][vertices_[i]] = static_cast<float>(columns[c][i]);
      for (std::size_t v = 0; v < place_.size(); ++v) {
        if (place_[surface_.welded_[v]] != kNone) values[c][v] = values[c][surface_.welded_[v]];
      }
    }
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

  const SurfaceHeat& surface_;
  std::vector<std::uint32_t> place_;     // of each vertex of the surface, in `vertices_`
  std::vector<std::uint32_t> vertices_;  // in order of addition
  std::vector<glm::uvec3> triangles_;
  std::vector<float> conductivities_;
};

SurfaceHeat::SurfaceHeat(std::span<const glm::vec3> positions, std::span<const glm::uvec3> triangles,
                         std::vector<std::uint32_t> welded)
    : positions_(positions), welded_(std::move(welded)), triangles_(welded_triangles(welded_, triangles)) {}

void SurfaceHeat::flow(std::span<const float> diffusion, std::span<float> values) const {
  Part part(*this);
  for (const glm::uvec3 t : triangles_) part.add(t, std::min({diffusion[t.x], diffusion[t.y], diffusion[t.z]}));
  if (!part.is_even(values)) part.flow(part.diffusion(), std::span(&values, 1));
}

void SurfaceHeat::fill(std::span<const std::uint8_t> known, std::initializer_list<std::span<float>> values) const {
  Part part(*this);
  for (const glm::uvec3 t : triangles_) {
    const std::uint8_t most = std::max({known[t.x], known[t.y], known[t.z]});
    if (most == kUnknown && std::min({known[t.x], known[t.y], known[t.z]}) != kAside) part.add(t, 1);
  }
  Diffusion diffusion = part.diffusion();
  diffusion.hold_by(1e-6);  // a vertex that is connected to no known one keeps its value
  for (std::size_t i = 0; i < part.vertices().size(); ++i) {
    if (known[part.vertices()[i]] != kUnknown) diffusion.fix(i);
  }
  part.flow(diffusion, values);
}

}  // namespace pelt
