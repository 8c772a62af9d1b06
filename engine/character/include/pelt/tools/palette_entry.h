// SPDX-License-Identifier: MIT
// The kinds, names and sources of palette entries, for people, as returned by <pelt/tools/inspect.h>.
#pragma once

#include <array>
#include <cstdint>
#include <glm/glm.hpp>
#include <optional>

#include <pelt/frame.h>

namespace pelt {

enum class EntryKind {
  kNone,  // an entry without a frame: a key pose's offset
  kJoint,
  kJointStretch,  // the stretch that follows a joint's dual quaternion, also without a frame
  kBoneStep,      // a joint, with twists spread to a position along its bone
  kTriangle,      // of a driver
  kVertex,        // of a driver
  kPatchSample,
  kCurveSample,
  kLineSample,  // of a muscle's line
  kControlPoint,
  kWindowSample,  // of a window of control points
};

// A palette entry at rest. Samples of one line are consecutive, with the same `line` and ascending `along`.
struct EntryRest {
  EntryKind kind = EntryKind::kNone;
  Affine from_rest = affine_identity();       // the entry's own space from that of local points
  std::array<std::uint32_t, 4> line{};        // the line that the entry samples
  std::optional<float> along = std::nullopt;  // position on its line; none: not a sample of a line
};

enum class SourceKind { kJoint, kVertex, kInput, kEntry };  // kEntry: only for source_shares

// A joint, a vertex of the instance or an input that an entry reads, and the share of the entry that moves with it.
struct EntrySource {
  SourceKind kind = SourceKind::kJoint;
  std::uint32_t index = 0;
  float share = 0;  // 0: it only controls the entry, as an angle controls a key pose
};

// A point that shapes curves: a joint that a curve runs through, or a control point of MOS.
struct PosedHandle {
  EntryKind kind = EntryKind::kNone;  // kCurveSample: of a curve; kControlPoint: of MOS
  std::uint32_t line = 0;             // index over all curves of the character
  std::uint32_t joint = 0;
  glm::vec3 rest{0.0f};              // model space at bind; only for MOS
  Affine frame = affine_identity();  // posed, model space
};

}  // namespace pelt
