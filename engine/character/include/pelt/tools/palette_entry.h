// SPDX-License-Identifier: MIT
// What people call the entries of a character's palette and what these read, as <pelt/tools/inspect.h> tells it.
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
  kJointStretch,  // the stretch beside a joint's dual quaternion, which has no frame either
  kTriangle,      // of a driver
  kVertex,        // of a driver
  kPatchSample,
  kCurveSample,
  kLineSample,  // of a muscle's line
  kControlPoint,
  kWindowSample,  // of a window of control points
};

// A palette entry at rest. Samples of one line follow each other with the same `line` and ascending `along`.
struct EntryRest {
  EntryKind kind = EntryKind::kNone;
  Affine from_rest = affine_identity();       // the entry's own space from that of local points
  std::array<std::uint32_t, 4> line{};        // which line the entry is a sample of
  std::optional<float> along = std::nullopt;  // where it is on its line; none: the entry is no sample of a line
};

enum class SourceKind { kJoint, kVertex, kInput };

// A joint, a vertex of the instance or an input that an entry reads, and the share of the entry that moves with it.
struct EntrySource {
  SourceKind kind = SourceKind::kJoint;
  std::uint32_t index = 0;
  float share = 0;  // 0: it only steers the entry, as an angle steers a key pose
};

// A point that poses curves: a joint that a curve runs through, or a control point of MOS.
struct PosedHandle {
  EntryKind kind = EntryKind::kNone;  // kCurveSample: a curve's; kControlPoint: MOS's
  std::uint32_t line = 0;             // the curve, counted over all curves of the character
  std::uint32_t joint = 0;
  glm::vec3 rest{0.0f};              // model space at bind; of MOS alone
  Affine frame = affine_identity();  // posed, model space
};

}  // namespace pelt
