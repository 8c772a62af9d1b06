// SPDX-License-Identifier: MIT
// Catmull-Clark subdivision of a polygon mesh of any topology (Catmull and Clark 1978), by OpenSubdiv. Vertices of a
// level keep their numbers on the next one; those of its edges and faces come after them.
#pragma once

#include <memory>
#include <string>

#include <pelt/hierarchical_bspline.h>
#include <pelt/result.h>

#include "engine/authoring/geometry/cage_topology.h"
#include "engine/authoring/hierarchical_bspline/topology.h"

namespace pelt::hierarchical_bspline {

class Subdivision : public Topology {
 public:
  // Makes levels 0 to `finest` over the control mesh of the parameters. Errors: those of cage_topology, and of
  // refine_to.
  static Result<std::unique_ptr<Subdivision>> create(const HierarchicalBsplineParameters& parameters,
                                                     std::uint32_t finest, const std::string& what);

  // Makes further levels. Errors: kInvalidArgument, a level of more than 2^20 vertices.
  Result<void> refine_to(std::uint32_t level);

  std::uint32_t size(std::uint32_t level) const override {
    return static_cast<std::uint32_t>(levels_[level].limit.size());
  }
  std::vector<std::pair<std::uint32_t, double>> refinement(std::uint32_t level, std::uint32_t next) const override {
    return levels_[level + 1].refinement[next];
  }
  std::uint32_t child(std::uint32_t, std::uint32_t number) const override { return number; }
  std::vector<Share> limit(std::uint32_t level, std::uint32_t number,
                           std::span<const glm::dvec3> control) const override;
  Polygons faces(std::uint32_t level) const override { return levels_[level].faces; }
  std::vector<std::uint32_t> refined_round(std::uint32_t level, std::uint32_t number) const override;

  std::size_t face_count(std::uint32_t level) const { return levels_[level].faces.size(); }
  std::span<const std::uint32_t> face(std::uint32_t level, std::uint32_t number) const {
    return levels_[level].faces[number];
  }
  // Returns the faces of the next level that a face of a level is split into. Precondition: that level exists.
  std::span<const std::uint32_t> parts(std::uint32_t level, std::uint32_t face) const {
    return levels_[level].parts[face];
  }

 private:
  struct Level {
    std::vector<std::vector<std::pair<std::uint32_t, double>>> refinement;  // of each vertex; empty on level 0
    std::vector<std::vector<Share>> limit;
    Polygons faces;
    Polygons parts;  // of each face, on the next level; empty on the last
  };

  std::string what_;
  Polygons faces_;
  std::vector<SharpEdge> creases_;
  std::size_t point_count_ = 0;
  std::vector<Level> levels_;
};

}  // namespace pelt::hierarchical_bspline
