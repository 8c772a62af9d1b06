// SPDX-License-Identifier: MIT
#include "engine/authoring/model/builtin/surface_mesher.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/authoring/core/stop.h"

namespace pelt {
namespace {

using Field = std::function<FieldSample(const glm::vec3&)>;

// Maps a distance from the lens's centre in the grid to one in space: compressed inside, the identity outside, a cubic
// between.
float through_lens(const Lens& lens, float r) {
  const float start = lens.inner * lens.magnification;
  if (r <= start) return r / lens.magnification;
  if (r >= lens.outer) return r;
  const float width = lens.outer - start;
  const float t = (r - start) / width;
  const float p0 = lens.inner, p1 = lens.outer, m0 = width / lens.magnification, m1 = width;
  return p0 + t * (m0 + t * (3.0f * (p1 - p0) - 2.0f * m0 - m1 + t * (2.0f * (p0 - p1) + m0 + m1)));
}

glm::vec3 grid_to_space(std::span<const Lens> lenses, glm::vec3 p) {
  for (const Lens& lens : lenses) {
    const glm::vec3 offset = p - lens.centre;
    const float r = glm::length(offset);
    if (r > 0.0f && r < lens.outer) p = lens.centre + offset * (through_lens(lens, r) / r);
  }
  return p;
}

// Bounds, with room, of how much a step in the grid may grow in space, and of how far the field may exceed a distance.
constexpr float kReach = 3.0f;
constexpr int kBlock = 4;  // cells

// Edges of a cell: 4 along each axis, numbered by their position along the next two axes.
constexpr std::uint32_t kEdges = 12;
constexpr std::uint32_t edge_number(int axis, int at_u, int at_v) {
  return static_cast<std::uint32_t>(4 * axis + at_u + 2 * at_v);
}

// Corner (i, j, k) lies at ((i - 1/2) h, low.y + j h, low.z + k h): cell 0 straddles the plane of symmetry, so that its
// vertices fall on it.
class Grid {
 public:
  Grid(const Field& field, const MesherOptions& options)
      : field_(field), options_(options), cells_(glm::ivec3(glm::ceil(extent(options) / options.cell))) {
    cells_ = (cells_ + kBlock - 1) / kBlock * kBlock;
    corners_ = cells_ + 1;
    values_.assign(std::size_t(corners_.x) * corners_.y * corners_.z, kUnknown);
    first_vertex_.assign(values_.size(), 0);
    sheets_.assign(values_.size(), 0);
  }

  HalfMesh build() {
    HalfMesh mesh;
    std::vector<glm::ivec3> crossed;
    for (const glm::ivec3& block : blocks_near_surface()) {
      stop_if_asked();
      sample_block(block);
    }
    for_each_cell([&](const glm::ivec3& cell) {
      const std::uint32_t sheets = find_sheets(cell);
      if (sheets == 0) return;
      first_vertex_[index(cell)] = static_cast<std::uint32_t>(mesh.positions.size());
      crossed.push_back(cell);
      for (std::uint32_t sheet = 0; sheet < sheets; ++sheet) {
        const glm::vec3 place = middle_of_sheet(cell, sheet);
        glm::vec3 p = grid_to_space(options_.lenses, glm::vec3(std::abs(place.x), place.y, place.z));
        if (cell.x == 0) p.x = 0.0f;
        mesh.positions.push_back(p);
      }
    });
    for (const glm::ivec3& cell : crossed) add_quads(cell, mesh.quads);
    return mesh;
  }

 private:
  static constexpr float kUnknown = 1e30f;

  static glm::vec3 extent(const MesherOptions& options) {
    return glm::vec3(options.high.x + 0.5f * options.cell, options.high.y - options.low.y,
                     options.high.z - options.low.z);
  }

  std::size_t index(const glm::ivec3& c) const { return (std::size_t(c.z) * corners_.y + c.y) * corners_.x + c.x; }

  glm::vec3 place_of(const glm::vec3& corner) const {
    return glm::vec3(0.0f, options_.low.y, options_.low.z) + options_.cell * (corner - glm::vec3(0.5f, 0.0f, 0.0f));
  }

