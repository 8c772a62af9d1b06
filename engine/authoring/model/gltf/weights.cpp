// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_inverse.hpp>
#include <limits>
#include <utility>
#include <vector>

#include <pelt/tools/area.h>
#include <pelt/tools/closest_weights.h>
#include <pelt/tools/mesh_parts.h>

#include "engine/authoring/geometry/bounds.h"
#include "engine/authoring/geometry/inpaint.h"
#include "engine/authoring/model/affine.h"
#include "engine/authoring/model/gltf/accessor.h"
#include "engine/authoring/model/gltf/check.h"

namespace pelt {
namespace {

constexpr std::uint64_t kMaxSearched = 500'000'000;

// Returns the position of each joint of a skin in the bind pose, in the space of its meshes; infinite for a joint whose
// matrix has no inverse.
std::vector<glm::dvec3> bind_origins(const GltfSkin& skin) {
  std::vector<glm::dvec3> origins;
  for (const glm::dmat4& inverse_bind : skin.inverse_binds) {
    origins.push_back(is_invertible(inverse_bind) ? glm::dvec3(glm::affineInverse(inverse_bind)[3])
                                                  : glm::dvec3(std::numeric_limits<double>::infinity()));
  }
  return origins;
}

std::uint32_t nearest(const std::vector<glm::dvec3>& origins, const glm::dvec3& point) {
  std::uint32_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < origins.size(); ++k) {
    const double distance = glm::distance(origins[k], point);
    if (distance < least) {
      least = distance;
      best = static_cast<std::uint32_t>(k);
    }
  }
  return best;
}

// Fills empty rows of a mesh from those of the skin around them; of pieces without weights, from the closest skin.
void fill_from_skin(Mesh& mesh) {
  constexpr double kReach = 0.05;  // of the diagonal of the mesh, see inpaint.h
  constexpr std::size_t kMaxSmooth = 20'000;
  const std::vector<std::uint32_t> welded = weld_by_position(mesh.positions);
  std::vector<glm::uvec3> skin = welded_triangles(welded, mesh.triangles);
  drop_flat(mesh.positions, skin);
  std::vector<std::uint32_t> row_of(welded.size());  // of welded vertices: one with weights, if there is one
  for (std::uint32_t v = 0; v < welded.size(); ++v) {
    std::uint32_t& row = row_of[welded[v]];
    if (welded[v] == v || mesh.weights.row(row).empty()) row = v;
  }
  SparseRows known;
  std::size_t unknowns = 0;
  for (std::uint32_t v = 0; v < welded.size(); ++v) {
    known.append_row(welded[v] == v ? mesh.weights.row(row_of[v]) : std::span<const Influence>());
    unknowns += welded[v] == v && known.row(v).empty() ? 1 : 0;
  }
  if (unknowns <= kMaxSmooth) {
    // Triangles farther from the empty rows have no part in them.
    std::vector<bool> near(welded.size());
    for (std::uint32_t v = 0; v < welded.size(); ++v) near[v] = welded[v] == v && known.row(v).empty();
    std::vector<glm::uvec3> around;
    for (int ring = 0; ring < 2; ++ring) {
      around = skin;
      std::erase_if(around, [&](const glm::uvec3& t) { return !near[t.x] && !near[t.y] && !near[t.z]; });
      for (const glm::uvec3& t : around) near[t.x] = near[t.y] = near[t.z] = true;
    }
    const double diagonal = glm::length(bounds_of<glm::dvec3>(std::span(std::as_const(mesh.positions))).size());
    known = inpaint(mesh.positions, around, known, kReach * diagonal, 0);
  }
  std::erase_if(skin, [&](const glm::uvec3& t) {
    return known.row(t.x).empty() || known.row(t.y).empty() || known.row(t.z).empty();
  });
  std::vector<glm::vec3> lost;
  for (std::uint32_t v = 0; v < welded.size(); ++v) {
    if (known.row(welded[v]).empty()) lost.push_back(mesh.positions[v]);
  }
  SparseRows closest;
  if (const Result<TriangleTree> tree = TriangleTree::create(mesh.positions, skin)) {
    closest = closest_weights(
        *tree, [&](std::uint32_t v) { return known.row(v); }, lost, 0);
  }
  SparseRows filled;
  std::size_t next = 0;
  for (std::uint32_t v = 0; v < welded.size(); ++v) {
    std::span<const Influence> row = known.row(welded[v]);
    if (row.empty() && next < closest.row_count()) row = closest.row(next++);
    filled.append_row(mesh.weights.row(v).empty() ? row : mesh.weights.row(v));
  }
  mesh.weights = std::move(filled);
}

}  // namespace

