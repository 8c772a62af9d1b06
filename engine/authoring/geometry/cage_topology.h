// SPDX-License-Identifier: MIT
// The topology of a control cage for Catmull-Clark subdivision by OpenSubdiv.
#pragma once

#include <opensubdiv/far/topologyRefiner.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <pelt/result.h>

namespace pelt {

// An edge that stays sharp for this many levels of subdivision; 10 or more: always.
struct SharpEdge {
  std::uint32_t from;
  std::uint32_t to;
  float sharpness;
};

struct CageTopology {
  std::size_t point_count;
  std::span<const std::vector<std::uint32_t>> faces;  // points of each face, in order
  std::span<const SharpEdge> creases;
};

// Returns the topology, not refined. Boundary edges and their corners are sharp, so that the surface spans an open
// cage. Errors: kInvalidArgument, beginning with `what`: there is no face, or too many; the others name the face or
// edge: fewer than 3 corners, a point that does not exist or is in it twice, an edge of more than two faces or of two
// that wind in opposite directions, a point with too many faces, a crease along no edge.
Result<std::unique_ptr<OpenSubdiv::Far::TopologyRefiner>> cage_topology(const CageTopology& cage,
                                                                        const std::string& what);

}  // namespace pelt
