// SPDX-License-Identifier: MIT
#include "engine/authoring/skeletonize/voxels.h"

#include <fmt/format.h>
#include <openvdb/tools/MeshToVolume.h>

#include <algorithm>
#include <bit>

#include <pelt/try.h>

#include "engine/authoring/base/caught.h"
#include "engine/authoring/geometry/bounds.h"

namespace pelt::skeletonize {
namespace {

constexpr int kMargin = 3;     // voxels beyond the bounds
constexpr float kBand = 2.0f;  // voxels on either side of the surface for which distances are computed

// The mesh type that OpenVDB's library is compiled for; one of our own would add two minutes of compile time. Points
// are in voxel units.
using VoxelPoints = std::vector<openvdb::Vec3s>;
using VoxelMesh = openvdb::tools::QuadAndTriangleDataAdapter<openvdb::Vec3s, openvdb::Vec3I>;

// Voxels nearer to a triangle than this are walls, which block every straight line.
constexpr float kWall = 0.9f;
// A voxel is also inside if at least so many of 26 lines from it meet a wall. Fewer do within 1.2 radii of a round
// opening.
constexpr int kEnclosed = 23;
// The longest side of the grid divided by half the width of the smallest hollow.
constexpr int kHollow = 24;

// Returns the signed distance from the surface at every voxel of the grid: negative inside, +-kBand beyond the band.
std::vector<float> distances(const VoxelPoints& points, std::span<const glm::uvec3> triangles, const Voxels& voxels,
                             int flags) {
  std::vector<float> distance(voxels.number.size(), kBand);
  if (triangles.empty()) return distance;
  std::vector<openvdb::Vec3I> polygons;
  for (const glm::uvec3 t : triangles) polygons.emplace_back(t.x, t.y, t.z);
  const auto transform = openvdb::math::Transform::createLinearTransform(1.0);
  openvdb::util::NullInterrupter never;
  const auto grid = openvdb::tools::meshToVolume<openvdb::FloatGrid>(never, VoxelMesh(points, polygons), *transform,
                                                                     kBand, kBand, flags);
  const auto read = grid->getConstAccessor();
  std::size_t place = 0;
  for (int z = 0; z < voxels.extent.z; ++z) {
    for (int y = 0; y < voxels.extent.y; ++y) {
      for (int x = 0; x < voxels.extent.x; ++x) distance[place++] = read.getValue(openvdb::Coord(x, y, z));
    }
  }
  return distance;
}

// Calls visit(place, cell) for all voxels except those at the border of the grid, which the surface does not reach; in
// reverse order if `backwards`.
template <class Visit>
void for_inner(const Voxels& voxels, bool backwards, const Visit& visit) {
  const glm::ivec3 inner = voxels.extent - 2;
  for (int z = 1; z <= inner.z; ++z) {
    for (int y = 1; y <= inner.y; ++y) {
      for (int x = 1; x <= inner.x; ++x) {
        const glm::ivec3 cell(x, y, z);
        const glm::ivec3 turned = backwards ? inner + 1 - cell : cell;
        visit(voxels.place(turned), turned);
      }
    }
  }
}

// Returns for each voxel the neighbours (bit n) towards which a line from it meets a wall.
std::vector<std::uint32_t> find_blocked(const Voxels& voxels, const std::vector<bool>& walls) {
  std::vector<std::uint32_t> blocked(walls.size(), 0);
  std::vector<bool> meets(walls.size());
  for (int n = 0; n < kNeighbours; ++n) {
    if (n == kSelf) continue;
    const glm::ivec3 step = neighbour(n);
    const auto ahead =
        static_cast<std::ptrdiff_t>(voxels.place(step + 1)) - static_cast<std::ptrdiff_t>(voxels.place(glm::ivec3(1)));
    std::fill(meets.begin(), meets.end(), false);
    for_inner(voxels, ahead > 0, [&](std::size_t place, const glm::ivec3&) {
      const auto next = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(place) + ahead);
      meets[place] = walls[next] || meets[next];
      if (meets[place]) blocked[place] |= 1u << n;
    });
  }
  return blocked;
}

// Returns true if walls are all around an axis.
bool is_in_tube(std::uint32_t blocked) {
  static const std::vector<std::uint32_t> around = [] {
    std::vector<std::uint32_t> masks;
    for (int axis = 0; axis < kSelf; ++axis) {
      masks.push_back(0);
      for (int n = 0; n < kNeighbours; ++n) {
        const glm::ivec3 across = neighbour(axis) * neighbour(n);
        if (n != kSelf && across.x + across.y + across.z == 0) masks.back() |= 1u << n;
      }
    }
    return masks;
  }();
  return std::ranges::any_of(around, [&](std::uint32_t mask) { return (blocked & mask) == mask; });
}

// Leaves only walls of what is thinner than two voxels, as jackets with a lining: sets the distances there to kBand.
void drop_thin(const Voxels& voxels, std::vector<float>& distance) {
  std::vector<bool> thick(distance.size(), false);
  for_inner(voxels, false, [&](std::size_t place, const glm::ivec3& cell) {
    if (distance[place] > -1) return;
    thick[place] = true;
    if (distance[place] <= -kBand) return;
    for (int n = 0; n < 125; ++n) {
      const glm::ivec3 near = cell + glm::ivec3(n % 5, n / 5 % 5, n / 25) - 2;
      if (voxels.holds(near)) thick[voxels.place(near)] = true;
    }
  });
  for (std::size_t i = 0; i < thick.size(); ++i) {
    if (!thick[i]) distance[i] = kBand;
  }
}

// Calls visit(place, cell) for the 6 voxels next to one; it must not be at the border.
template <class Visit>
void for_faces(const Voxels& voxels, const glm::ivec3& cell, const Visit& visit) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const int side : {-1, 1}) {
      glm::ivec3 next = cell;
      next[axis] += side;
      visit(voxels.place(next), next);
    }
  }
}

