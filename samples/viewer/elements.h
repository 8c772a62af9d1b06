// SPDX-License-Identifier: MIT
// The palette's elements for people: what they are called, and where they are in a pose.
#pragma once

#include <cstdint>
#include <glm/glm.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <pelt/character.h>
#include <pelt/evaluate.h>
#include <pelt/frame.h>

#include "samples/renderer/framing.h"

namespace pelt::viewer {

enum class ElementKind {
  kNone,  // an entry that is no frame: a key pose's offset, the stretch beside a dual quaternion
  kJoint,
  kTriangle,  // of a driver
  kVertex,    // of a driver
  kPatchSample,
  kCurveSample,
  kLineSample,  // of a muscle's line
  kControlPoint,
  kWindowSample,  // of a window of control points
};

struct Element {
  ElementKind kind = ElementKind::kNone;
  Affine frame = affine_identity();      // posed, model space
  Affine from_rest = affine_identity();  // the element's space from that of local points: model space at bind, mostly
};

// Of every entry of the palette, as `evaluator` has posed it.
std::vector<Element> posed_elements(const Character& character, const Evaluator& evaluator,
                                    const samples::InstancePose& pose);

// Of one entry. Precondition: slot < palette_size.
Element posed_element(const Character& character, const Evaluator& evaluator, const samples::InstancePose& pose,
                      std::uint32_t slot);

// "joint left_forearm", "curve hips..head at 0.412 m". Precondition: slot < palette_size.
std::string element_name(const CharacterData& character, std::uint32_t slot);

struct VertexInfluence {
  std::uint32_t slot = 0;  // palette entry
  float weight = 0;        // times its group's share: they sum to 1
  glm::vec3 local{0.0f};   // the group's local point: the rest position, where groups have none of their own
};

// What moves one vertex (packed, of the mesh), strongest first.
std::vector<VertexInfluence> influences_of(const CharacterMesh& mesh, std::uint32_t vertex);

// What a vertex of a driver does from bind to its pose, but for its own offset: exact where its frames are computed
// (CharacterMesh::frame_slot), else the rotation that fits the edges of the triangles about it that do not touch it.
glm::mat3 vertex_motion(const CharacterMesh& mesh, const Evaluator& evaluator, std::uint32_t vertex);

// Where a vertex of the model is in the packed order of the mesh; none: there is no such vertex.
std::optional<std::uint32_t> packed_vertex(const CharacterMesh& mesh, std::uint32_t source);

// The skin or driver of this name; nullptr: there is none.
const CharacterMesh* find_mesh(const CharacterData& character, std::string_view name);

// Samples of a curve, a muscle's line or a chain of control points, in order: palette entries.
struct ElementLine {
  ElementKind kind = ElementKind::kCurveSample;
  std::vector<std::uint32_t> slots;
};

// Every bone of a curve, line and window that has samples, in the order of the palette.
std::vector<ElementLine> element_lines(const CharacterData& character);

// A point of MOS that the tables hold.
struct ControlPoint {
  std::uint32_t joint = 0;
  glm::vec3 local{0.0f};             // in the joint's space
  glm::vec3 rest{0.0f};              // model space at bind
  Affine frame = affine_identity();  // posed, model space: [F | p]
};
std::vector<ControlPoint> posed_control_points(const CharacterData& character, const samples::InstancePose& pose);

// A joint that a curve runs through.
struct CurveAnchor {
  std::uint32_t curve = 0;  // counted over all curves
  std::uint32_t joint = 0;
  glm::vec3 position{0.0f};  // posed, model space
};
std::vector<CurveAnchor> posed_curve_anchors(const CharacterData& character, const samples::InstancePose& pose);

}  // namespace pelt::viewer
