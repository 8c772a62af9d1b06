// SPDX-License-Identifier: MIT
#include "engine/surface_ffd/bind.h"

#include <fmt/format.h>
#include <meshoptimizer.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
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

constexpr std::size_t kBlockVertices = 256;    // close together: that one thread binds in a row
constexpr std::size_t kBatchVertices = 32768;  // between two calls of progress

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
  std::size_t driver_vertices;
};

// What a thread reuses from vertex to vertex.
struct Workspace {
  explicit Workspace(const Settings& settings) : sums(settings.extended ? settings.driver_vertices : 0) {}

  std::vector<glm::dvec3> points;
  std::vector<WeightedElement> weights;
  std::vector<WeightedElement> row;
  WeightSums sums;  // by driver vertex
};

// x^exponent, x >= 0. The default's exponent is 2, and pow would take a sixth of the time that bind takes.
double power(double x, double exponent) { return exponent == 2 ? x * x : std::pow(x, exponent); }

// w_k / w_0 of elements sorted by distance; indices are places in `near`.
void relative_weights(std::span<const TriangleTree::NearPoint> near, const Settings& settings,
                      std::vector<WeightedElement>& weights) {
  constexpr double kMostPower = 1e300;
  const auto powered = [&](const TriangleTree::NearPoint& element) {
    return power(element.closest.squared_distance / (settings.unit * settings.unit), 0.5 * settings.local);
  };
  const auto count = static_cast<std::uint32_t>(near.size());
  weights.resize(count);
  if (powered(near.back()) < kMostPower) {
    const double first = 1 + powered(near.front());
    for (std::uint32_t i = 0; i < count; ++i) weights[i] = {i, first / (1 + powered(near[i]))};
    return;
  }
  const auto logarithm = [&](const TriangleTree::NearPoint& element) {
    return log_weight(std::sqrt(element.closest.squared_distance), settings.unit, settings.local);
  };
  const double largest = logarithm(near.front());
  for (std::uint32_t i = 0; i < count; ++i) weights[i] = {i, std::exp(logarithm(near[i]) - largest)};
}

// The row of one vertex, appended. `near`: the K + 1 nearest elements, or all; the K largest weights are those of the
// K nearest, and the next one is what the continuous cut subtracts. Returns how many elements the cut left out.
std::size_t bind_vertex(std::span<const TriangleTree::NearPoint> near, const Settings& settings, Workspace& work,
                        SparseRows& rows) {
  relative_weights(near, settings, work.weights);
  cut_row(work.weights, settings.kept_elements, settings.cut);
  if (settings.extended) {
    // s_j = sum over k of u_k b_kj, b the barycentric coordinates of the closest point of k.
    for (const auto& [i, u] : work.weights) {
      const ClosestPoint& closest = near[i].closest;
      for (int corner = 0; corner < 3; ++corner) work.sums.add(closest.vertices[corner], u * closest.weights[corner]);
    }
    work.sums.take(settings.first_slot, work.row);
  } else {
    work.row.clear();
    for (const auto& [i, u] : work.weights) work.row.push_back({settings.first_slot + near[i].triangle, u});
  }
  append_distinct_row(rows, work.row);
  return settings.element_count - work.weights.size();
}

// Vertices that one thread binds, one after the other.
struct Block {
  SparseRows rows;  // in the block's order
  double worst_distance = -1;
  std::uint32_t worst_vertex = 0;
  std::uint64_t dropped = 0;

  void take_worst(double distance, std::uint32_t vertex) {
    if (distance < worst_distance || (distance == worst_distance && vertex > worst_vertex)) return;
    worst_distance = distance;
    worst_vertex = vertex;
  }
};

void bind_block(std::span<const glm::vec3> positions, std::span<const std::uint32_t> vertices, const Settings& settings,
                Workspace& work, Block& block) {
  work.points.clear();
  for (const std::uint32_t v : vertices) work.points.emplace_back(positions[v]);
  const std::size_t wanted = settings.kept_elements == 0 ? settings.element_count : settings.kept_elements + 1;
  settings.tree.nearest(work.points, wanted, [&](std::size_t i, std::span<const TriangleTree::NearPoint> near) {
    block.take_worst(std::sqrt(near[0].closest.squared_distance), vertices[i]);
    block.dropped += bind_vertex(near, settings, work, block.rows);
  });
}