  float field_at(const glm::vec3& place) const {
    return field_(grid_to_space(options_.lenses, glm::vec3(std::abs(place.x), place.y, place.z))).distance;
  }

  std::vector<glm::ivec3> blocks_near_surface() const {
    const float half_diagonal = 0.5f * std::sqrt(3.0f) * kBlock * options_.cell;
    std::vector<glm::ivec3> blocks;
    for (int z = 0; z < cells_.z; z += kBlock) {
      for (int y = 0; y < cells_.y; y += kBlock) {
        for (int x = 0; x < cells_.x; x += kBlock) {
          const glm::ivec3 block(x, y, z);
          if (std::abs(field_at(place_of(glm::vec3(block) + 0.5f * kBlock))) < kReach * half_diagonal) {
            blocks.push_back(block);
          }
        }
      }
    }
    return blocks;
  }

  void sample_block(const glm::ivec3& block) {
    for (int z = 0; z <= kBlock; ++z) {
      for (int y = 0; y <= kBlock; ++y) {
        for (int x = 0; x <= kBlock; ++x) {
          const glm::ivec3 corner = block + glm::ivec3(x, y, z);
          float& value = values_[index(corner)];
          if (value == kUnknown) value = field_at(place_of(glm::vec3(corner)));
        }
      }
    }
  }

  template <class Visit>
  void for_each_cell(const Visit& visit) const {
    for (int z = 0; z < cells_.z; ++z) {
      for (int y = 0; y < cells_.y; ++y) {
        for (int x = 0; x < cells_.x; ++x) visit(glm::ivec3(x, y, z));
      }
    }
  }

  bool inside(const glm::ivec3& corner) const { return values_[index(corner)] < 0.0f; }

  // Joins the crossed edges of a cell into the sheets of the surface that pass through it, and returns the number of
  // sheets. If a face has two crossed edges, they belong together. If it has four, those that cut off the same inner
  // corner belong together, which both cells of the face see alike.
  std::uint32_t find_sheets(const glm::ivec3& cell) {
    for (int c = 0; c < 8; ++c) {
      if (values_[index(cell + glm::ivec3(c & 1, (c >> 1) & 1, c >> 2))] == kUnknown) return 0;
    }
    std::array<std::uint32_t, kEdges> group;
    for (std::uint32_t e = 0; e < kEdges; ++e) group[e] = e;
    const auto join = [&](std::uint32_t a, std::uint32_t b) {
      const std::uint32_t from = std::max(group[a], group[b]), to = std::min(group[a], group[b]);
      for (std::uint32_t& g : group) g = g == from ? to : g;
    };
    std::array<bool, kEdges> crossed{};
    for (int n = 0; n < 3; ++n) {
      const int u = (n + 1) % 3, v = (n + 2) % 3;
      for (int side = 0; side < 2; ++side) {
        // Corners of the face in order round it, and the edge from each to the next.
        constexpr std::array<glm::ivec2, 4> kRound = {{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};
        const std::array<std::uint32_t, 4> edges = {edge_number(u, 0, side), edge_number(v, side, 1),
                                                    edge_number(u, 1, side), edge_number(v, side, 0)};
        std::array<bool, 4> in;
        for (int k = 0; k < 4; ++k) {
          glm::ivec3 corner = cell;
          corner[n] += side;
          corner[u] += kRound[k].x;
          corner[v] += kRound[k].y;
          in[k] = inside(corner);
        }
        std::array<std::uint32_t, 4> cut;
        int cuts = 0;
        for (int k = 0; k < 4; ++k) {
          if (in[k] == in[(k + 1) % 4]) continue;
          cut[cuts++] = edges[k];
          crossed[edges[k]] = true;
        }
        if (cuts == 2) join(cut[0], cut[1]);
        if (cuts == 4) {
          for (int k = 0; k < 4; ++k) {
            if (in[k]) join(edges[k], edges[(k + 3) % 4]);
          }
        }
      }
    }
    std::uint32_t sheets = 0, numbers = 0;
    std::array<std::uint32_t, kEdges> number{};
    for (std::uint32_t e = 0; e < kEdges; ++e) {
      if (!crossed[e]) continue;
      if (group[e] == e) number[e] = sheets++;
      numbers |= number[group[e]] << (2 * e);
    }
    sheets_[index(cell)] = numbers;
    return sheets;
  }

  std::uint32_t sheet_of(const glm::ivec3& cell, std::uint32_t edge) const {
    return (sheets_[index(cell)] >> (2 * edge)) & 3u;
  }

  // Returns the mean of the points where one sheet crosses the cell's edges, in the grid's space.
  glm::vec3 middle_of_sheet(const glm::ivec3& cell, std::uint32_t sheet) const {
    glm::vec3 sum(0.0f);
    float count = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (int k = 0; k < 4; ++k) {
        glm::ivec3 start(0), step(0);
        start[u] = k & 1;
        start[v] = k >> 1;
        step[axis] = 1;
        const float a = values_[index(cell + start)], b = values_[index(cell + start + step)];
        if ((a < 0.0f) == (b < 0.0f) || sheet_of(cell, edge_number(axis, k & 1, k >> 1)) != sheet) continue;
        sum += glm::vec3(start) + glm::vec3(step) * (a / (a - b));
        count += 1.0f;
      }
    }
    return place_of(glm::vec3(cell) + sum / count);
  }

