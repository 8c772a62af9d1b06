// SPDX-License-Identifier: MIT
#include "engine/authoring/geometry/cage_topology.h"

#include <opensubdiv/far/topologyDescriptor.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include <pelt/try.h>

#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

namespace Far = OpenSubdiv::Far;
namespace Sdc = OpenSubdiv::Sdc;

constexpr std::size_t kMaxCorners = 1000;  // per face

Result<void> check(const CageTopology& cage, const std::string& what) {
  const auto& [point_count, faces, creases] = cage;
  if (faces.empty()) return invalid("{}: there is no face", what);
  if (point_count > std::numeric_limits<int>::max() || faces.size() > std::numeric_limits<int>::max() / kMaxCorners) {
    return invalid("{}: too many points ({}) or faces ({})", what, point_count, faces.size());
  }
  struct Edge {
    std::uint32_t low, high;
    bool ascends;
    std::uint32_t face;
  };
  std::vector<Edge> edges;
  for (std::uint32_t f = 0; f < faces.size(); ++f) {
    const std::vector<std::uint32_t>& face = faces[f];
    if (face.size() < 3 || face.size() > kMaxCorners) {
      return invalid("{}: face {} has {} corners, but 3 to {} are allowed", what, f, face.size(), kMaxCorners);
    }
    for (std::size_t c = 0; c < face.size(); ++c) {
      if (face[c] >= point_count)
        return invalid("{}: face {} has the point {}, but there are {}", what, f, face[c], point_count);
      const std::uint32_t next = face[(c + 1) % face.size()];
      edges.push_back({std::min(face[c], next), std::max(face[c], next), face[c] < next, f});
    }
    std::vector<std::uint32_t> sorted = face;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::ranges::adjacent_find(sorted);
    if (twice != sorted.end()) return invalid("{}: face {} has the point {} twice", what, f, *twice);
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& a, const Edge& b) {
    return std::tie(a.low, a.high, a.face) < std::tie(b.low, b.high, b.face);
  });
  const auto same = [](const Edge& a, const Edge& b) { return a.low == b.low && a.high == b.high; };
  for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
    const Edge& a = edges[e];
    const Edge& b = edges[e + 1];
    if (!same(a, b)) continue;
    if (e + 2 < edges.size() && same(a, edges[e + 2])) {
      return invalid("{}: the edge from point {} to {} belongs to more than two faces: {}, {} and {}", what, a.low,
                     a.high, a.face, b.face, edges[e + 2].face);
    }
    if (a.ascends == b.ascends) {
      return invalid("{}: the faces {} and {} wind in opposite directions at the edge from point {} to {}", what,
                     a.face, b.face, a.low, a.high);
    }
  }
  for (const SharpEdge& crease : creases) {
    const std::pair<std::uint32_t, std::uint32_t> ends = std::minmax(crease.from, crease.to);
    const bool is_edge =
        std::ranges::binary_search(edges, ends, {}, [](const Edge& edge) { return std::pair(edge.low, edge.high); });
    if (!is_edge) return invalid("{}: a crease follows no edge: from point {} to {}", what, crease.from, crease.to);
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<Far::TopologyRefiner>> cage_topology(const CageTopology& cage, const std::string& what) {
  PELT_TRY(check(cage, what));
  std::vector<int> sizes;
  std::vector<int> corners;
  for (const std::vector<std::uint32_t>& face : cage.faces) {
    sizes.push_back(static_cast<int>(face.size()));
    corners.insert(corners.end(), face.begin(), face.end());
  }
  std::vector<int> sharp_edges;
  std::vector<float> sharpness;
  for (const SharpEdge& crease : cage.creases) {
    sharp_edges.insert(sharp_edges.end(), {static_cast<int>(crease.from), static_cast<int>(crease.to)});
    sharpness.push_back(std::min(crease.sharpness, Sdc::Crease::SHARPNESS_INFINITE));
  }
  Far::TopologyDescriptor topology;
  topology.numVertices = static_cast<int>(cage.point_count);
  topology.numFaces = static_cast<int>(sizes.size());
  topology.numVertsPerFace = sizes.data();
  topology.vertIndicesPerFace = corners.data();
  topology.numCreases = static_cast<int>(sharpness.size());
  topology.creaseVertexIndexPairs = sharp_edges.data();
  topology.creaseWeights = sharpness.data();
  Sdc::Options rules;
  rules.SetVtxBoundaryInterpolation(Sdc::Options::VTX_BOUNDARY_EDGE_AND_CORNER);
  using Factory = Far::TopologyRefinerFactory<Far::TopologyDescriptor>;
  std::unique_ptr<Far::TopologyRefiner> refiner(Factory::Create(topology, {Sdc::SCHEME_CATMARK, rules}));
  if (!refiner) return invalid("{}: a point belongs to too many faces to subdivide", what);
  return refiner;
}

}  // namespace pelt
