// SPDX-License-Identifier: MIT
#include "samples/viewer/handle.h"

#include <fmt/format.h>

#include <algorithm>

#include <pelt/finite.h>

namespace pelt::viewer {
namespace {

using Json = nlohmann::json;

bool is_vector(const Json& json) {
  return json.is_array() && json.size() == 3 && std::ranges::all_of(json, [](const Json& n) { return n.is_number(); });
}

void add_to(Json& vector, glm::vec3 offset) {
  for (std::size_t c = 0; c < 3; ++c) vector[c] = vector[c].get<float>() + offset[static_cast<int>(c)];
}

// Returns true for an edit that an earlier drag made: it slides only this point and also changes the bind.
bool slides(const Json& edit, const std::string& point) {
  return edit.is_object() && edit.value("operation", "") == "slide" &&
         edit.value("points", Json()) == Json::array({point}) && !edit.value("in_bind", true) &&
         !edit.contains("driver") && edit.contains("offset") && is_vector(edit["offset"]);
}

bool move_point(Json& edits, const std::string& point, glm::vec3 offset) {
  if (!edits.is_array()) return false;
  auto slide = std::ranges::find_if(edits, [&](const Json& edit) { return slides(edit, point); });
  if (slide == edits.end()) {
    edits.push_back({{"operation", "slide"},
                     {"points", Json::array({point})},
                     {"offset", Json::array({0, 0, 0})},
                     {"in_bind", false}});
    slide = std::prev(edits.end());
  }
  add_to((*slide)["offset"], offset);
  return true;
}

// Moves a vertex. Entries are [vertex, x, y, z], sorted by vertex.
bool move_vertex(Json& offsets, std::uint32_t vertex, glm::vec3 offset) {
  if (!offsets.is_array()) return false;
  const auto number = [](const Json& entry) { return entry.at(0).get<std::uint32_t>(); };
  const auto known = std::ranges::find_if(offsets, [&](const Json& entry) { return number(entry) == vertex; });
  if (known != offsets.end()) {
    for (std::size_t c = 0; c < 3; ++c) {
      (*known)[c + 1] = (*known)[c + 1].get<float>() + offset[static_cast<int>(c)];
    }
    return true;
  }
  const auto after = std::ranges::find_if(offsets, [&](const Json& entry) { return number(entry) > vertex; });
  offsets.insert(after, Json::array({vertex, offset.x, offset.y, offset.z}));
  return true;
}

bool move_at(Json& place, const Handle& handle, glm::vec3 offset) {
  switch (handle.kind) {
    case HandleKind::kOffset:
      if (!is_vector(place)) return false;
      add_to(place, offset);
      return true;
    case HandleKind::kPointEdit:
      return move_point(place, handle.point, offset);
    case HandleKind::kVertexOffset:
      return move_vertex(place, handle.vertex, offset);
    case HandleKind::kFixed:
      break;
  }
  return false;
}

// Adds level 0 to a surface whose rig leaves it out.
void add_base_level(Json& rig, const ControlVertex& place) {
  const Json::json_pointer at(fmt::format("/layers/{}/parameters/levels", place.layer));
  if (!rig.contains(at) || !rig[at].is_array() || !rig[at].empty()) return;
  rig[at].push_back({{"moves", Json::array()}});
}

}  // namespace

Result<Json> moved_by(Json rig, const Handle& handle, glm::vec3 way) {
  if (handle.kind == HandleKind::kFixed) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("'{}': nothing in the rig moves it", handle.name));
  }
  const glm::vec3 offset = glm::inverse(handle.from_rig) * way;
  if (!is_finite(offset)) {
    return fail(ErrorCode::kInvalidArgument, fmt::format("'{}': cannot be moved here, its axes are flat", handle.name));
  }
  if (handle.surface) add_base_level(rig, *handle.surface);
  for (const std::string& place : handle.places) {
    const Json::json_pointer at(place);
    if (!rig.contains(at) || !move_at(rig[at], handle, offset)) {
      return fail(ErrorCode::kNotFound,
                  fmt::format("the rig no longer has {}, the location of '{}'", place, handle.name));
    }
  }
  return rig;
}

}  // namespace pelt::viewer
