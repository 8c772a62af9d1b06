// SPDX-License-Identifier: MIT
#include "engine/authoring/mos/table.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include <pelt/curve_keys.h>
#include <pelt/mos.h>

#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "shaders/chain/pose.h"
#include "shaders/mos/point_pose.h"

namespace pelt::mos {
namespace {

glm::dvec3 in_space_of(const glm::dmat4& joint, const glm::dvec3& position) {
  return glm::dvec3(glm::inverse(joint) * glm::dvec4(position, 1.0));
}

}  // namespace

std::uint32_t operation_word(MosOperation operation) {
  switch (operation) {
    case MosOperation::kBulge:
      return shared::kMosBulge;
    case MosOperation::kSlide:
      return shared::kMosSlide;
    case MosOperation::kScale:
      return shared::kMosScale;
    case MosOperation::kMotion:
      return shared::kMosMotion;
    case MosOperation::kTwist:
      return shared::kMosTwist;
  }
  return shared::kMosBulge;
}

MosTable::MosTable(std::span<const glm::dmat4> at_bind, std::span<const std::uint32_t> twist_inputs, std::uint32_t root,
                   MosFrames frames)
    : table_(at_bind, twist_inputs), frames_(frames) {
  table_.put_word(root);
  const glm::dmat4 inverse = glm::inverse(at_bind[root]);
  for (int row = 0; row < 3; ++row) {
    for (int column = 0; column < 4; ++column) table_.put_number(inverse[column][row]);
  }
}

std::uint32_t MosTable::put_driver(const key_weights::AngleWords& angle, std::span<const CurveKey> keys) {
  assert(!keys.empty() && keys.size() <= shared::kMaxMosKeys);
  const std::uint32_t word = table_.size();
  const auto count = static_cast<std::uint32_t>(keys.size());
  table_.put_word(std::max(count, shared::kMinMosKeys));
  for (const std::uint32_t part : angle) table_.put_word(part);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    table_.put_number(glm::radians(double{keys[k].at}));
    table_.put_number(keys[k].value);
    table_.put_number(glm::degrees(monotone_slope(keys, k)));
  }
  if (count == 1) {  // there are always at least two keys
    table_.put_number(glm::radians(double{keys[0].at}) + 1);
    table_.put_number(keys[0].value);
    table_.put_number(0);
  }
  return word;
}

void MosTable::put_edit(const PointEdit& edit, const ControlPoint& point) {
  const glm::dmat4& at_bind = table_.at_bind(point.joint);
  const glm::dmat3 axes(at_bind);
  glm::dmat3 turn(shared::orthonormal_axes(glm::mat3(axes)));
  glm::dvec3 offset(edit.offset);
  if (point.rotation != glm::dmat3(1.0)) {
    offset = glm::transpose(turn) * point.rotation * turn * offset;
    turn = point.rotation * turn;
  }
  const std::uint32_t end = table_.size() + shared::kMosEditWords;
  table_.put_word(operation_word(edit.operation));
  table_.put_word(edit.driver.value_or(shared::kMosNoWord));
  switch (edit.operation) {
    case MosOperation::kBulge:
      table_.put_vector({edit.factor - 1.0, 0, 0});
      table_.put_vector(in_space_of(at_bind, edit.pivot));
      break;
    case MosOperation::kSlide:
      table_.put_number(edit.distance);
      table_.put_word(edit.from);
      table_.put_word(edit.to);
      for (int c = 0; c < 3; ++c) {
        table_.put_number(offset_along(glm::length(axes[c]), offset[c]));
      }
      break;
    case MosOperation::kScale: {
      const glm::dvec3 more = glm::dvec3(edit.scale) - 1.0;
      const glm::dmat3 factor = turn * glm::dmat3(more.x, 0, 0, 0, more.y, 0, 0, 0, more.z) * glm::transpose(turn);
      table_.put_vector({factor[0][0], factor[1][1], factor[2][2]});
      table_.put_vector({factor[0][1], factor[0][2], factor[1][2]});
      break;
    }
    case MosOperation::kMotion:
      table_.put_number(edit.factor - 1.0);
      break;
    case MosOperation::kTwist: {
      const glm::dvec3 bone(table_.at_bind(edit.to)[3] - table_.at_bind(edit.from)[3]);
      table_.put_vector({edit.radians, 0, 0});
      if (!point.turn || !point.turn->angles) table_.put_vector(glm::normalize(bone));
      break;
    }
  }
  while (table_.size() < end) table_.put_word(0);
}

