// SPDX-License-Identifier: MIT
#include "engine/authoring/model/gltf/weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_inverse.hpp>
#include <limits>
#include <vector>

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
  const auto append = [&] {
    append_row(mesh.weights, row);
    for (const Influence& influence : mesh.weights.row(mesh.weights.row_count() - 1)) {
      skin.weights[influence.index] += influence.weight;
    }
  };
  const std::size_t sets = weight_sets(primitive);
  std::vector<std::vector<std::uint32_t>> joints;
  std::vector<std::vector<float>> weights;
  for (std::size_t set = 0; set < sets; ++set) {
    joints.push_back(read_integers(document_, attribute(primitive, fmt::format("JOINTS_{}", set))));
    weights.push_back(read_floats(document_, attribute(primitive, fmt::format("WEIGHTS_{}", set))));
  }
  std::vector<glm::dvec3> origins;  // of the skin's joints at bind; computed when a vertex needs them
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
      if (origins.empty()) origins = bind_origins(skin);
      searched_ += origins.size();
      if (searched_ > kMaxSearched) {
        return fail(ErrorCode::kUnsupported,
                    fmt::format("{}: mesh '{}': too many vertices without weights", document_.source, mesh.name));
      }
      row.push_back({nearest(origins, mesh.positions[first + v]), 1.0});
    } else if (std::abs(sum - 1) > 1e-3) {
      ++flaws.renormalised;
    }
    append();
  }
  return {};
}

}  // namespace pelt
