// SPDX-License-Identifier: MIT
// Slides control points of a bound character, for an artist who drags one.
#include <algorithm>
#include <bit>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <pelt/finite.h>
#include <pelt/mos.h>

#include "engine/authoring/mos/bind.h"
#include "engine/authoring/mos/edits.h"
#include "engine/authoring/mos/table.h"
#include "engine/character/kernels/mos.h"
#include "engine/character/records.h"

namespace pelt::mos {
namespace {

// Returns true if a slide only moves the posed points, so that bind does not depend on its distance.
bool slides_after_bind(const MosEdit& edit) {
  return edit.operation == MosOperation::kSlide && (edit.driver || !edit.in_bind);
}

// Sets the edits of the point at `word`; returns false if it was bound with others.
bool set_edits(std::vector<std::uint32_t>& table, std::uint32_t word, std::span<const MosEdit* const> edits) {
  std::uint32_t at = table[word + shared::kMosPointEdits + 1];
  std::uint32_t count = table[word + shared::kMosPointEdits];
  // Skips the edits of the point itself, which come first.
  for (; count > 0 && table[at] >= shared::kMosOutward; --count) at += shared::kMosEditWords;
  if (count != edits.size()) return false;
  const shared::PoseWork work = table_work(table);
  const glm::dmat3 axes = glm::inverse(glm::dmat3(shared::table_matrix(work, word + shared::kMosPointMotion)));
  for (const MosEdit* edit : edits) {
    if (table[at] != operation_word(edit->operation)) return false;
    const std::uint32_t values = at + shared::kMosEditValues;
    if (slides_after_bind(*edit)) {
      table[values] = std::bit_cast<std::uint32_t>(edit->distance);
      for (int c = 0; c < 3; ++c) {
        const auto offset = static_cast<float>(offset_along(glm::length(axes[c]), edit->offset[c]));
        table[values + 3 + static_cast<std::uint32_t>(c)] = std::bit_cast<std::uint32_t>(offset);
      }
    }
    at += shared::kMosEditWords;
  }
  return true;
}

// Returns the character that bind would make if its one layer of MOS had these `edits`, which may differ from those of
// the bind only in the distances and offsets of edits that slide after bind; none if the character was bound with
// others, or they are too large. The result equals that of bind, except for rounding in the changed data and for
// CharacterData::rig. It takes as long as a copy of the character and its validation.
std::optional<Character> slide_points(const Character& character, std::span<const PointReport> points,
                                      std::span<const MosEdit> edits) {
  const bool near =
      std::ranges::all_of(edits, [](const MosEdit& edit) { return is_near(edit.offset) && is_near(edit.distance); });
  if (!near) return std::nullopt;
  CharacterData data = *character;
  std::vector<bool> taken(points.size(), false);
  std::size_t next = 0;  // first guess: the report follows the tables, except for points that move nothing
  for (PalettePass& pass : data.passes) {
    if (!has_points(pass)) continue;
    std::vector<const MosEdit*> point_edits;
    for (const std::uint32_t word : point_words(pass)) {
      bool known = false;
      const shared::PoseWork work = table_work(pass.table);
      const glm::vec3 rest = shared::table_vector(work, word + shared::kMosPointRest);
      for (std::size_t k = 0; !known && k < points.size(); ++k) {
        const std::size_t p = (next + k) % points.size();
        const PointReport& point = points[p];
        if (taken[p] || point.joint != pass.table[word] || point.rest != rest) continue;
        taken[p] = known = true;
        next = p + 1;
        point_edits.clear();
        for (const MosEdit& edit : edits) {
          const bool names =
              edit.points.empty() || std::ranges::any_of(edit.points, [&](const std::string& pattern) {
                return means_point(pattern, point.name, point.placed, data.skeleton.joints[point.joint].name);
              });
          if (names) point_edits.push_back(&edit);
        }
      }
      if (known && !set_edits(pass.table, word, point_edits)) return std::nullopt;
    }
  }
  Result<Character> slid = Character::create(std::move(data));
  return slid ? std::optional(std::move(*slid)) : std::nullopt;
}

}  // namespace

std::optional<Character> move_bound(const LayerEdit& edit) {
  const auto& after = edit.new_parameters<MosParameters>();
  MosParameters moved = edit.old_parameters<MosParameters>();
  if (moved.edits.size() != after.edits.size()) return std::nullopt;
  for (std::size_t e = 0; e < after.edits.size(); ++e) {
    if (!slides_after_bind(after.edits[e])) continue;
    moved.edits[e].offset = after.edits[e].offset;
    moved.edits[e].distance = after.edits[e].distance;
  }
  if (moved != after) return std::nullopt;
  const bool shared =
      std::ranges::any_of(edit.points, [&](const PointReport& point) { return point.layer != edit.layer; });
  if (shared) return std::nullopt;
  return slide_points(edit.character, edit.points, after.edits);
}

}  // namespace pelt::mos
