// SPDX-License-Identifier: MIT
// What a rigger edits: which deformer moves which mesh. Plain structs; rig.schema.json describes the same thing.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/deformer_parameters.h>
#include <pelt/result.h>
#include <pelt/selection.h>

namespace pelt {

struct Layer {
  std::string target = "*";  // name of a mesh, or * for all that no other layer's driver uses
  DeformerParameters deformer;
  Mask mask;
  // Instead of hiding the layers below: combined with them as in Wires, with this exponent m, 0 to 64
  // (docs/mathematics.md section 1).
  std::optional<float> wires;
  friend bool operator==(const Layer&, const Layer&) = default;
};

// Where a muscle is attached: a point that moves rigidly with a joint.
struct Attachment {
  std::string joint;
  glm::vec3 offset{0.0f};  // from the joint, metres, model space at bind
  friend bool operator==(const Attachment&, const Attachment&) = default;
};

// Pulls a muscle's line aside.
struct LinePoint {
  float at = 0.5f;         // fraction of the way between the attachments, in (0, 1)
  glm::vec3 offset{0.0f};  // from that place, metres, model space at bind
  friend bool operator==(const LinePoint&, const LinePoint&) = default;
};

// A mesh on an action line (Yang et al. 2006, "Muscle Deformation"; docs/mathematics.md section 2): the line's ends
// move with their joints, what is between them with the curve skeleton of the rig's first such layer, and the mesh
// swells as the line shortens. It is a control mesh, which layers name as their driver.
struct Muscle {
  std::string name;  // of the mesh, unless `mesh` is
  Attachment from;
  Attachment to;
  std::vector<LinePoint> points;  // by ascending `at`, at most 6; none: on the straight line
  std::string mesh;               // of the model, which then is no skin; none: a spindle round the line,
  float radius = 0;               // of this radius in its middle, metres,
  std::uint32_t resolution = 16;  // and this many quads round, 4 to 128
  float tendon = 0.1f;            // fraction of the line at either end that is thin and keeps its length, to 0.4
  float volume = 1;               // how much of its volume the muscle keeps: 0 none, 1 all
  float bulge = 0;                // further swelling of the middle as it shortens, 0 to 2
  friend bool operator==(const Muscle&, const Muscle&) = default;
};

// Whether bind poses the character by its clips, or else by sample poses, and compares the deformers with linear blend.
// Only layers over * give way to it, and only where nothing is sculpted: no key poses, offsets, edits, keyed curves,
// morph targets of drivers, muscles, Wires, streams; nor does dual quaternion, which cannot be mixed with another.
enum class Judging {
  kFallback,  // where they do worse, the skin is left to linear blend
  kReport,    // that is reported only
  kNone,
};

// Layers are laid one over the other in order: where a layer's mask is 1 it hides those before it. The first layer of
// a mesh acts everywhere. A mesh that no layer names is moved by linear blend.
struct Rig {
  std::string name;
  std::string directory;  // where relative file names start; not part of the file
  std::vector<Group> groups;
  std::vector<Muscle> muscles;
  std::vector<Layer> layers;
  Judging judging = Judging::kFallback;

  const Group* find_group(std::string_view group) const;

  friend bool operator==(const Rig&, const Rig&) = default;
};

// The deformers' names, as in rig files.
std::vector<std::string_view> deformer_names();

// One layer over all meshes, with the deformer's defaults. `deformer` is a deformer's one name, with underscores or, as
// on the command line, hyphens. Errors: kNotFound, with the list of names and the nearest one.
Result<Rig> rig_from_deformer_name(const std::string& deformer);

}  // namespace pelt