  // Adds a quad for each of the three grid edges at the cell's lowest corner that the surface crosses: the quad of the
  // four cells round that edge.
  void add_quads(const glm::ivec3& cell, std::vector<glm::uvec4>& quads) const {
    for (int axis = 0; axis < 3; ++axis) {
      const int u = (axis + 1) % 3, v = (axis + 2) % 3;
      if (cell[u] == 0 || cell[v] == 0) continue;
      glm::ivec3 end = cell;
      ++end[axis];
      const bool from_inside = inside(cell);
      if (from_inside == inside(end)) continue;
      const auto vertex = [&](int at_u, int at_v) {
        glm::ivec3 c = cell;
        c[u] -= at_u;
        c[v] -= at_v;
        return first_vertex_[index(c)] + sheet_of(c, edge_number(axis, at_u, at_v));
      };
      glm::uvec4 quad(vertex(1, 1), vertex(0, 1), vertex(0, 0), vertex(1, 0));
      if (!from_inside) std::swap(quad.y, quad.w);
      quads.push_back(quad);
    }
  }

  const Field& field_;
  const MesherOptions& options_;
  glm::ivec3 cells_;
  glm::ivec3 corners_;
  std::vector<float> values_;
  std::vector<std::uint32_t> first_vertex_;  // by cell; a cell has as many vertices as sheets
  std::vector<std::uint32_t> sheets_;        // by cell: 2 bits an edge, the sheet that crosses it
};

void find_rings(HalfMesh& mesh) {
  mesh.rings.assign(mesh.positions.size(), {});
  for (const glm::uvec4& quad : mesh.quads) {
    for (int k = 0; k < 4; ++k) {
      mesh.rings[quad[k]].push_back(quad[(k + 1) % 4]);
      mesh.rings[quad[(k + 1) % 4]].push_back(quad[k]);
    }
  }
  for (auto& ring : mesh.rings) {
    std::sort(ring.begin(), ring.end());
    ring.erase(std::unique(ring.begin(), ring.end()), ring.end());
  }
}

// One Newton step to the surface; vertices on the plane of symmetry stay on it. Leaves the gradient for the next round.
void project(const Field& field, float longest_step, glm::vec3& p, glm::vec3& gradient) {
  const bool on_plane = p.x == 0.0f;
  p.x = std::max(p.x, 0.0f);
  FieldSample s = field(p);
  if (on_plane) s.gradient.x = 0.0f;
  const float squared = std::max(glm::dot(s.gradient, s.gradient), 0.05f);
  p -= s.gradient * std::clamp(s.distance / squared, -longest_step, longest_step);
  if (!on_plane) p.x = std::max(p.x, 1e-4f);
  gradient = s.gradient;
}

void relax(const Field& field, const MesherOptions& options, HalfMesh& mesh) {
  std::vector<glm::vec3> gradients(mesh.positions.size());
  std::vector<glm::vec3> next(mesh.positions.size());
  const auto project_all = [&] {
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      stop_if_asked();
      project(field, 0.5f * options.cell, mesh.positions[i], gradients[i]);
    }
  };
  project_all();
  for (std::uint32_t round = 0; round < options.relaxation_rounds; ++round) {
    for (std::size_t i = 0; i < next.size(); ++i) {
      const glm::vec3& p = mesh.positions[i];
      glm::vec3 mean(0.0f);
      for (std::uint32_t j : mesh.rings[i]) mean += mesh.positions[j];
      glm::vec3 step = mean / static_cast<float>(mesh.rings[i].size()) - p;
      if (p.x == 0.0f) step.x = 0.0f;
      const glm::vec3 n = gradients[i] / std::max(glm::length(gradients[i]), 1e-6f);
      next[i] = p + 0.7f * (step - glm::dot(step, n) * n);
    }
    mesh.positions.swap(next);
    project_all();
  }
  project_all();
  project_all();
}

// The field's own gradient is approximate inside seams, so normals come from differences.
void find_normals(const Field& field, HalfMesh& mesh) {
  constexpr float kStep = 3e-4f;
  for (const glm::vec3& p : mesh.positions) {
    glm::vec3 n;
    for (int axis = 0; axis < 3; ++axis) {
      glm::vec3 step(0.0f);
      step[axis] = kStep;
      const auto at = [&](const glm::vec3& q) { return field(glm::vec3(std::abs(q.x), q.y, q.z)).distance; };
      n[axis] = p.x == 0.0f && axis == 0 ? 0.0f : at(p + step) - at(p - step);
    }
    mesh.normals.push_back(glm::normalize(n));
  }
}

float smallest_cosine_gap(const glm::vec3& a, const glm::vec3& b, const glm::vec3& c) {
  const glm::vec3 ab = glm::normalize(b - a), bc = glm::normalize(c - b), ca = glm::normalize(a - c);
  return std::max({-glm::dot(ab, ca), -glm::dot(bc, ab), -glm::dot(ca, bc)});  // cosine of the smallest angle
}

}  // namespace