// Keeps the enclosed voxels that are connected to one at least `deep` steps from all other voxels: creases of the
// surface and gaps between limbs are no hollows.
std::vector<bool> keep_hollows(const Voxels& voxels, const std::vector<bool>& enclosed, int deep) {
  std::vector<bool> peeled = enclosed;  // the voxels that remain after each step
  std::vector<glm::ivec3> front;
  for_inner(voxels, false, [&](std::size_t place, const glm::ivec3& cell) {
    if (!enclosed[place]) return;
    bool inner = true;
    for_faces(voxels, cell, [&](std::size_t beside, const glm::ivec3&) { inner = inner && enclosed[beside]; });
    if (!inner) front.push_back(cell);
  });
  for (const glm::ivec3& cell : front) peeled[voxels.place(cell)] = false;
  std::vector<glm::ivec3> next_front;
  for (int step = 1; step < deep; ++step) {
    next_front.clear();
    for (const glm::ivec3& cell : front) {
      for_faces(voxels, cell, [&](std::size_t beside, const glm::ivec3& next) {
        if (!peeled[beside]) return;
        peeled[beside] = false;
        next_front.push_back(next);
      });
    }
    std::swap(front, next_front);
  }
  std::vector<bool> kept(enclosed.size(), false);
  front.clear();
  for_inner(voxels, false, [&](std::size_t place, const glm::ivec3& cell) {
    if (!peeled[place]) return;
    kept[place] = true;
    front.push_back(cell);
  });
  while (!front.empty()) {
    const glm::ivec3 cell = front.back();
    front.pop_back();
    for_faces(voxels, cell, [&](std::size_t beside, const glm::ivec3& next) {
      if (!enclosed[beside] || kept[beside]) return;
      kept[beside] = true;
      front.push_back(next);
    });
  }
  return kept;
}

// Returns the nearest surface point for each voxel within half a voxel of the surface. These voxels form a slab of
// thickness 1, so that the points are equally dense in all orientations. Inner walls, with no outside next to them, are
// left out. At openings, without a surface at the end of the inside, the points lie between voxels.
std::vector<glm::vec3> surface_points(const Voxels& voxels, std::span<const float> distance) {
  std::vector<glm::vec3> points;
  const auto is_inside = [&](const glm::ivec3& cell) { return voxels.number[voxels.place(cell)] != kOutside; };
  for_inner(voxels, false, [&](std::size_t place, const glm::ivec3& cell) {
    const bool inside = is_inside(cell);
    const float d = distance[place];
    if (std::abs(d) <= 0.5f) {
      bool crosses = false;
      for (int n = 0; n < kNeighbours && !crosses; ++n) {
        crosses = is_inside(cell + neighbour(n)) != inside;
      }
      if (!crosses) return;
      glm::vec3 slope;
      for (int axis = 0; axis < 3; ++axis) {
        glm::ivec3 step(0);
        step[axis] = 1;
        slope[axis] = distance[voxels.place(cell + step)] - distance[voxels.place(cell - step)];
      }
      const float length = glm::length(slope);
      points.push_back(glm::vec3(cell) - (length > 0 ? d / length * slope : glm::vec3(0.0f)));
      return;
    }
    for (int axis = 0; inside && axis < 3; ++axis) {
      for (const int side : {-1, 1}) {
        glm::ivec3 step(0);
        step[axis] = side;
        const float beside = distance[voxels.place(cell + step)];
        if (is_inside(cell + step) || std::abs(beside) <= 0.5f || (d < 0) != (beside < 0)) continue;
        points.push_back(glm::vec3(cell) + 0.5f * glm::vec3(step));
      }
    }
  });
  return points;
}

