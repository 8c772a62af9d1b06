// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "engine/character/records.h"
#include "engine/core/frame.h"
#include "engine/core/parallel.h"
#include "engine/surface_ffd/driver.h"
#include "engine/surface_ffd/triangle_tree.h"
#include "shaders/surface_ffd/pose.h"

namespace pelt::surface_ffd {
namespace {

// Symbols of math.md section 1: P a skin vertex, k an element (a driver triangle that has area), d_k its distance from
// P, w_k its raw weight, u_k the cut and normalised one.

constexpr std::size_t kBlockVertices = 256;      // that one thread binds in a row
constexpr std::size_t kBlocksPerProgress = 128;  // between two calls of progress

// log w_k = -log(1 + (d/unit)^local), without overflow for any local; pow(0, 0) = 1.
double log_weight(double distance, double unit, double local) {
  const double x = local == 0 ? 0.0 : local * std::log(distance / unit);  // log of the power; -inf at distance 0
  return x > 0 ? -(x + std::log1p(std::exp(-x))) : -std::log1p(std::exp(x));
}

struct Elements {
  std::vector<glm::uvec3> triangles;  // of the driver, those with a frame
  std::size_t degenerate = 0;
};

// Whether its frame would be left to rounding: ten times what pose_triangle calls flat.
bool is_sliver(const Mesh& driver, glm::uvec3 t) {
  const glm::dvec3 a(driver.positions[t.x]);
  const glm::dvec3 e1 = glm::dvec3(driver.positions[t.y]) - a;
  const glm::dvec3 e2 = glm::dvec3(driver.positions[t.z]) - a;
  const glm::dvec3 normal = glm::cross(e1, e2);
  return glm::dot(normal, normal) <= 10.0 * shared::kFlatTriangle * glm::dot(e1, e1) * glm::dot(e2, e2);
}

Elements find_elements(const Mesh& driver) {
  const double least = least_area(driver);
  Elements elements;
  for (const glm::uvec3 t : driver.triangles) {
    if (triangle_area(driver, t) > least && !is_sliver(driver, t)) {
      elements.triangles.push_back(t);
    } else {
      ++elements.degenerate;
    }
  }
  return elements;
}

// Mean length of the unique edges of the elements.
double mean_edge_length(const Mesh& driver, std::span<const glm::uvec3> triangles) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> edges;
  for (const glm::uvec3 t : triangles) {
    for (int corner = 0; corner < 3; ++corner) {
      edges.insert(std::minmax(t[corner], t[(corner + 1) % 3]));
    }
  }
  double sum = 0;
  for (const auto& [a, b] : edges) {
    sum += glm::distance(glm::dvec3(driver.positions[a]), glm::dvec3(driver.positions[b]));
  }
  return sum / static_cast<double>(edges.size());
}

std::size_t largest_valence(std::size_t vertex_count, std::span<const glm::uvec3> triangles) {
  std::vector<std::size_t> valence(vertex_count, 0);
  for (const glm::uvec3 t : triangles) {
    for (int corner = 0; corner < 3; ++corner) ++valence[t[corner]];
  }
  return *std::max_element(valence.begin(), valence.end());
}

// (Q_k^R)^-1 of each element, as records over the instance's vertices.
std::vector<std::uint32_t> make_records(const Mesh& driver, std::span<const glm::uvec3> triangles,
                                        std::uint32_t first_vertex) {
  std::vector<std::uint32_t> records;
  for (const glm::uvec3 t : triangles) {
    const glm::dvec3 a(driver.positions[t.x]);
    const glm::dvec3 e1 = glm::dvec3(driver.positions[t.y]) - a;
    const glm::dvec3 e2 = glm::dvec3(driver.positions[t.z]) - a;
    const glm::dmat3 inverse = glm::inverse(glm::dmat3(e1, e2, glm::normalize(glm::cross(e1, e2))));
    append_record(records, shared::TriangleRecord{first_vertex + t.x, first_vertex + t.y, first_vertex + t.z,
                                                  affine_from_axes(glm::mat3(inverse), glm::vec3(-(inverse * a)))});
  }
  return records;
}

// What binding one vertex needs to know.
struct Settings {
  const TriangleTree& tree;
  std::size_t element_count;
  std::size_t kept_elements;  // K; 0: all
  Cut cut;
  double unit;
  double local;
  bool extended;
  std::uint32_t first_slot;  // of element 0 (basic) or of driver vertex 0 (extended)
};

// What a thread reuses from vertex to vertex.
struct Workspace {
  std::vector<TriangleTree::Near> nearest;
  std::vector<WeightedElement> weights;
  std::vector<WeightedElement> row;
};

// The row of one vertex at P, appended. Returns its distance from the driver.
double bind_vertex(const glm::dvec3& p, double hint, const Settings& settings, Workspace& work, SparseRows& rows,
                   std::uint64_t& dropped) {
  // The K largest weights are those of the K nearest; the next one is what the continuous cut subtracts.
  const std::size_t wanted = settings.kept_elements == 0 ? settings.element_count : settings.kept_elements + 1;
  settings.tree.nearest(p, wanted, work.nearest, hint);
  const double distance = std::sqrt(work.nearest[0].squared_distance);
  const double largest = log_weight(distance, settings.unit, settings.local);
  work.weights.clear();
  for (const TriangleTree::Near& near : work.nearest) {
    const double log_w = log_weight(std::sqrt(near.squared_distance), settings.unit, settings.local);
    work.weights.push_back({near.triangle, std::exp(log_w - largest)});
  }
  cut_row(work.weights, settings.kept_elements, settings.cut);
  dropped += settings.element_count - work.weights.size();

  work.row.clear();
  for (const auto& [k, u] : work.weights) {
    if (!settings.extended) {
      work.row.push_back({settings.first_slot + k, u});
    } else if (u > 0) {
      // s_j = sum over k of u_k b_kj, b the barycentric coordinates of the closest point of k.
      const ClosestPoint closest = settings.tree.closest_point(k, p);
      for (int corner = 0; corner < 3; ++corner) {
        work.row.push_back({settings.first_slot + closest.vertices[corner], u * closest.weights[corner]});
      }
    }
  }
  append_row(rows, work.row);
  return distance;
}

// A run of vertices that one thread binds, one after the other.
struct Block {
  SparseRows rows;
  double worst_distance = -1;
  std::uint32_t worst_vertex = 0;
  std::uint64_t dropped = 0;
};

Block bind_block(std::span<const glm::vec3> positions, std::span<const float> mask, std::size_t begin, std::size_t end,
                 const Settings& settings) {
  Block block;
  Workspace work;
  double hint = std::numeric_limits<double>::infinity();
  glm::dvec3 before(0);
  for (std::size_t i = begin; i < end; ++i) {
    if (mask[i] == 0) {
      block.rows.append_row({});
      continue;
    }
    const glm::dvec3 p(positions[i]);
    // What was within r of the vertex before is within r + the step of this one.
    if (!work.nearest.empty()) hint = std::sqrt(work.nearest.back().squared_distance) + glm::distance(p, before);
    before = p;
    const double distance = bind_vertex(p, hint, settings, work, block.rows, block.dropped);
    if (distance > block.worst_distance) {
      block.worst_distance = distance;
      block.worst_vertex = static_cast<std::uint32_t>(i);
    }
  }
  return block;
}

MeshBinding bind_mesh(const Mesh& mesh, std::span<const float> mask, const Settings& settings, unsigned threads,
                      const std::function<void(double)>& progress) {
  MeshBinding binding;
  const std::size_t count = mesh.positions.size();
  const std::size_t block_count = (count + kBlockVertices - 1) / kBlockVertices;
  std::vector<Block> blocks;
  for (std::size_t first = 0; first < block_count; first += kBlocksPerProgress) {
    blocks.assign(std::min(kBlocksPerProgress, block_count - first), {});
    parallel_for(blocks.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        const std::size_t vertex = (first + b) * kBlockVertices;
        blocks[b] = bind_block(mesh.positions, mask, vertex, std::min(vertex + kBlockVertices, count), settings);
      }
    });
    for (const Block& block : blocks) {
      for (std::size_t i = 0; i < block.rows.row_count(); ++i) binding.rows.append_row(block.rows.row(i));
      binding.dropped_elements += block.dropped;
      if (block.worst_distance > binding.worst_distance) {
        binding.worst_distance = block.worst_distance;
        binding.worst_vertex = block.worst_vertex;
      }
    }
    progress(static_cast<double>(first + blocks.size()) / static_cast<double>(block_count));
  }
  return binding;
}