HalfMesh mesh_half(const Field& field, const MesherOptions& options) {
  HalfMesh mesh = Grid(field, options).build();
  find_rings(mesh);
  relax(field, options, mesh);
  find_normals(field, mesh);
  return mesh;
}

Mirrored mirror(const HalfMesh& half) {
  const auto count = static_cast<std::uint32_t>(half.positions.size());
  Mirrored whole{.positions = half.positions, .normals = half.normals, .triangles = {}, .source = {}};
  std::vector<std::uint32_t> image(count);
  for (std::uint32_t i = 0; i < count; ++i) whole.source.push_back(i);
  for (std::uint32_t i = 0; i < count; ++i) {
    image[i] = i;
    if (half.positions[i].x == 0.0f) continue;
    image[i] = static_cast<std::uint32_t>(whole.positions.size());
    const glm::vec3 flip(-1.0f, 1.0f, 1.0f);
    whole.positions.push_back(half.positions[i] * flip);
    whole.normals.push_back(half.normals[i] * flip);
    whole.source.push_back(i);
  }
  for (const glm::uvec4& quad : half.quads) {
    const auto at = [&](int k) { return half.positions[quad[k]]; };
    // Takes the diagonal that leaves the larger smallest angle.
    const float along_02 = std::max(smallest_cosine_gap(at(0), at(1), at(2)), smallest_cosine_gap(at(0), at(2), at(3)));
    const float along_13 = std::max(smallest_cosine_gap(at(0), at(1), at(3)), smallest_cosine_gap(at(1), at(2), at(3)));
    const int turn = along_02 <= along_13 ? 0 : 1;
    const glm::uvec4 q(quad[turn], quad[turn + 1], quad[turn + 2], quad[(turn + 3) % 4]);
    for (const glm::uvec3& t : {glm::uvec3(q.x, q.y, q.z), glm::uvec3(q.x, q.z, q.w)}) {
      whole.triangles.push_back(t);
      whole.triangles.emplace_back(image[t.x], image[t.z], image[t.y]);
    }
  }
  return whole;
}

}  // namespace pelt
