// SPDX-License-Identifier: MIT
// A rig assigns deformers to meshes. The structs are plain; rig.schema.json describes their JSON form.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/deformer_parameters.h>
#include <pelt/key_pose.h>
#include <pelt/named_files.h>
#include <pelt/paint.h>
#include <pelt/result.h>
#include <pelt/selection.h>

namespace pelt {

struct Layer {
  std::string target = "*";  // name of a mesh, or * for all meshes that no layer uses as its driver
  DeformerParameters deformer;
  Mask mask;
  // Exponent m of Wires, 0 to 64 (docs/mathematics.md section 1): the layer is combined with the layers below instead
  // of hiding them.
  std::optional<float> wires;
  friend bool operator==(const Layer&, const Layer&) = default;
};

// An end of a muscle's line: a point that moves rigidly with a joint.
struct Attachment {
  std::string joint;
  glm::vec3 offset{0.0f};  // from the joint, metres, model space at bind
  friend bool operator==(const Attachment&, const Attachment&) = default;
};

// A point that pulls a muscle's line aside.
struct LinePoint {
  float at = 0.5f;         // fraction of the straight line between the attachments, in (0, 1)
  glm::vec3 offset{0.0f};  // from the straight line, metres, model space at bind
  friend bool operator==(const LinePoint&, const LinePoint&) = default;
};

// A mesh on an action line (Yang et al. 2006, "Muscle Deformation"; docs/mathematics.md section 2). The line's ends
// move with their joints, its middle with the curves of the rig's first curve skeleton layer. The mesh swells as the
// line shortens. It is a control mesh; layers name it as their driver.
struct Muscle {
  std::string name;  // also the name of its mesh, unless `mesh` is set
  Attachment from;
  Attachment to;
  std::vector<LinePoint> points;  // by ascending `at`, at most 6; none: the line is straight at bind
  std::string mesh;               // a mesh of the model, which is then no skin; "": bind makes a spindle
  float radius = 0;               // of the spindle in its middle, metres
  std::uint32_t resolution = 16;  // quads round the spindle, 4 to 128
  float tendon = 0.1f;            // fraction of the line at either end that is thin and keeps its length, 0 to 0.4
  float volume = 1;               // fraction of its volume that the muscle keeps, 0 to 1
  float bulge = 0;                // further swelling of the middle as it shortens, 0 to 2
  bool wring = false;             // whether the section at the end turns with the joint at `to`
  friend bool operator==(const Muscle&, const Muscle&) = default;
};

// A helper joint of the model: it turns by fractions of another joint's turn, which is split into a twist about an axis
// and a swing (HelperJoint). Half the twist of a hand keeps a forearm round; half the swing of a shin keeps a knee cap
// on the knee.
struct HelperTurn {
  std::string joint;
  std::string source;    // has a parent, and is not below the joint
  glm::vec3 axis{0.0f};  // of the twist, in the source's space, of any length; 0: along the source's bone
  float twist = 0.5f;    // fraction of the twist, -2 to 2; of the swing below
  float swing = 0;
  friend bool operator==(const HelperTurn&, const HelperTurn&) = default;
};

// A joint of the character that the model lacks, such as a handle of a face (Forsey 1994, "Future work"). The game
// poses it like any joint; clips leave it at rest in its parent. It comes after the model's joints.
struct ExtraJoint {
  std::string name;
  std::string parent;      // a joint of the model, or an earlier one of these
  glm::vec3 offset{0.0f};  // from the parent, metres; its axes are those of model space at bind
  friend bool operator==(const ExtraJoint&, const ExtraJoint&) = default;
};

// A named point of a skin (SkinAnchor). Exactly one of vertex, triangle, near and node locates it.
struct RigAnchor {
  std::string name;
  std::string mesh;                       // "", with near and node: any skin
  std::optional<std::uint32_t> vertex;    // of the model's mesh
  std::optional<std::uint32_t> triangle;  // of the model's mesh
  glm::vec3 barycentric{1, 0, 0};         // shares of the triangle's corners, with the sum 1
  std::optional<glm::vec3> near;          // the nearest point of the skin at bind; metres, model space
  std::string node;                       // the same to the position of this joint at bind
  friend bool operator==(const RigAnchor&, const RigAnchor&) = default;
};

// How bind checks the deformers: it poses the character by its clips and by poses of its own, and compares them with
// linear blend. Only layers over * fall back to it, and only without anything sculpted: no key poses, offsets, edits,
// keyed curves, morph targets of drivers, muscles, Wires or streamed drivers. Dual quaternion does not fall back, since
// linear blend cannot be mixed with it.
enum class CheckMode {
  kFallback,  // skin with a defect falls back to linear blend
  kReport,    // bind only reports defects
  kNone,
};

// Layers are stacked in order: a layer hides those before it where its mask is 1. The first layer of a mesh acts
// everywhere. Linear blend moves a mesh that no layer names.
struct Rig {
  std::string name;
  // Not part of the file: the folder that relative file names start from, and the files that layers may name.
  std::string directory;
  NamedFiles files = NamedFiles::kFolder;

  std::vector<Group> groups;
  std::vector<Muscle> muscles;
  std::vector<Corrective> correctives;
  std::vector<ExtraJoint> joints;
  std::vector<HelperTurn> helper_joints;
  std::vector<RigAnchor> anchors;  // before those that the model marks
  std::vector<Layer> layers;
  CheckMode check = CheckMode::kFallback;
  PaintMode paint = PaintMode::kAuto;

  const Group* find_group(std::string_view group) const;

  friend bool operator==(const Rig&, const Rig&) = default;
};

// Returns the deformers' names as in rig files.
std::vector<std::string_view> deformer_names();

// Returns a rig with one layer over all meshes, with the deformer's defaults. `deformer`: the deformer's name, with
// underscores or, as on the command line, hyphens. Errors: kNotFound, with the list of names and the nearest one.
Result<Rig> rig_from_deformer_name(const std::string& deformer);

}  // namespace pelt