Result<void> GltfWeightReader::append(const tinygltf::Primitive& primitive, std::size_t count, GltfSkin& skin,
                                      Mesh& mesh, WeightFlaws& flaws) {
  const std::size_t first = mesh.positions.size() - count;
  for (std::size_t v = first; v < mesh.positions.size(); ++v) {
    const glm::vec3 p = glm::abs(mesh.positions[v]);
    skin.extent = std::max<double>(skin.extent, std::max({p.x, p.y, p.z}));
  }
  if (skin.rigid) {
    const Influence whole{0, 1.0f};
    for (std::size_t v = 0; v < count; ++v) mesh.weights.append_row({&whole, 1});
    return {};
  }

  std::vector<WeightedElement> row;
  const std::size_t sets = weight_sets(primitive);
  std::vector<std::vector<std::uint32_t>> joints;
  std::vector<std::vector<float>> weights;
  for (std::size_t set = 0; set < sets; ++set) {
    joints.push_back(read_integers(document_, attribute(primitive, fmt::format("JOINTS_{}", set))));
    weights.push_back(read_floats(document_, attribute(primitive, fmt::format("WEIGHTS_{}", set))));
  }
  for (std::size_t v = 0; v < count; ++v) {
    row.clear();
    double sum = 0;
    for (std::size_t set = 0; set < sets; ++set) {
      for (std::size_t c = 4 * v; c < 4 * v + 4; ++c) {
        const float weight = weights[set][c];
        if (weight < 0) ++flaws.negative;
        // Exporters leave arbitrary values in unused entries.
        if (!(weight > 0)) continue;
        const std::uint32_t joint = joints[set][c];
        if (joint >= skin.joints.size()) {
          return fail_at(document_, fmt::format("mesh '{}', JOINTS_{}", mesh.name, set),
                         fmt::format("vertex {} names joint {}, but there are only {}", v, joint, skin.joints.size()));
        }
        row.push_back({joint, weight});
        sum += weight;
      }
    }
    if (row.empty()) {
      ++flaws.unweighted;
    } else if (std::abs(sum - 1) > 1e-3) {
      ++flaws.renormalised;
    }
    append_row(mesh.weights, row);
  }
  return {};
}

Result<void> GltfWeightReader::complete(std::size_t unweighted, GltfSkin& skin, Mesh& mesh) {
  if (skin.rigid) return {};
  if (unweighted > 0 && unweighted < mesh.positions.size()) fill_from_skin(mesh);
  SparseRows rows;
  std::vector<glm::dvec3> origins;  // of the skin's joints at bind; computed when a vertex needs them
  for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
    if (!mesh.weights.row(v).empty()) {
      rows.append_row(mesh.weights.row(v));
    } else {
      if (origins.empty()) origins = bind_origins(skin);
      searched_ += origins.size();
      if (searched_ > kMaxSearched) {
        return fail(ErrorCode::kUnsupported,
                    fmt::format("{}: mesh '{}': too many vertices without weights", document_.source, mesh.name));
      }
      const Influence whole{nearest(origins, mesh.positions[v]), 1.0f};
      rows.append_row({&whole, 1});
    }
    for (const Influence& influence : rows.row(v)) skin.weights[influence.index] += influence.weight;
  }
  mesh.weights = std::move(rows);
  return {};
}

}  // namespace pelt