// The vertices [begin, end) at which the layer shows, in an order in which neighbours lie close together.
std::vector<std::uint32_t> shown_vertices(std::span<const glm::vec3> positions, std::span<const float> mask,
                                          std::size_t begin, std::size_t end) {
  std::vector<std::uint32_t> vertices;
  std::vector<glm::vec3> points;
  for (std::size_t v = begin; v < end; ++v) {
    if (mask[v] == 0) continue;
    vertices.push_back(static_cast<std::uint32_t>(v));
    points.push_back(positions[v]);
  }
  if (vertices.empty()) return vertices;
  std::vector<unsigned> places(points.size());
  meshopt_spatialSortRemap(places.data(), &points[0].x, points.size(), sizeof(glm::vec3));
  std::vector<std::uint32_t> sorted(vertices.size());
  for (std::size_t i = 0; i < places.size(); ++i) sorted[places[i]] = vertices[i];
  return sorted;
}

// Room for rows that go on as they began, so that they need not be moved as they grow.
void reserve_rows(SparseRows& rows, std::size_t more, std::size_t done, std::size_t count) {
  const std::size_t needed = rows.influences.size() + more;
  if (needed <= rows.influences.capacity()) return;
  const double all = static_cast<double>(needed) * static_cast<double>(count) / static_cast<double>(done);
  rows.influences.reserve(std::max(needed, static_cast<std::size_t>(1.05 * all)));
}

Result<MeshBinding> bind_mesh(const Mesh& mesh, std::span<const float> mask, const Settings& settings, unsigned threads,
                              const std::function<void(double)>& progress) {
  MeshBinding binding;
  const std::size_t count = mesh.positions.size();
  binding.rows.offsets.reserve(count + 1);
  std::vector<Block> blocks;
  std::vector<std::size_t> places(kBatchVertices);  // of the batch's vertices in the order they are bound in
  Block worst;
  for (std::size_t begin = 0; begin < count; begin += kBatchVertices) {
    const std::size_t end = std::min(begin + kBatchVertices, count);
    const std::vector<std::uint32_t> vertices = shown_vertices(mesh.positions, mask, begin, end);
    for (std::size_t i = 0; i < vertices.size(); ++i) places[vertices[i] - begin] = i;
    blocks.assign((vertices.size() + kBlockVertices - 1) / kBlockVertices, {});
    parallel_for(blocks.size(), 1, threads, [&](std::size_t first, std::size_t last) {
      Workspace work(settings);
      for (std::size_t b = first; b < last; ++b) {
        const std::size_t at = b * kBlockVertices;
        const std::size_t length = std::min(kBlockVertices, vertices.size() - at);
        bind_block(mesh.positions, std::span(vertices).subspan(at, length), settings, work, blocks[b]);
      }
    });
    std::size_t influences = 0;
    for (const Block& block : blocks) {
      influences += block.rows.influences.size();
      binding.dropped_elements += block.dropped;
      worst.take_worst(block.worst_distance, block.worst_vertex);
    }
    if (binding.rows.influences.size() + influences > std::numeric_limits<std::uint32_t>::max()) {
      return fail(
          ErrorCode::kUnsupported,
          fmt::format("mesh '{}' has more influences than 32 bits count; keep fewer elements a vertex", mesh.name));
    }
    reserve_rows(binding.rows, influences, end, count);
    for (std::size_t v = begin; v < end; ++v) {
      const std::size_t place = places[v - begin];
      binding.rows.append_row(mask[v] == 0 ? std::span<const Influence>{}
                                           : blocks[place / kBlockVertices].rows.row(place % kBlockVertices));
    }
    progress(static_cast<double>(end) / static_cast<double>(count));
  }
  binding.worst_distance = std::max(worst.worst_distance, 0.0);
  binding.worst_vertex = worst.worst_vertex;
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
  const Settings settings{
      *tree,      elements.triangles.size(),    kept_elements, parameters.cut, unit, parameters.local, extended,
      first_slot, driver->mesh.positions.size()};

  std::vector<MeshBinding> bindings;
  for (const DeformerTarget& target : input.targets) {
    const double done = static_cast<double>(bindings.size());
    const auto progress = [&](double fraction) {
      input.progress((done + fraction) / static_cast<double>(input.targets.size()));
    };
    Result<MeshBinding> binding =
        bind_mesh(input.model.meshes[target.mesh], target.mask, settings, input.threads, progress);
    if (!binding) return fail(binding.error().code, fmt::format("{}: {}", input.layer, binding.error().message));
    bindings.push_back(std::move(*binding));
  }
  return bindings;
}

}  // namespace pelt::surface_ffd
