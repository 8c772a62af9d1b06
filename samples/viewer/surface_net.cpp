// SPDX-License-Identifier: MIT
#include "samples/viewer/surface_net.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include <pelt/tools/index_ranges.h>
#include <pelt/tools/inspect.h>
#include <pelt/try.h>

namespace pelt::viewer {
namespace {

using hierarchical_bspline::SurfaceVertex;
using hierarchical_bspline::SurfaceVertices;

// Finds the control meshes of the levels that store vertices. Returns false if they have other numbers of vertices.
bool place_levels(const CharacterData& character, const BindReport& report, Net& net) {
  std::size_t first = 0;
  std::vector<const CharacterMesh*> meshes;
  for (const MeshReport& mesh : report.meshes) {
    if (mesh.is_driver_of(net.layer)) meshes.push_back(find_mesh(character, mesh.mesh));
  }
  for (std::uint32_t level = 0; level < net.surface.grids.size(); ++level) {
    const std::size_t count = net.surface.grids[level].stored;
    if (count == 0) continue;
    if (net.levels.size() == meshes.size()) return false;
    const CharacterMesh* mesh = meshes[net.levels.size()];
    if (mesh == nullptr || mesh->vertex_count() != count) return false;
    net.levels.push_back({level, mesh, std::span(net.surface.vertices).subspan(first, count)});
    first += count;
  }
  return net.levels.size() == meshes.size();
}

// Removes the vertex from every attachment of its level, and attachments that become empty.
void detach(SurfaceLevel& level, std::uint32_t number) {
  for (SurfaceAttachment& attachment : level.attach) {
    std::set<std::uint32_t> numbers = numbers_of(attachment.vertices);
    if (numbers.erase(number) > 0) attachment.vertices = ranges_of(numbers);
  }
  std::erase_if(level.attach, [](const SurfaceAttachment& attachment) { return attachment.vertices.empty(); });
}

struct KnownSurface {
  HierarchicalBsplineParameters parameters;
  std::shared_ptr<const Result<SurfaceVertices>> vertices;
};
constexpr std::size_t kMaxKnown = 4;

}  // namespace

Result<SurfaceLevel*> level_of(Rig& rig, const ControlVertex& place) {
  auto* surface = place.layer < rig.layers.size()
                      ? rig.layers[place.layer].deformer.get_if<HierarchicalBsplineParameters>()
                      : nullptr;
  if (surface != nullptr && surface->levels.empty()) surface->levels.emplace_back();
  if (surface == nullptr || place.level >= surface->levels.size()) {
    return fail(ErrorCode::kNotFound,
                fmt::format("layer {} of the rig no longer has a surface with a level {}", place.layer, place.level));
  }
  return &surface->levels[place.level];
}

std::set<std::uint32_t> numbers_of(const std::vector<IndexRange>& ranges) {
  std::set<std::uint32_t> numbers;
  for (const IndexRange range : ranges) {
    for (std::uint32_t number = range.first; number <= range.last; ++number) numbers.insert(number);
  }
  return numbers;
}

std::vector<IndexRange> ranges_of(const std::set<std::uint32_t>& numbers) {
  std::vector<IndexRange> ranges;
  for (const std::uint32_t number : numbers) append_index(ranges, number);
  return ranges;
}

void store(SurfaceLevel& level, std::uint32_t number) {
  const auto after = std::ranges::lower_bound(level.offsets, number, {}, &VertexOffset::vertex);
  if (after == level.offsets.end() || after->vertex != number) level.offsets.insert(after, {number, glm::vec3(0.0f)});
}

std::shared_ptr<const Result<SurfaceVertices>> vertices_of(HierarchicalBsplineParameters parameters) {
  for (SurfaceLevel& level : parameters.levels) {
    for (VertexOffset& move : level.moves) move.offset = glm::vec3(0.0f);
  }
  static thread_local std::vector<KnownSurface> known;  // the newest last
  const auto same = std::ranges::find(known, parameters, &KnownSurface::parameters);
  if (same != known.end()) return same->vertices;
  if (known.size() == kMaxKnown) known.erase(known.begin());
  known.push_back({parameters, std::make_shared<const Result<SurfaceVertices>>(
                                   hierarchical_bspline::surface_vertices(parameters))});
  return known.back().vertices;
}

std::vector<Net> nets_of(const CharacterData& character, const BindReport& report, const Rig& rig) {
  std::vector<Net> nets;
  for (std::uint32_t layer = 0; layer < rig.layers.size(); ++layer) {
    const auto* own = rig.layers[layer].deformer.get_if<HierarchicalBsplineParameters>();
    if (own == nullptr) continue;
    const auto surface = vertices_of(*own);
    if (!*surface) continue;
    Net net{layer, **surface, {}};
    if (place_levels(character, report, net)) nets.push_back(std::move(net));
  }
  return nets;
}

std::string net_vertex_name(const std::string& mesh, std::uint32_t number) {
  return fmt::format("{} vertex {}", mesh, number);
}

std::string net_level_name(const std::string& base, std::uint32_t level) {
  return level == 0 ? base : fmt::format("{} level {}", base, level);
}

Result<Rig> with_attached(Rig rig, std::span<const ControlVertex> vertices, const SurfaceAttachment& to) {
  for (const ControlVertex& vertex : vertices) {
    PELT_ASSIGN(SurfaceLevel* const level, level_of(rig, vertex));
    detach(*level, vertex.number);
    auto own = std::ranges::find_if(level->attach, [&](const SurfaceAttachment& known) {
      SurfaceAttachment same = to;
      same.vertices = known.vertices;
      return same == known;
    });
    if (own == level->attach.end()) {
      level->attach.push_back(to);
      own = std::prev(level->attach.end());
      own->vertices.clear();
    }
    std::set<std::uint32_t> numbers = numbers_of(own->vertices);
    numbers.insert(vertex.number);
    own->vertices = ranges_of(numbers);
  }
  return rig;
}

Result<Rig> with_detached(Rig rig, std::span<const ControlVertex> vertices) {
  for (const ControlVertex& vertex : vertices) {
    PELT_ASSIGN(SurfaceLevel* const level, level_of(rig, vertex));
    detach(*level, vertex.number);
    if (vertex.level > 0) store(*level, vertex.number);
  }
  return rig;
}

Result<Rig> with_refined(Rig rig, std::span<const ControlVertex> vertices, std::vector<ControlVertex>& round) {
  for (const ControlVertex& vertex : vertices) {
    PELT_TRY(level_of(rig, vertex));
    auto& surface = rig.layers[vertex.layer].deformer.get<HierarchicalBsplineParameters>();
    PELT_ASSIGN(const auto known, hierarchical_bspline::surface_vertices(surface));
    PELT_ASSIGN(const auto numbers, hierarchical_bspline::refined_round(surface, vertex.level, vertex.number));
    const std::uint32_t next = vertex.level + 1;
    if (next == surface.levels.size()) surface.levels.emplace_back();
    for (const std::uint32_t number : numbers) {
      const bool is_stored = std::ranges::any_of(
          known.vertices, [&](const SurfaceVertex& own) { return own.level == next && own.number == number; });
      if (!is_stored) store(surface.levels[next], number);
      const ControlVertex place{vertex.layer, next, number};
      if (std::ranges::find(round, place) == round.end()) round.push_back(place);
    }
  }
  return rig;
}

}  // namespace pelt::viewer
