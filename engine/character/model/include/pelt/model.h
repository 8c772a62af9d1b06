// SPDX-License-Identifier: MIT
// The contents of a model file before binding: plain structs, validated by bind.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/animation.h>
#include <pelt/bendy_bone.h>
#include <pelt/mesh.h>
#include <pelt/skeleton.h>

namespace pelt {

// A joint as skins use it: matrix_of(joint) * inverse_bind is its palette entry of linear blend. All meshes of a model
// share one table, and skins that bind the same joint with the same matrix share a row.
struct BoundJoint {
  std::uint32_t joint = 0;       // index in Model::skeleton
  glm::mat4 inverse_bind{1.0f};  // maps model space at bind to joint space; affine
};

// A joint that is a bendy bone of Blender.
struct JointBendyBone {
  std::uint32_t joint = 0;  // index in Model::skeleton
  BendyBone values;
};

// An anchor that the file marks: the nearest point of the skin to a joint's position at bind.
struct MarkedAnchor {
  std::string name;
  std::uint32_t joint = 0;  // index in Model::skeleton
};

// The weight that an expression adds to a morph target.
struct ExpressionTarget {
  std::string mesh;
  std::uint32_t target = 0;  // index in Mesh::morph_targets
  float weight = 1;          // of the target, at expression value 1
};

// A named set of morph targets moved by one control from 0 to 1: a smile, a blink, the mouth of a vowel (VRM 1.0,
// VRMC_vrm.expressions). Contributions of several expressions to one target are summed.
struct Expression {
  std::string name;     // "happy"; the name of its control
  bool binary = false;  // its value is 1 if its control is above 0.5, else 0
  std::vector<ExpressionTarget> targets;
};

// A PNG or JPEG as in the file; its bytes are not checked.
struct EncodedImage {
  std::string name;
  std::vector<std::uint8_t> bytes;
};

struct Material {
  std::string name;
  glm::vec4 base_color{0.8f, 0.8f, 0.8f, 1.0f};  // linear
  // For programs that draw the model; a Character has no images.
  std::int32_t base_color_image = -1;  // index in Model::images, multiplied with base_color; -1: none
  bool alpha_mask = false;             // true: parts that are less than half opaque are not drawn
};

// The importer's decisions, for people.
struct ImportReport {
  std::uint32_t renormalised_vertices = 0;  // weights did not sum to 1 within 1e-3
  std::uint32_t unweighted_vertices = 0;    // had no weights and follow the nearest joint
  // One sentence per kind of decision or unread part, with the names of its meshes, skins or clips.
  std::vector<std::string> notes;
};

// A coarser mesh, which a character shows instead of one of the model's meshes while that is small on screen.
struct MeshLevel {
  std::uint32_t of = 0;     // index in Model::meshes
  std::uint32_t level = 1;  // from 1; the higher, the coarser. A mesh has each level at most once
  Mesh mesh;                // its name is unique among meshes and levels
};

// The segments that line primitives draw between vertices of a mesh of the model.
struct MeshLines {
  std::string mesh;
  std::vector<glm::uvec2> segments;
};

struct Model {
  std::string name;  // file name, or "builtin:..."
  Skeleton skeleton;
  std::vector<BoundJoint> bound_joints;
  std::optional<glm::mat4> root_at_bind;    // the matrix of joint 0 at bind; none: that of the rest pose
  std::vector<JointBendyBone> bendy_bones;  // by ascending joint; each joint once
  std::vector<MarkedAnchor> anchors;        // names are unique
  std::vector<Mesh> meshes;                 // names are unique
  std::vector<MeshLines> lines;             // one per mesh that has any
  std::vector<MeshLevel> levels;            // of `meshes`, in any order
  std::vector<Material> materials;
  std::vector<EncodedImage> images;     // base-colour images of materials
  std::vector<Clip> clips;              // names are unique
  std::vector<Expression> expressions;  // names are unique
  ImportReport report;
  std::vector<std::string> unpainted;  // meshes and levels without weights in the file: they follow the nearest joint
  bool painted = false;                // paint_model has made the weights

  const Mesh* find_mesh(std::string_view name) const;
};

}  // namespace pelt
