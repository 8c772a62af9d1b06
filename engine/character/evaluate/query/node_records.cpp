// SPDX-License-Identifier: MIT
#include "engine/character/evaluate/query/node_records.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/character/rows/packed_row.h"

namespace pelt {
namespace {

constexpr std::uint32_t kNone = ~0u;

// Nodes with more records have no box: testing their children is cheaper.
constexpr std::size_t kMostRecords = 64;
constexpr std::size_t kMostDualRecords = 16;
// If a mesh has movers, nodes with more entries use them.
constexpr std::size_t kMostEntries = 24;

// The most entries of a mover, if a mesh has more than a few, and the diagonal of what they move, relative to the
// mesh's.
constexpr std::size_t kFewEntries = 256;
constexpr std::uint32_t kMoverEntries = 16;
constexpr float kLargestPart = 0.125f;

}  // namespace

template <class Visit>
void NodeRecords::for_each_entry(std::uint32_t v, const Visit& visit) const {
  const PackedBinding& binding = mesh_.binding;
  for_each_influence(binding, v, [&](std::uint32_t word, std::size_t group, std::size_t) {
    glm::vec4 local(binding.points[v], 1);
    if (mesh_.mode == BlendMode::kOffsets) local = binding.local_points[group * binding.points.size() + v];
    if (local.w != 0) visit(shared::influence_index(word), glm::vec3(local), shared::influence_weight(word));
  });
}

NodeRecords::NodeRecords(const CharacterMesh& mesh, SkinIndex::Data& index)
    : mesh_(mesh), index_(index), is_dual_(mesh.mode == BlendMode::kDualQuaternion) {
  std::vector<PointBox> parts;  // per palette index: what it moves
  PointBox all;
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    all.add(mesh.binding.points[v]);
    for_each_entry(v, [&](std::uint32_t entry, glm::vec3 point, float) {
      if (entry >= parts.size()) parts.resize(entry + 1);
      parts[entry].add(point);
    });
  }
  const auto is_used = [](const PointBox& part) { return part.least.x <= part.greatest.x; };
  const auto used = static_cast<std::size_t>(std::ranges::count_if(parts, is_used));
  places_.resize(parts.size(), kNone);
  // Local points of their own have no common space.
  if (used <= kFewEntries || is_dual_ || mesh.mode == BlendMode::kOffsets) return;
  movers_.resize(parts.size());
  const float longest = kLargestPart * all.diagonal();
  for (std::uint32_t first = 0, last = 0; first < parts.size(); first = last) {
    PointBox part = parts[first];
    for (last = first + 1; last < parts.size() && last - first < kMoverEntries; ++last) {
      PointBox with = part;
      with.add(parts[last]);
      if (!is_used(part) || !is_used(parts[last]) || with.diagonal() > longest) break;
      part = with;
    }
    for (std::uint32_t entry = first; entry < last; ++entry)
      movers_[entry] = static_cast<std::uint32_t>(index.movers.size());
    index.movers.push_back({mesh.first_entry + first, last - first, part.middle()});
  }
  places_.resize(std::max(places_.size(), index.movers.size()), kNone);
}

// Collects the records of a node, of entries or of movers; false if there are too many.
bool NodeRecords::collect(std::span<const std::uint32_t> vertices) {
  if (is_dual_) return collect(vertices, kMostDualRecords, false);
  if (collect(vertices, movers_.empty() ? kMostRecords : kMostEntries, false)) return true;
  if (movers_.empty()) return false;
  forget();
  return collect(vertices, kMostRecords, true);
}

bool NodeRecords::collect(std::span<const std::uint32_t> vertices, std::size_t most, bool by_movers) {
  by_movers_ = by_movers;
  for (const std::uint32_t v : vertices) {
    for_each_entry(v, [&](std::uint32_t entry, glm::vec3 point, float weight) {
      const std::uint32_t number = by_movers ? movers_[entry] : entry;
      std::uint32_t& place = places_[number];
      if (place == kNone) {
        place = static_cast<std::uint32_t>(records_.size());
        records_.push_back({.number = number});
      }
      records_[place].points.add(point);
      records_[place].sum += weight;
    });
    if (records_.size() > most) return false;
  }
  return true;
}

void NodeRecords::forget() {
  for (const Record& record : records_) places_[record.number] = kNone;
  records_.clear();
}

std::size_t NodeRecords::count(std::span<const std::uint32_t> vertices) {
  const std::size_t count = collect(vertices) ? records_.size() : 0;
  forget();
  return count;
}

void NodeRecords::add_changes(std::span<const std::uint32_t> vertices, SkinIndex::Data::Dual& dual) {
  const auto count = static_cast<float>(vertices.size());
  for (const std::uint32_t v : vertices) {
    for (Record& record : records_) record.weight = 0;
    for_each_entry(v, [&](std::uint32_t entry, glm::vec3, float weight) { records_[places_[entry]].weight += weight; });
    float sum = 0;
    std::uint32_t entries = 0;
    for (Record& record : records_) {
      const float change = std::abs(record.weight - record.sum / count);
      record.change = std::max(record.change, change);
      sum += change;
      entries += record.weight > 0 ? 1 : 0;
    }
    dual.change = std::max(dual.change, sum);
    dual.entries = std::max(dual.entries, entries);
  }
}

void NodeRecords::append(std::span<const std::uint32_t> vertices, SkinIndex::Data::Node& node) {
  collect(vertices);
  node.by_movers = by_movers_;
  node.record_count = static_cast<std::uint32_t>(records_.size());
  if (is_dual_) {
    PointBox box;
    for (const std::uint32_t v : vertices) box.add(mesh_.binding.points[v]);
    SkinIndex::Data::Dual dual{.middle = box.middle(), .reach = box.reach(), .change = 0, .entries = 0};
    add_changes(vertices, dual);
    node.dual = static_cast<std::uint32_t>(index_.duals.size());
    node.first_record = static_cast<std::uint32_t>(index_.turned.size());
    index_.duals.push_back(dual);
    const auto count = static_cast<float>(vertices.size());
    for (const Record& record : records_)
      index_.turned.push_back({mesh_.first_entry + record.number, record.sum / count, record.change});
  } else {
    node.first_record = static_cast<std::uint32_t>(index_.moved.size());
    for (const Record& record : records_) {
      const glm::vec3 middle = record.points.middle(), reach = record.points.reach();
      SkinIndex::Data::Moved moved{middle, mesh_.first_entry + record.number, reach};
      if (by_movers_) {
        moved.number = record.number;
        moved.from_middle =
            1.00001f * (glm::distance(middle, index_.movers[record.number].middle) + glm::length(reach));
      }
      index_.moved.push_back(moved);
    }
    const std::span<const glm::vec4> points = group_points(mesh_.binding);
    for (const std::uint32_t v : vertices) {
      float negative = 0;
      for (std::size_t at = v; at < points.size(); at += mesh_.vertex_count()) negative -= std::min(points[at].w, 0.0f);
      node.negative = std::max(node.negative, negative);
    }
  }
  forget();
}

}  // namespace pelt
