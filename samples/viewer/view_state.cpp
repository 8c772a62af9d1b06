// SPDX-License-Identifier: MIT
#include "samples/viewer/view_state.h"

#include <array>
#include <cmath>
#include <glm/gtc/constants.hpp>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "engine/rig/json_fields.h"

// What each struct of a view holds, read by patch_view and written by view_json.

namespace pelt::viewer {
namespace {

using json_fields::Choice;
using json_fields::Range;

constexpr Range kAnyNumber{"a number", [](float) { return true; }};
constexpr Range kNotNegative{"a number >= 0", [](float v) { return v >= 0; }};
constexpr Range kUnitInterval{"a number from 0 to 1", [](float v) { return v >= 0 && v <= 1; }};
constexpr Range kPitch{"a number above -pi/2 and below pi/2",
                       [](float v) { return std::abs(v) < glm::half_pi<float>(); }};
constexpr Range kDistance{"a number from 0.0001 to 1000000", [](float v) { return v >= 1e-4f && v <= 1e6f; }};
constexpr Range kFieldOfView{"a number from 0.01 to 3", [](float v) { return v >= 0.01f && v <= 3; }};
constexpr Range kSpeed{"a number from -100 to 100", [](float v) { return std::abs(v) <= 100; }};

constexpr std::array<Choice<CompareMode>, 4> kCompareModes{{{"none", CompareMode::kNone},
                                                            {"side_by_side", CompareMode::kSideBySide},
                                                            {"split", CompareMode::kSplit},
                                                            {"difference", CompareMode::kDifference}}};
constexpr std::array<Choice<HeatKind>, 8> kHeatKinds{{{"none", HeatKind::kNone},
                                                      {"element", HeatKind::kElement},
                                                      {"influences", HeatKind::kInfluences},
                                                      {"distance", HeatKind::kDistance},
                                                      {"stretch", HeatKind::kStretch},
                                                      {"volume", HeatKind::kVolume},
                                                      {"gpu_error", HeatKind::kGpuError},
                                                      {"difference", HeatKind::kDifference}}};

std::span<const Choice<std::string>, 5> tabs() {
  static const std::array<Choice<std::string>, 5> names{
      {{"View", "View"}, {"Joints", "Joints"}, {"Vertex", "Vertex"}, {"Heat", "Heat"}, {"Report", "Report"}}};
  return names;
}

}  // namespace

template <class Fields>
void describe(Fields& fields, OrbitCamera& camera) {
  fields.vector("target", camera.target);
  fields.number("yaw", camera.yaw, kAnyNumber);
  fields.number("pitch", camera.pitch, kPitch);
  fields.number("distance", camera.distance, kDistance);
  fields.number("vertical_fov", camera.vertical_fov, kFieldOfView);
  fields.flag("framed", camera.framed);
}

template <class Fields>
void describe(Fields& fields, Playback& playback) {
  fields.text("clip", playback.clip);
  fields.number("time", playback.time, kNotNegative);
  fields.number("speed", playback.speed, kSpeed);
  fields.flag("loop", playback.loop);
  fields.flag("playing", playback.playing);
}

template <class Fields>
void describe(Fields& fields, JointTurn& turn) {
  fields.require("joint");
  fields.text("joint", turn.joint);
  glm::quat& q = turn.rotation;
  std::vector<float> xyzw{q.x, q.y, q.z, q.w};
  fields.numbers("rotation", xyzw, kAnyNumber);
  if (xyzw.size() == 4) q = glm::quat(xyzw[3], xyzw[0], xyzw[1], xyzw[2]);
  fields.refuse(xyzw.size() != 4, "rotation", "must be [x, y, z, w]");
  const float length = glm::length(q);
  const bool turns = length > 1e-6f && std::isfinite(length);
  fields.refuse(!turns, "rotation", "must not be zero");
  if (turns) q /= length;
}

template <class Fields>
void describe(Fields& fields, Shown& shown) {
  fields.flag("skin", shown.skin);
  fields.flag("wire", shown.wire);
  fields.flag("normals", shown.normals);
  fields.flag("skeleton", shown.skeleton);
  fields.flag("curves", shown.curves);
  fields.flag("control_points", shown.control_points);
  fields.flag("drivers", shown.drivers);
  fields.flag("frames", shown.frames);
  fields.flag("influences", shown.influences);
  fields.flag("ground", shown.ground);
  fields.flag("textures", shown.textures);
}

template <class Fields>
void describe(Fields& fields, Compare& compare) {
  fields.choice("mode", compare.mode, std::span(kCompareModes));
  fields.texts("deformers", compare.deformers);
  const std::set<std::string> different(compare.deformers.begin(), compare.deformers.end());
  fields.refuse(different.size() != compare.deformers.size(), "deformers", "must not name one twice");
  fields.number("split", compare.split, kUnitInterval);
}

template <class Fields>
void describe(Fields& fields, Heat& heat) {
  fields.choice("kind", heat.kind, std::span(kHeatKinds));
  fields.text("element", heat.element);
  fields.flag("automatic", heat.automatic);
  fields.number("low", heat.low, kAnyNumber);
  fields.number("high", heat.high, kAnyNumber);
}

template <class Fields>
void describe(Fields& fields, Selection& selection) {
  fields.text("joint", selection.joint);
  fields.text("mesh", selection.mesh);
  fields.count("vertex", selection.vertex);
  fields.text("point", selection.point);
}

template <class Fields>
void describe(Fields& fields, Panels& panels) {
  fields.flag("left", panels.left);
  fields.flag("right", panels.right);
  fields.flag("timeline", panels.timeline);
  fields.flag("measure", panels.measure);
  fields.choice("tab", panels.tab, tabs());
  fields.count("place", panels.place);
  fields.flag("help", panels.help);
  fields.text("search", panels.search);
  fields.text("paint", panels.paint);
}

template <class Fields>
void describe(Fields& fields, ViewState& state) {
  fields.object("camera", state.camera);
  fields.object("playback", state.playback);
  fields.objects("turns", state.turns);
  fields.object("shown", state.shown);
  fields.object("compare", state.compare);
  fields.object("heat", state.heat);
  fields.object("selection", state.selection);
  fields.object("panels", state.panels);
  fields.integer("instances", state.instances, kMostInstances);
}

nlohmann::json view_json(const ViewState& state) {
  ViewState copy = state;
  json_fields::OrderedJson json;
  json_fields::Writer writer(json);
  describe(writer, copy);
  return json;
}

Result<void> patch_view(ViewState& state, const nlohmann::json& patch, const std::string& source) {
  ViewState patched = state;
  if (patch.is_object() && patch.contains("turns")) patched.turns.clear();
  json_fields::Problem problem{.source = source};
  json_fields::Reader reader(patch, "", problem);
  describe(reader, patched);
  reader.finish();
  if (problem.error) return tl::unexpected(*problem.error);
  state = std::move(patched);
  return {};
}

}  // namespace pelt::viewer
