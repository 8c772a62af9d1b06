// SPDX-License-Identifier: MIT
// All settings of a view, as plain values that panels change and scripts set. The rig is the document's.
#pragma once

#include <algorithm>
#include <cstdint>
#include <glm/glm.hpp>
#include <glm/gtc/quaternion.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/result.h>

namespace pelt::viewer {

// Looks at `target` from `distance` away. Angles in radians, lengths in metres.
struct OrbitCamera {
  glm::vec3 target{0.0f, 1.0f, 0.0f};
  float yaw = 0.45f;    // about +y, from a camera on the +z side
  float pitch = 0.12f;  // above the horizon, within (-pi/2, pi/2)
  float distance = 4.0f;
  float vertical_fov = 0.5f;
  bool framed = false;  // false: the next picture frames the characters first
};

struct Playback {
  std::string clip;  // empty: rest pose
  float time = 0;    // seconds
  float speed = 1;
  bool loop = true;
  bool playing = false;
};

// A joint that the user has turned, on top of the clip.
struct JointTurn {
  std::string joint;
  glm::quat rotation{1, 0, 0, 0};  // local, applied after the clip's: local rotation * rotation
};

// The weight of a morph target that the user has set, instead of the clip's.
struct MorphWeight {
  std::string control;  // "mesh/target"
  float weight = 0;
};

// The parts that are drawn over the skin or instead of it.
struct Shown {
  bool skin = true;
  bool wire = false;
  bool normals = false;
  bool skeleton = false;
  bool curves = false;          // of curve skeletons and MOS chains
  bool control_points = false;  // of MOS
  bool control_nets = false;    // of hierarchical B-splines
  bool drivers = false;         // control meshes, as lines
  bool frames = false;          // axes of palette entries: driver elements, samples, control points
  bool influences = true;       // of the selected vertex
  bool ground = true;
  bool textures = true;
};

// A part's names in scripts and on screen, and the key that shows and hides it; 0: no key.
struct ShownPart {
  const char* name;
  const char* label;
  char key;
  bool Shown::*part;
};
inline constexpr ShownPart kShownParts[] = {{"skin", "skin", 0, &Shown::skin},
                                            {"wire", "wireframe", 'W', &Shown::wire},
                                            {"textures", "textures", 0, &Shown::textures},
                                            {"ground", "ground", 0, &Shown::ground},
                                            {"skeleton", "skeleton", 'S', &Shown::skeleton},
                                            {"normals", "normals", 0, &Shown::normals},
                                            {"curves", "curves", 'C', &Shown::curves},
                                            {"control_points", "control points", 'P', &Shown::control_points},
                                            {"control_nets", "control nets", 'N', &Shown::control_nets},
                                            {"drivers", "drivers", 'D', &Shown::drivers},
                                            {"frames", "frames", 0, &Shown::frames},
                                            {"influences", "influences", 0, &Shown::influences}};

enum class CompareMode { kNone, kSideBySide, kSplit, kDifference };

struct Compare {
  CompareMode mode = CompareMode::kNone;
  std::vector<std::string> deformers{"linear_blend"};  // as rigs name them; the document's rig comes last
  float split = 0.5f;  // fraction of the picture's width: the first deformer is left of it
};

enum class HeatKind {
  kNone,
  kElement,        // weight of a joint or another palette entry
  kInfluences,     // palette entries per vertex
  kDistance,       // at bind to the closest driver, metres
  kStretch,        // longest edge at the vertex / its length at bind; 1: no change
  kVolume,         // local factor of volume; 1: no change
  kGpuError,       // distance between GPU and CPU, metres
  kTension,        // log2(length / rest length) along the tangent
  kTensionAcross,  // along the bitangent
  kDifference,     // distance from the first of Compare::deformers, metres
  kLevels,         // samples::view_of_bind
  kSegments,
  kLearnt,
};

struct Heat {
  HeatKind kind = HeatKind::kNone;
  std::string element;    // as for samples::element_weights; empty: the selected control vertex
  bool automatic = true;  // the scale follows the values
  float low = 0;
  float high = 1;
};

struct Selection {
  std::string joint;
  std::string mesh;                  // of the selected vertex; empty: none
  std::uint32_t vertex = 0;          // of the model's mesh
  std::string point;                 // name of a control point or of a driver's vertex: Handle::name
  std::vector<std::string> further;  // names of points that move with it

  bool has(std::string_view name) const { return name == point || std::ranges::find(further, name) != further.end(); }
};

// How hierarchical B-splines are edited.
struct Surfaces {
  std::uint32_t level = 0;  // whose control vertices are selected in the picture
  bool fit = false;         // a drag moves only the surface at bind; else also the skin
  float radius = 0;         // of the brush, metres: a drag also moves vertices within it
  bool points = false;      // points of the skin are dragged instead of control vertices
  bool symmetric = false;   // a drag also moves the other side, mirrored across x = 0 of model space at bind
};

struct Panels {
  bool left = true;   // rig
  bool right = true;  // inspector
  bool timeline = true;
  bool measure = false;      // drawn over the picture
  std::string tab = "View";  // of the inspector: "View", "Joints", "Shapes", "Surface", "Vertex", "Heat", "Report"
  std::uint32_t place = 0;   // number of the shown defect of the report, from 1; 0: none yet
  bool help = false;
  std::string search;  // for parameters of the rig: matches are open
};

constexpr std::uint32_t kMaxInstances = 1000;

struct ViewState {
  OrbitCamera camera;
  Playback playback;
  std::vector<JointTurn> turns;
  std::vector<MorphWeight> morphs;
  Shown shown;
  Compare compare;
  Heat heat;
  Selection selection;
  Surfaces surfaces;
  Panels panels;
  std::uint32_t instances = 1;  // 1 to kMaxInstances, of the document's rig
  std::uint32_t level = 0;      // of detail (Character::at_level), 0 to kMaxLevel
};

// Returns every field by its name above, without the trailing underscore; enums by their lower-case names
// ("side_by_side").
nlohmann::json view_json(const ViewState& state);

// Sets the fields in `patch` and leaves the others. Errors: kInvalidFile with `source` and a JSON pointer: unknown keys
// (with the nearest known one), values that have another type, are not finite or out of range. Then nothing is set.
Result<void> patch_view(ViewState& state, const nlohmann::json& patch, const std::string& source);

}  // namespace pelt::viewer
