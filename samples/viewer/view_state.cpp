// SPDX-License-Identifier: MIT
#include "samples/viewer/view_state.h"

#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include <pelt/character.h>
#include <pelt/tools/json_fields.h>

// Each describe() lists the fields of a struct of the view; patch_view reads them and view_json writes them.

namespace pelt::viewer {
namespace {

constexpr Range kPitch{.least = -1.5707f, .most = 1.5707f};  // below a quarter turn
constexpr Range kDistance{.least = 1e-4f, .most = 1e6f};
constexpr Range kFieldOfView{.least = 0.01f, .most = 3};
constexpr Range kSpeed{.least = -100, .most = 100};
constexpr std::uint32_t kMaxSurfaceLevel = 31;
constexpr Range kMorphWeight{.least = -100, .most = 100};

constexpr Choice<CompareMode> kCompareModes[] = {{"none", CompareMode::kNone},
                                                 {"side_by_side", CompareMode::kSideBySide},
                                                 {"split", CompareMode::kSplit},
                                                 {"difference", CompareMode::kDifference}};
constexpr Choice<HeatKind> kHeatKinds[] = {{"none", HeatKind::kNone},
                                           {"element", HeatKind::kElement},
                                           {"influences", HeatKind::kInfluences},
                                           {"distance", HeatKind::kDistance},
                                           {"stretch", HeatKind::kStretch},
                                           {"volume", HeatKind::kVolume},
                                           {"gpu_error", HeatKind::kGpuError},
                                           {"tension", HeatKind::kTension},
                                           {"tension_across", HeatKind::kTensionAcross},
                                           {"difference", HeatKind::kDifference},
                                           {"levels", HeatKind::kLevels},
                                           {"segments", HeatKind::kSegments},
                                           {"learnt", HeatKind::kLearnt}};

constexpr std::string_view kTabs[] = {"View", "Joints", "Shapes", "Surface", "Vertex", "Heat", "Report"};

}  // namespace

static void describe(Fields& fields, OrbitCamera& camera) {
  fields.vector({"target"}, camera.target);
  fields.number({"yaw"}, camera.yaw, kAnyNumber);
  fields.number({"pitch"}, camera.pitch, kPitch);
  fields.number({"distance"}, camera.distance, kDistance);
  fields.number({"vertical_fov"}, camera.vertical_fov, kFieldOfView);
  fields.flag({"framed"}, camera.framed);
}

static void describe(Fields& fields, Playback& playback) {
  fields.text({"clip"}, playback.clip);
  fields.number({"time"}, playback.time, kNotNegative);
  fields.number({"speed"}, playback.speed, kSpeed);
  fields.flag({"loop"}, playback.loop);
  fields.flag({"playing"}, playback.playing);
}

static void describe(Fields& fields, JointTurn& turn) {
  fields.text({.name = "joint", .required = true}, turn.joint);
  glm::quat& q = turn.rotation;
  std::vector<float> xyzw{q.x, q.y, q.z, q.w};
  fields.numbers({"rotation"}, xyzw, kAnyNumber);
  if (xyzw.size() == 4) q = glm::quat(xyzw[3], xyzw[0], xyzw[1], xyzw[2]);
  fields.refuse(xyzw.size() != 4, "rotation", "must be [x, y, z, w]");
  const float length = glm::length(q);
  const bool turns = length > 1e-6f && std::isfinite(length);
  fields.refuse(!turns, "rotation", "must not be zero");
  if (turns) q /= length;
}

static void describe(Fields& fields, MorphWeight& morph) {
  fields.text({.name = "control", .required = true}, morph.control);
  fields.number({"weight"}, morph.weight, kMorphWeight);
}

static void describe(Fields& fields, Shown& shown) {
  for (const ShownPart& one : kShownParts) fields.flag({one.name}, shown.*one.part);
}

static void describe(Fields& fields, Compare& compare) {
  fields.choice({"mode"}, compare.mode, kCompareModes);
  fields.texts({"deformers"}, compare.deformers);
  const std::set<std::string> different(compare.deformers.begin(), compare.deformers.end());
  fields.refuse(different.size() != compare.deformers.size(), "deformers", "must not name one twice");
  fields.number({"split"}, compare.split, kUnitInterval);
}

static void describe(Fields& fields, Heat& heat) {
  fields.choice({"kind"}, heat.kind, kHeatKinds);
  fields.text({"element"}, heat.element);
  fields.flag({"automatic"}, heat.automatic);
  fields.number({"low"}, heat.low, kAnyNumber);
  fields.number({"high"}, heat.high, kAnyNumber);
}

static void describe(Fields& fields, Selection& selection) {
  fields.text({"joint"}, selection.joint);
  fields.text({"mesh"}, selection.mesh);
  fields.integer({"vertex"}, selection.vertex, {.least = 0});
  fields.text({"point"}, selection.point);
  fields.texts({"further"}, selection.further);
}

static void describe(Fields& fields, Surfaces& surfaces) {
  fields.integer({"level"}, surfaces.level, {.least = 0, .most = kMaxSurfaceLevel});
  fields.flag({"fit"}, surfaces.fit);
  fields.number({"radius"}, surfaces.radius, kNotNegative);
  fields.flag({"points"}, surfaces.points);
  fields.flag({"symmetric"}, surfaces.symmetric);
}

static void describe(Fields& fields, Panels& panels) {
  fields.flag({"left"}, panels.left);
  fields.flag({"right"}, panels.right);
  fields.flag({"timeline"}, panels.timeline);
  fields.flag({"measure"}, panels.measure);
  std::size_t tab = static_cast<std::size_t>(std::ranges::find(kTabs, panels.tab) - std::begin(kTabs));
  fields.chosen({"tab"}, tab, kTabs);
  panels.tab = kTabs[tab];
  fields.integer({"place"}, panels.place, {.least = 0});
  fields.flag({"help"}, panels.help);
  fields.text({"search"}, panels.search);
}

static void describe(Fields& fields, ViewState& state) {
  fields.object({"camera"}, state.camera);
  fields.object({"playback"}, state.playback);
  fields.objects({"turns"}, state.turns);
  fields.objects({"morphs"}, state.morphs);
  fields.object({"shown"}, state.shown);
  fields.object({"compare"}, state.compare);
  fields.object({"heat"}, state.heat);
  fields.object({"selection"}, state.selection);
  fields.object({"surfaces"}, state.surfaces);
  fields.object({"panels"}, state.panels);
  fields.integer({"instances"}, state.instances, {.most = kMaxInstances});
  fields.integer({"level"}, state.level, {.least = 0, .most = kMaxLevel});
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
  if (patch.is_object() && patch.contains("morphs")) patched.morphs.clear();
  json_fields::Problem problem{.source = source};
  json_fields::Reader reader(patch, "", problem);
  describe(reader, patched);
  reader.finish();
  if (problem.error) return tl::unexpected(*problem.error);
  state = std::move(patched);
  return {};
}

}  // namespace pelt::viewer