void MosTable::put_own_edit(std::uint32_t operation, float number, std::uint32_t word, const glm::dvec3& vector) {
  table_.put_word(operation);
  table_.put_word(shared::kMosNoWord);
  table_.put_number(number);
  table_.put_word(word);
  table_.put_word(0);
  table_.put_vector(vector);
}

std::uint32_t MosTable::put_point(const ControlPoint& point, std::span<const std::uint32_t> chains,
                                  std::span<const PointEdit> edits) {
  assert(edits.size() <= shared::kMaxMosEdits);
  const std::uint32_t word = table_.size();
  const glm::dmat4& joint = table_.at_bind(point.joint);
  const glm::dmat3 axes(joint);
  const float scale = shared::axes_scale(glm::mat3(axes));
  const PointTurn turn = point.turn.value_or(PointTurn{});
  table_.put_word(point.joint);
  table_.put_vector(in_space_of(joint, point.position));
  table_.put_matrix(glm::inverse(axes));
  table_.put_number(scale > 0 ? 1 / scale : 1);
  table_.put_matrix(point.rotation * (frames_ == MosFrames::kJoint ? axes : glm::dmat3(1.0)));
  table_.put_vector(point.position);
  const std::uint32_t chain = point.turn ? chains[turn.chain] : shared::kMosNoWord;
  // The axis points towards the end of the chain, wherever its top is: angles on both sides of the top are blended.
  const bool backwards = point.turn && turn.far < table_.words()[chain + 1];
  table_.put_word(chain);
  table_.put_word(turn.far);
  table_.put_number(turn.swing);
  table_.put_number(turn.twist);
  table_.put_vector(glm::dvec3(backwards ? -turn.axis : turn.axis));
  table_.put_word(turn.angles ? shared::kMosAngles : shared::kMosWhole);
  const bool outward = point.outward != 0;
  const bool roll = turn.roll != 0;
  assert(!roll || turn.angles);
  table_.put_word(static_cast<std::uint32_t>(edits.size()) + (outward ? 1 : 0) + (roll ? 1 : 0));
  table_.put_word(word + shared::kMosPointWords);
  if (outward) put_own_edit(shared::kMosOutward, point.outward, std::bit_cast<std::uint32_t>(point.around), point.off);
  if (roll) put_own_edit(shared::kMosRoll, turn.roll, turn.roller);
  for (const PointEdit& edit : edits) put_edit(edit, point);
  return word;
}

MosTable::PointEntries MosTable::add_passes(PoseKernel kernel, std::span<const std::uint32_t> points,
                                            CharacterBuilder& builder) {
  PalettePass pass;
  pass.kernel = kernel;
  if (table_.has_chains()) {
    table_.place_anchors(builder.add_pass(anchor_pass()));
    pass.stage = 1;
  }
  for (const std::uint32_t word : points) append_record(pass.records, shared::MosPointRecord{word});
  pass.record_count = static_cast<std::uint32_t>(points.size());
  pass.table = table_.take_words();
  const std::uint32_t first_stage = pass.stage + 1;
  return {builder.add_pass(std::move(pass)), first_stage};
}

PosedPoints::PosedPoints(const MosTable& table, std::span<const glm::mat4> joints, std::span<const float> inputs)
    : table_(table.words()), joints_(joints.begin(), joints.end()), inputs_(inputs.begin(), inputs.end()) {
  const PalettePass anchors = table.anchor_pass();
  palette_.resize(anchors.record_count * shared::kAnchorBlock);
  pose_kernel(anchors.kernel).pose(anchors, 0, anchors.record_count, {joints, {}, inputs, palette_});
}

shared::MosEntries PosedPoints::entries(std::uint32_t word) const {
  shared::PoseWork work = table_work(table_, palette_);
  work.joint_matrices = joints_.data();
  work.inputs = inputs_.data();
  return pose_window_point({word}, work);
}

Affine PosedPoints::frame(std::uint32_t word) const { return shared::mos_frame(entries(word)); }

shared::MosWindow PosedPoints::window(const std::array<std::uint32_t, shared::kMosWindow>& points) const {
  shared::MosWindow window;
  for (std::size_t k = 0; k < points.size(); ++k) window.points[k] = entries(points[k]);
  return window;
}

}  // namespace pelt::mos