tl::unexpected<Error> invalid(const DeformerInput& input, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument, fmt::format("{}: {}", input.layer, why));
}

}  // namespace

Result<std::vector<MeshBinding>> bind(const SurfaceFfdParameters& parameters, const DeformerInput& input) {
  if (!(std::isfinite(parameters.local) && parameters.local >= 0)) {
    return invalid(input, fmt::format("local is {}, but must be at least 0", parameters.local));
  }
  if (parameters.distance_unit && !(std::isfinite(*parameters.distance_unit) && *parameters.distance_unit > 0)) {
    return invalid(input, fmt::format("the distance unit is {}, but must be above 0", *parameters.distance_unit));
  }
  const Result<Driver> driver = add_driver(parameters.driver, input);
  if (!driver) return tl::unexpected(driver.error());
  const Elements elements = find_elements(driver->mesh);
  if (elements.triangles.empty()) {
    return invalid(input, fmt::format("the driver '{}' has no triangle with area", driver->mesh.name));
  }
  if (elements.degenerate > 0) {
    input.notes.push_back(fmt::format("{}: {} of the {} triangles of the driver '{}' have no area and move nothing",
                                      input.layer, elements.degenerate, driver->mesh.triangles.size(),
                                      driver->mesh.name));
  }
  const Result<TriangleTree> tree = TriangleTree::create(driver->mesh.positions, elements.triangles);
  if (!tree) return invalid(input, fmt::format("the driver '{}': {}", driver->mesh.name, tree.error().message));

  const bool extended = parameters.mode == SurfaceFfdParameters::Mode::kExtended;
  std::size_t kept_elements = parameters.elements;
  if (!extended && parameters.raise_elements && kept_elements != 0) {
    const std::size_t valence = largest_valence(driver->mesh.positions.size(), elements.triangles);
    if (valence > kept_elements) {
      input.notes.push_back(
          fmt::format("{}: {} elements a vertex instead of {}, since that many triangles of the driver '{}' meet at "
                      "one vertex and a "
                      "cut among them would jump",
                      input.layer, valence, kept_elements, driver->mesh.name));
      kept_elements = valence;
    }
  }
  const double unit = parameters.distance_unit ? static_cast<double>(*parameters.distance_unit)
                                               : mean_edge_length(driver->mesh, elements.triangles);
  const std::uint32_t first_slot =
      extended ? input.builder.frame_slots(driver->control_mesh)
               : input.builder.add_pass(
                     PoseKernel::kSurfaceFfd, static_cast<std::uint32_t>(elements.triangles.size()),
                     make_records(driver->mesh, elements.triangles, input.builder.first_vertex(driver->control_mesh)));
  const Settings settings{*tree, elements.triangles.size(), kept_elements, parameters.cut,
                          unit,  parameters.local,          extended,      first_slot};

  std::vector<MeshBinding> bindings;
  for (const DeformerTarget& target : input.targets) {
    const double done = static_cast<double>(bindings.size());
    const auto progress = [&](double fraction) {
      input.progress((done + fraction) / static_cast<double>(input.targets.size()));
    };
    bindings.push_back(bind_mesh(input.model.meshes[target.mesh], target.mask, settings, input.threads, progress));
  }
  return bindings;
}

}  // namespace pelt::surface_ffd
