// SPDX-License-Identifier: MIT
#include "samples/pelt/element_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <optional>

#include <pelt/pack.h>

#include "engine/character/pose_kernels.h"
#include "engine/character/records.h"
#include "samples/pelt/input.h"
#include "shaders/curve_skeleton/pose.h"
#include "shaders/driver/action_line/pose.h"
#include "shaders/driver/patch_frame/pose.h"
#include "shaders/driver/vertex_frame/pose.h"
#include "shaders/linear_blend/pose.h"
#include "shaders/mos/point_pose.h"
#include "shaders/mos/table_pose.h"
#include "shaders/surface_ffd/pose.h"

namespace pelt::samples {
namespace {

std::optional<std::uint32_t> parse_number(const std::string& text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// The palette's shares in what is asked for -> the vertices' shares.
void blend_shares(const CharacterMesh& mesh, const std::vector<float>& shares, std::vector<float>& vertices) {
  const SparseRows rows = unpack_rows(mesh.binding);
  for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
    float share = 0;
    for (const Influence& influence : rows.row(v))
      share += influence.weight * shares[mesh.first_slot + influence.index];
    vertices[mesh.first_vertex + v] = share;
  }
}

// A sample between two anchors of a curve: of the bone beside the joint as much as it has come along it.
float curve_share(const PalettePass& pass, std::uint32_t record, std::uint32_t slot, std::uint32_t joint) {
  const auto curve = read_record<shared::CurveRecord>(pass.records, record);
  const std::uint32_t anchor = pass.table[curve.curve + 2] + curve.bone * shared::kAnchorWords;
  const float lambda = std::bit_cast<float>(pass.table[curve.first_sample + slot * shared::kCurveSampleWords]);
  return (pass.table[anchor] == joint ? 1 - lambda : 0.0f) +
         (pass.table[anchor + shared::kAnchorWords] == joint ? lambda : 0.0f);
}

// A sample of a muscle's line: of the two control points beside it.
float line_share(const PalettePass& pass, std::uint32_t record, std::uint32_t slot,
                 const std::vector<float>& vertices) {
  const auto line = read_record<shared::ActionLineRecord>(pass.records, record);
  const std::uint32_t first = pass.table[line.line + shared::kLineFirstPoint];
  const std::uint32_t spans = pass.table[line.line + shared::kLinePointCount] - 1;
  const float lambda = std::bit_cast<float>(pass.table[line.first_sample + slot * shared::kLineSampleWords]);
  const std::uint32_t span = std::min(static_cast<std::uint32_t>(lambda * static_cast<float>(spans)), spans - 1);
  return std::lerp(vertices[first + span], vertices[first + span + 1],
                   lambda * static_cast<float>(spans) - static_cast<float>(span));
}

// A control point: of its joint alone, whatever it turns with.
float point_share(const PalettePass& pass, std::uint32_t point, std::uint32_t joint) {
  return pass.table[point] == joint ? 1.0f : 0.0f;
}

// A sample of a window of control points.
float window_share(const PalettePass& pass, std::uint32_t record, std::uint32_t slot, std::uint32_t joint) {
  const auto window = read_record<shared::MosTableRecord>(pass.records, record);
  const float u = std::bit_cast<float>(pass.table[window.first_sample + slot * shared::kMosSampleWords]);
  const glm::vec4 weights = shared::spline_basis(u);
  float share = 0;
  for (std::uint32_t k = 0; k < shared::kMosWindow; ++k) {
    share += weights[static_cast<glm::length_t>(k)] * point_share(pass, window.points[k], joint);
  }
  return share;
}

// The share of a joint in a palette entry that a record poses.
float record_share(const PalettePass& pass, std::uint32_t record, std::uint32_t slot, std::uint32_t joint,
                   const std::vector<float>& vertices) {
  switch (pass.kernel) {
    case PoseKernel::kLinearBlend:
    case PoseKernel::kDualQuaternion:
      return read_record<shared::JointRecord>(pass.records, record).joint == joint ? 1.0f : 0.0f;
    case PoseKernel::kSurfaceFfd: {
      const auto triangle = read_record<shared::TriangleRecord>(pass.records, record);
      return (vertices[triangle.a] + vertices[triangle.b] + vertices[triangle.c]) / 3;
    }
    case PoseKernel::kVertexFrame:
      return vertices[read_record<shared::VertexFrameRecord>(pass.records, record).vertex];
    case PoseKernel::kPatchFrame: {
      const auto sample = read_record<shared::PatchRecord>(pass.records, record);
      float share = 0;
      for (std::uint32_t i = 0; i < sample.basis_count; ++i) {
        const std::uint32_t word = sample.first_word + i * shared::kPatchBasisWords;
        share += std::bit_cast<float>(pass.table[word + 1]) * vertices[pass.table[word]];
      }
      return share;
    }
    case PoseKernel::kCurveSkeleton:
    case PoseKernel::kSplineCurve:
      return curve_share(pass, record, slot, joint);
    case PoseKernel::kActionLine:
      return line_share(pass, record, slot, vertices);
    case PoseKernel::kMosPoint:
      return point_share(pass, read_record<shared::MosPointRecord>(pass.records, record).point, joint);
    case PoseKernel::kMosTable:
      return window_share(pass, record, slot, joint);
    case PoseKernel::kStream:
    case PoseKernel::kKeyPose:
      break;
  }
  return 0;
}

std::vector<float> joint_weights(const CharacterData& data, std::uint32_t joint) {
  std::vector<float> shares(data.palette_size, 0.0f);
  std::vector<float> vertices(data.vertex_count(), 0.0f);
  for (std::uint32_t stage = 0; stage < data.stage_count; ++stage) {
    for (const PalettePass& pass : data.passes) {
      if (pass.stage != stage) continue;
      const std::uint32_t slots = pose_kernel(pass.kernel).slots_per_record;
      for (std::uint32_t r = 0; r < pass.record_count; ++r) {
        for (std::uint32_t k = 0; k < slots; ++k) {
          shares[pass.first_slot + r * slots + k] = record_share(pass, r, k, joint, vertices);
        }
      }
    }
    for (const CharacterMesh& mesh : data.meshes) {
      if (mesh.stage != stage) continue;
      blend_shares(mesh, shares, vertices);
      for (std::uint32_t v = 0; mesh.frame_slot && v < mesh.vertex_count(); ++v) {
        shares[*mesh.frame_slot + v] = vertices[mesh.first_vertex + v];
      }
    }
  }
  return vertices;
}

}  // namespace

Result<std::vector<float>> element_weights(const Character& character, const std::string& element) {
  const CharacterData& data = *character;
  const std::optional<std::uint32_t> joint = data.skeleton.find(element);
  if (joint) return joint_weights(data, *joint);
  const std::optional<std::uint32_t> number = parse_number(element);
  if (!number) {
    std::vector<std::string_view> names;
    for (const Joint& known : data.skeleton.joints) names.push_back(known.name);
    return tl::unexpected(unknown_name("joint", "joints", element, names));
  }
  if (*number >= data.palette_size) {
    return fail(ErrorCode::kNotFound, fmt::format("there is no palette element {}; there are {}, counted from 0",
                                                  *number, data.palette_size));
  }
  std::vector<float> shares(data.palette_size, 0.0f);
  shares[*number] = 1;
  std::vector<float> vertices(data.vertex_count(), 0.0f);
  for (const CharacterMesh& mesh : data.meshes) blend_shares(mesh, shares, vertices);
  return vertices;
}

}  // namespace pelt::samples