Voxels fill(const VoxelPoints& points, std::span<const glm::uvec3> closed, std::span<const glm::uvec3> capped,
            std::span<const glm::uvec3> sheets, bool with_tubes, Voxels voxels) {
  const std::size_t count = static_cast<std::size_t>(voxels.extent.x) * static_cast<std::size_t>(voxels.extent.y) *
                            static_cast<std::size_t>(voxels.extent.z);
  voxels.number.assign(count, kOutside);
  std::vector<float> distance = distances(points, closed, voxels, 0);
  std::vector<float> from_capped = distances(points, capped, voxels, 0);
  const std::vector<float> from_sheets = distances(points, sheets, voxels, openvdb::tools::UNSIGNED_DISTANCE_FIELD);
  std::vector<bool> walls(count);
  for (std::size_t i = 0; i < count; ++i) walls[i] = std::min({distance[i], from_capped[i], from_sheets[i]}) < kWall;
  if (!capped.empty()) drop_thin(voxels, from_capped);
  const std::vector<std::uint32_t> blocked = find_blocked(voxels, walls);
  // Slits between capped parts, such as a face and its helmet, belong to the hollow that these make together; creases
  // along them do not.
  std::vector<bool> enclosed(count);
  for (std::size_t i = 0; i < count; ++i) {
    const int least = from_capped[i] < kWall ? kNeighbours - 1 : kEnclosed;
    const bool within = from_capped[i] < 0 || std::popcount(blocked[i]) >= least;
    enclosed[i] = within && !(distance[i] < 0);
    distance[i] = std::min(distance[i], from_capped[i]);
  }
  enclosed = keep_hollows(voxels, enclosed,
                          std::max(2, std::max({voxels.extent.x, voxels.extent.y, voxels.extent.z}) / kHollow));
  for_inner(voxels, false, [&](std::size_t place, const glm::ivec3& cell) {
    if (!(distance[place] < 0) && !enclosed[place]) {
      if (!is_in_tube(blocked[place])) return;
      ++voxels.in_tubes;
      if (!with_tubes) return;
    }
    voxels.number[place] = static_cast<std::uint32_t>(voxels.cells.size());
    voxels.cells.push_back(cell);
    voxels.enclosed += distance[place] < 0 ? 0 : 1;
  });
  voxels.surface = surface_points(voxels, distance);
  return voxels;
}

}  // namespace

Result<Voxels> voxelize(std::span<const glm::vec3> positions, std::span<const glm::uvec3> closed,
                        std::span<const glm::uvec3> capped, std::span<const glm::uvec3> sheets,
                        std::uint32_t resolution, bool with_tubes) {
  Bounds<glm::dvec3> bounds;
  bounds.add(positions, closed);
  bounds.add(positions, capped);
  bounds.add(positions, sheets);
  const glm::dvec3 sides = bounds.size();
  Voxels voxels;
  voxels.size = std::max({sides.x, sides.y, sides.z}) / resolution;
  voxels.origin = bounds.low - (kMargin - 0.5) * voxels.size;
  voxels.extent = glm::ivec3(glm::ceil(sides / voxels.size - 1e-6)) + 2 * kMargin;

  VoxelPoints points;
  for (const glm::vec3& position : positions) {
    const glm::vec3 point(voxels.to_voxels(glm::dvec3(position)));
    points.emplace_back(point.x, point.y, point.z);
  }
  const auto make = [&] { return Result<Voxels>(fill(points, closed, capped, sheets, with_tubes, std::move(voxels))); };
  PELT_ASSIGN(voxels, caught(make, [](const char* why) {
                return fail(ErrorCode::kUnsupported, fmt::format("cannot be made into voxels: {}", why));
              }));
  if (voxels.cells.empty() || voxels.surface.empty()) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("no part is as thick as a voxel, {:.3g} m at resolution {}", voxels.size, resolution));
  }
  return voxels;
}

}  // namespace pelt::skeletonize
