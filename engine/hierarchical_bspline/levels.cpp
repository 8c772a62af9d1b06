// SPDX-License-Identifier: MIT
#include "engine/hierarchical_bspline/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include <pelt/finite.h>
#include <pelt/frame.h>
#include <pelt/try.h>

#include "engine/character/records.h"
#include "engine/deformer/table_writer.h"
#include "engine/driver/key_pose/bind.h"
#include "engine/hierarchical_bspline/action_pull.h"
#include "engine/hierarchical_bspline/control_mesh.h"
#include "engine/hierarchical_bspline/curve_attachment.h"
#include "engine/hierarchical_bspline/joints.h"
#include "shaders/hierarchical_bspline/action_pose.h"
#include "shaders/hierarchical_bspline/follow_pose.h"
#include "shaders/hierarchical_bspline/frame_pose.h"
#include "shaders/hierarchical_bspline/limit_pose.h"

namespace pelt::hierarchical_bspline {
namespace {

// What a stored vertex follows and what it is held by.
struct Plan {
  const SurfaceAttachment* attachment = nullptr;  // none: the level before, or the root
  std::uint32_t segment = 0;                      // record of the pass of joints, unless it is a curve's
  std::uint32_t joint = 0;                        // of the segment
  std::optional<std::pair<const SurfaceLimit*, std::uint32_t>> limit;  // and its joint
  const SecondaryAction* action = nullptr;
};

// Calls visit(index in the level's stored vertices) for every number of the ranges.
template <class Visit>
Result<void> for_each_vertex(const std::vector<IndexRange>& ranges, const Surface& surface, std::uint32_t level,
                             std::uint32_t first, const Visit& visit) {
  for (const IndexRange range : ranges) {
    for (std::uint32_t number = range.first; number <= range.last; ++number) {
      const StoredVertex* vertex = surface.find(level, number);
      PELT_TRY(visit(static_cast<std::uint32_t>(vertex - surface.vertices().data()) - first, number));
    }
  }
  return {};
}

class Levels {
 public:
  Levels(const HierarchicalBsplineParameters& parameters, Surface& surface, const DeformerInput& input)
      : parameters_(parameters), surface_(surface), input_(input), joints_(input) {}

  Result<std::vector<PosedVertex>> add() {
    PELT_TRY(make_plans());
    segments_ = joints_.finish();
    name_ = input_.builder.free_name("surface");
    std::uint32_t first = 0;
    for (std::uint32_t level = 0; level <= surface_.finest(); ++level) {
      std::uint32_t last = first;
      while (last < surface_.vertices().size() && surface_.vertices()[last].level == level) ++last;
      PELT_TRY(add_level(level, first, last));
      first = last;
    }
    return std::move(posed_);
  }

 private:
  std::string what(std::uint32_t level) const { return fmt::format("{}: level {}", input_.layer, level); }

  Result<void> make_plans() {
    plans_.resize(surface_.vertices().size());
    for (std::uint32_t level = 0; level < parameters_.levels.size(); ++level) {
      const auto of_level = [&](const StoredVertex& vertex) { return vertex.level == level; };
      const auto first =
          static_cast<std::uint32_t>(std::ranges::find_if(surface_.vertices(), of_level) - surface_.vertices().begin());
      const auto twice = [&](std::uint32_t number, const char* done) {
        return fail(ErrorCode::kInvalidArgument, fmt::format("{}: vertex {} {} twice", what(level), number, done));
      };
      for (const SurfaceAttachment& attachment : parameters_.levels[level].attach) {
        std::uint32_t joint = 0;
        std::uint32_t segment = 0;
        if (attachment.curve.empty()) {
          PELT_ASSIGN(joint, joints_.find(attachment.joint, what(level)));
          segment = joints_.segment(joint, attachment);
        }
        const auto attach = [&](std::uint32_t vertex, std::uint32_t number) -> Result<void> {
          Plan& plan = plans_[first + vertex];
          if (plan.attachment != nullptr) return twice(number, "is attached");
          plan.attachment = &attachment;
          plan.segment = segment;
          plan.joint = joint;
          return {};
        };
        PELT_TRY(for_each_vertex(attachment.vertices, surface_, level, first, attach));
      }
      for (const SurfaceLimit& limit : parameters_.levels[level].limits) {
        PELT_ASSIGN(const auto joint, joints_.find(limit.joint, what(level)));
        const auto hold = [&](std::uint32_t vertex, std::uint32_t number) -> Result<void> {
          Plan& plan = plans_[first + vertex];
          if (plan.limit) return twice(number, "is limited");
          plan.limit = {&limit, joint};
          return {};
        };
        PELT_TRY(for_each_vertex(limit.vertices, surface_, level, first, hold));
      }
      for (const SecondaryAction& action : parameters_.levels[level].secondary) {
        const auto swing = [&](std::uint32_t vertex, std::uint32_t number) -> Result<void> {
          Plan& plan = plans_[first + vertex];
          if (plan.action != nullptr) return twice(number, "swings");
          plan.action = &action;
          return {};
        };
        PELT_TRY(for_each_vertex(action.vertices, surface_, level, first, swing));
      }
    }
    return {};
  }

  Mesh control_mesh(const std::string& name, std::uint32_t level, std::span<const std::uint32_t> vertices) const {
    Mesh mesh = make_control_mesh(surface_, level, vertices);
    mesh.name = input_.builder.free_name(name);
    return mesh;
  }

  // Returns the rows over palette entries that move vertices [first, last) of a level.
  Result<std::vector<std::vector<Influence>>> motions(std::uint32_t level, std::uint32_t first, std::uint32_t last) {
    std::vector<std::vector<Influence>> rows(last - first);
    FramePass frames(surface_, posed_);
    std::vector<std::uint32_t> framed;
    std::map<const SurfaceAttachment*, std::vector<std::uint32_t>> carried;  // by curves
    for (std::uint32_t v = first; v < last; ++v) {
      const Plan& plan = plans_[v];
      std::vector<Influence>& row = rows[v - first];
      if (plan.attachment != nullptr && !plan.attachment->curve.empty()) {
        carried[plan.attachment].push_back(v);
      } else if (plan.attachment != nullptr) {
        row = {{segments_ + plan.segment, 1.0f}};
      } else if (level == 0) {
        row = {{input_.builder.root_slot(), 1.0f}};
      } else {
        row = {{frames.add(surface_.vertices()[v].reference), 1.0f}};
        framed.push_back(v);
      }
    }
    if (!framed.empty()) {
      const std::uint32_t first_slot = frames.finish(input_.builder);
      for (const std::uint32_t v : framed) rows[v - first][0].index += first_slot;
    }
    for (const auto& [attachment, vertices] : carried) {
      std::vector<glm::vec3> positions;
      for (const std::uint32_t v : vertices) positions.push_back(surface_.vertices()[v].rest);
      PELT_ASSIGN(const auto binding, bind_to_curve(attachment->curve, positions, input_));
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        const std::span<const Influence> row = binding.rows.row(i);
        rows[vertices[i] - first].assign(row.begin(), row.end());
      }
    }
    return rows;
  }

  // Returns a stored vertex's own offset, model space at bind: from the joint that it is attached to, or from where
  // refinement puts it; 0 on the base.
  glm::vec3 own_offset(std::uint32_t v) const {
    const StoredVertex& vertex = surface_.vertices()[v];
    return vertex.rest - reference_of(v);
  }

  // Returns the reference of equation 2, model space at bind.
  glm::vec3 reference_of(std::uint32_t v) const {
    const StoredVertex& vertex = surface_.vertices()[v];
    const Plan& plan = plans_[v];
    if (plan.attachment != nullptr && plan.attachment->curve.empty()) return joints_.origin(plan.joint);
    return vertex.level > 0 ? glm::vec3(at_bind(surface_, vertex.reference).position) : vertex.rest;
  }

  // Returns what a key adds to each vertex [first, ...) of a level's mesh, model space at bind.
  std::vector<glm::vec3> offsets_of(const SurfaceKeys& keys, const SurfaceKey& key, std::uint32_t level,
                                    std::uint32_t first, std::uint32_t last) const {
    std::vector<glm::vec3> offsets(last - first, glm::vec3(0.0f));
    const auto stored = [&](std::uint32_t number) {
      return static_cast<std::uint32_t>(surface_.find(level, number) - surface_.vertices().data());
    };
    for (const VertexOffset& offset : key.offsets) {
      const std::uint32_t v = stored(offset.vertex);
      const glm::dmat3 axes = level > 0 ? at_bind(surface_, surface_.vertices()[v].reference).axes() : glm::dmat3(1.0);
      offsets[v - first] += glm::vec3(axes * glm::dvec3(offset.offset));
    }
    for (const IndexRange range : keys.vertices) {
      for (std::uint32_t number = range.first; number <= range.last; ++number) {
        const std::uint32_t v = stored(number);
        offsets[v - first] += (key.length - 1) * own_offset(v);
      }
    }
    return offsets;
  }

  // Adds a key's weight over a control: a hat from its neighbours, held beyond the outermost keys.
  static std::uint32_t hat(std::span<const float> at, std::size_t k, std::uint32_t input,
                           key_weights::WeightTable& weights) {
    constexpr float kBelowAll = -2e9f;
    std::vector<std::uint32_t> keys = {k > 0 ? weights.add_ramp(input, at[k - 1], at[k], 1)
                                             : weights.add_ramp(input, kBelowAll, kBelowAll / 2, 1)};
    if (k + 1 < at.size()) keys.push_back(weights.add_ramp(input, at[k], at[k + 1], -1));
    return weights.add_weight(std::move(keys));
  }

  // Checks keys and returns their parameters, 0 among them.
  Result<std::vector<float>> parameters_of(const SurfaceKeys& keys, std::uint32_t level) const {
    std::vector<float> at = {0.0f};
    for (const SurfaceKey& key : keys.keys) at.push_back(key.at);
    std::ranges::sort(at);
    if (!std::ranges::all_of(at, [](float value) { return is_near(value); }) ||
        std::ranges::adjacent_find(at) != at.end()) {
      return invalid(input_,
                     fmt::format("level {}: two keys are at one value, or at 0, where nothing is added", level));
    }
    return at;
  }

  // Adds the pass of offsets by controls and angles, and returns its first palette entry, or none.
  Result<std::optional<std::uint32_t>> add_keys(std::uint32_t level, std::uint32_t first, std::uint32_t last,
                                                const Mesh& mesh) {
    key_weights::WeightTable weights;
    std::vector<key_pose::KeyedOffsets> keyed;
    for (const SurfaceKeys& keys : parameters_.levels[level].keys) {
      if (keys.follow) continue;
      PELT_ASSIGN(const auto at, parameters_of(keys, level));
      KeyPoseSet set;
      if (keys.angle) set.angles = {*keys.angle};
      for (const SurfaceKey& key : keys.keys) set.poses.push_back({{key.at}, "", {}});
      std::vector<std::uint32_t> words;
      if (keys.angle) {
        PELT_ASSIGN(words, weights.add_keys(set, input_.model, what(level)));
      }
      for (std::size_t k = 0; k < keys.keys.size(); ++k) {
        const SurfaceKey& key = keys.keys[k];
        const auto place = static_cast<std::size_t>(std::ranges::find(at, key.at) - at.begin());
        const std::uint32_t weight = keys.angle
                                         ? weights.add_weight({words[k]})
                                         : hat(at, place, input_.builder.shape_input(name_, keys.control), weights);
        keyed.push_back({weight, offsets_of(keys, key, level, first, last)});
      }
    }
    return key_pose::add_offsets(weights, keyed, mesh, input_.builder);
  }

  Result<void> add_level(std::uint32_t level, std::uint32_t first, std::uint32_t last) {
    if (first == last) return {};
    CharacterBuilder& builder = input_.builder;
    PELT_ASSIGN(const auto rows, motions(level, first, last));
    std::vector<std::uint32_t> all(last - first);
    std::vector<std::uint32_t> entries(last - first);  // the strongest of each row
    MeshBinding binding;
    for (std::uint32_t v = first; v < last; ++v) {
      all[v - first] = v;
      const std::vector<Influence>& row = rows[v - first];
      entries[v - first] = std::ranges::max_element(row, {}, &Influence::weight)->index;
      binding.rows.append_row(row);
    }
    const std::string name = level == 0 ? name_ : fmt::format("{} level {}", name_, level);
    const Mesh mesh = control_mesh(name, level, all);
    ControlOptions options;
    if (level < parameters_.levels.size()) {
      PELT_ASSIGN(options.offset_slot, add_keys(level, first, last, mesh));
    }
    PELT_ASSIGN(const auto control,
                builder.add_control_mesh(mesh, std::move(binding), "hierarchical_bspline", options));
    builder.note_driver(control, input_.rig_layer);
    if (level < parameters_.levels.size() && !parameters_.levels[level].moves.empty()) {
      PELT_TRY(builder.move_vertices(control, moves_at_bind(surface_, level, parameters_.levels[level].moves)));
    }
    for (std::uint32_t v = first; v < last; ++v) {
      posed_.push_back({builder.first_vertex(control) + v - first, builder.stage_after(control)});
    }
    PELT_TRY(add_follows(name, level, all, entries));
    PELT_TRY(add_limits(name, level, all));
    return add_actions(name, level, all, entries);
  }

  // Adds a control mesh of vertices that a pass shifts, and has them read there from now on.
  Result<void> add_shifted(const std::string& name, std::uint32_t level, std::span<const std::uint32_t> vertices,
                           PalettePass pass, std::uint32_t stride) {
    CharacterBuilder& builder = input_.builder;
    for (const std::uint32_t v : vertices) pass.stage = std::max(pass.stage, posed_[v].stage);
    pass.record_count = static_cast<std::uint32_t>(vertices.size());
    const std::uint32_t first_slot = builder.add_pass(std::move(pass));
    MeshBinding binding;
    for (std::uint32_t i = 0; i < vertices.size(); ++i) {
      const Influence one{first_slot + i * stride, 1.0f};
      binding.rows.append_row(std::span(&one, 1));
    }
    PELT_ASSIGN(const auto control, builder.add_control_mesh(control_mesh(name, level, vertices), std::move(binding),
                                                             "hierarchical_bspline"));
    for (std::uint32_t i = 0; i < vertices.size(); ++i) {
      posed_[vertices[i]] = {builder.first_vertex(control) + i, builder.stage_after(control)};
    }
    return {};
  }

  // Adds the shifts of vertices that follow others. One after the other: a vertex may follow one that follows.
  Result<void> add_follows(const std::string& name, std::uint32_t level, std::span<const std::uint32_t> all,
                           std::span<const std::uint32_t> entries) {
    if (level >= parameters_.levels.size()) return {};
    const std::uint32_t first = all.front();
    const auto last = first + static_cast<std::uint32_t>(all.size());
    for (const SurfaceKeys& keys : parameters_.levels[level].keys) {
      if (!keys.follow) continue;
      const SurfaceFollow& follow = *keys.follow;
      const StoredVertex* followed = follow.level <= level ? surface_.find(follow.level, follow.vertex) : nullptr;
      const float length = glm::length(follow.axis);
      if (followed == nullptr) {
        return invalid(input_,
                       fmt::format("level {}: no level up to this one stores vertex {} of level {} that is to be "
                                   "followed",
                                   level, follow.vertex, follow.level));
      }
      if (!(length > 0) || !is_near(follow.axis)) {
        return invalid(input_, fmt::format("level {}: the axis of the followed vertex has no direction", level));
      }
      PELT_ASSIGN(const auto at, parameters_of(keys, level));
      std::vector<std::vector<glm::vec3>> offsets;  // of each value of `at`
      for (const float value : at) {
        const auto key = std::ranges::find(keys.keys, value, &SurfaceKey::at);
        offsets.push_back(key == keys.keys.end() ? std::vector<glm::vec3>(all.size(), glm::vec3(0.0f))
                                                 : offsets_of(keys, *key, level, first, last));
      }
      std::vector<std::uint32_t> moved;
      PalettePass pass;
      pass.kernel = PoseKernel::kFollow;
      TableWriter table;
      const PosedVertex target = posed_[static_cast<std::size_t>(followed - surface_.vertices().data())];
      for (const std::uint32_t v : all) {
        const auto is_moved = [&](const auto& some) { return some[v - first] != glm::vec3(0.0f); };
        if (std::ranges::none_of(offsets, is_moved)) continue;
        moved.push_back(v);
        append_record(pass.records, shared::FollowRecord{.vertex = posed_[v].vertex,
                                                         .entry = entries[v - first],
                                                         .followed = target.vertex,
                                                         .root = input_.builder.root_slot(),
                                                         .first_word = table.size(),
                                                         .key_count = static_cast<std::uint32_t>(at.size()),
                                                         .rest = surface_.vertices()[v].rest,
                                                         .followed_rest = followed->rest,
                                                         .axis = follow.axis / length});
        for (std::size_t k = 0; k < at.size(); ++k) {
          table.put_number(at[k]);
          table.put_vector(offsets[k][v - first]);
        }
      }
      if (moved.empty()) continue;
      pass.table = table.take_words();
      pass.stage = target.stage;
      PELT_TRY(add_shifted(name + " following", level, moved, std::move(pass), 1));
    }
    return {};
  }

  // Returns how far the vertex is from what the limit keeps it away from, at bind.
  static float clearance(const SurfaceLimit& limit, glm::vec3 from_joint, glm::vec3 normal, glm::vec3 bone) {
    if (limit.kind == SurfaceLimitKind::kBisector) return std::abs(glm::dot(from_joint, normal));
    const float squared = glm::dot(bone, bone);
    const float along = squared > 0 ? std::clamp(glm::dot(from_joint, bone) / squared, 0.0f, 1.0f) : 0.0f;
    return glm::distance(from_joint, bone * along);
  }

  Result<void> add_limits(const std::string& name, std::uint32_t level, std::span<const std::uint32_t> all) {
    std::vector<std::uint32_t> held;
    PalettePass pass;
    pass.kernel = PoseKernel::kLimit;
    for (const std::uint32_t v : all) {
      if (!plans_[v].limit) continue;
      held.push_back(v);
      const auto [limit, joint] = *plans_[v].limit;
      const glm::vec3 rest = surface_.vertices()[v].rest;
      const std::uint32_t parent = joints_.parent(joint);
      const glm::vec3 bone = joints_.bone(joint);
      const glm::vec3 along = shared::normalize_or(bone, glm::vec3(0.0f));
      const glm::vec3 before = shared::normalize_or(joints_.origin(joint) - joints_.origin(parent), along);
      const glm::vec3 normal = shared::normalize_or(before + along, along);
      const glm::vec3 from_joint = rest - joints_.origin(joint);
      append_record(
          pass.records,
          shared::LimitRecord{
              .vertex = posed_[v].vertex,
              .kind = limit->kind == SurfaceLimitKind::kBisector ? shared::kLimitBisector : shared::kLimitDistance,
              .joint = joint,
              .parent = parent,
              .rest = rest,
              .origin = joints_.origin(joint),
              .before = before,
              .bone = bone,
              .side = glm::dot(from_joint, normal) < 0 ? -1.0f : 1.0f,
              // What is nearer at bind stays where it is there.
              .distance = std::min(limit->distance, clearance(*limit, from_joint, normal, bone)),
              .joint_inverse_bind = joints_.inverse_bind(joint),
              .parent_inverse_bind = joints_.inverse_bind(parent)});
    }
    if (held.empty()) return {};
    return add_shifted(name + " limited", level, held, std::move(pass), 1);
  }

  Result<void> add_actions(const std::string& name, std::uint32_t level, std::span<const std::uint32_t> all,
                           std::span<const std::uint32_t> entries) {
    std::vector<std::uint32_t> swinging;
    PalettePass pass;
    pass.kernel = PoseKernel::kSecondaryAction;
    for (const std::uint32_t v : all) {
      const SecondaryAction* action = plans_[v].action;
      if (action == nullptr) continue;
      const StoredVertex& vertex = surface_.vertices()[v];
      const glm::vec3 root = reference_of(v);
      const float length = glm::distance(root, vertex.rest);
      if (!(length > 1e-6f)) {
        return invalid(input_,
                       fmt::format("level {}: vertex {} swings, but has no offset from its reference that a rod "
                                   "could lie along",
                                   level, vertex.number));
      }
      swinging.push_back(v);
      // Motion keeps to the surface that the vertex refers to: the level before, and on the base its own.
      const glm::dvec3 normal = level > 0 ? at_bind(surface_, vertex.reference).axes()[2] : normal_at(surface_, vertex);
      const double stiffness = 3.0 * action->rigidity / std::pow(length, 3) / action->mass;
      const ActionPull along = action_pull(stiffness, action->damping / action->mass);
      const ActionPull into = action_pull(stiffness, action->damping_into / action->mass);
      append_record(pass.records, shared::ActionRecord{.vertex = posed_[v].vertex,
                                                       .entry = entries[v - all.front()],
                                                       .clock = input_.builder.clock_input(),
                                                       .rest = vertex.rest,
                                                       .root = root,
                                                       .normal = glm::vec3(normal),
                                                       .kept = along.kept,
                                                       .pull = along.pull,
                                                       .kept_into = into.kept,
                                                       .pull_into = into.pull,
                                                       .reach = action->reach * length});
    }
    if (swinging.empty()) return {};
    return add_shifted(name + " swinging", level, swinging, std::move(pass), shared::kActionSlots);
  }

  const HierarchicalBsplineParameters& parameters_;
  Surface& surface_;
  const DeformerInput& input_;
  Joints joints_;
  std::vector<Plan> plans_;  // of the stored vertices
  std::uint32_t segments_ = 0;
  std::string name_;
  std::vector<PosedVertex> posed_;
};

}  // namespace

Result<std::vector<PosedVertex>> add_levels(const HierarchicalBsplineParameters& parameters, Surface& surface,
                                            const DeformerInput& input) {
  return Levels(parameters, surface, input).add();
}

SurfacePoint at_bind(const Surface& surface, std::span<const Share> shares) {
  SurfacePoint point{glm::dvec3(0), glm::dvec3(0), glm::dvec3(0)};
  for (const Share& share : shares) {
    const glm::dvec3 rest(surface.vertices()[share.vertex].rest);
    point.position += share.weight * rest;
    point.tangent_u += share.along_u * rest;
    point.tangent_v += share.along_v * rest;
  }
  return point;
}

FramePass::FramePass(const Surface& surface, const std::vector<PosedVertex>& posed) : surface_(surface), posed_(posed) {
  pass_.kernel = PoseKernel::kTangentFrame;
}

std::uint32_t FramePass::add(std::span<const Share> shares) {
  const SurfacePoint point = at_bind(surface_, shares);
  const double length = std::max(glm::length(point.tangent_u), glm::length(point.tangent_v));
  const glm::dmat3 inverse = glm::transpose(point.axes()) / length;
  append_record(
      pass_.records,
      shared::PatchRecord{static_cast<std::uint32_t>(pass_.table.size()), static_cast<std::uint32_t>(shares.size()),
                          affine_from_axes(glm::mat3(inverse), glm::vec3(-(inverse * point.position)))});
  for (const Share& share : shares) {
    pass_.table.push_back(posed_[share.vertex].vertex);
    for (const double number : {share.weight, share.along_u, share.along_v}) {
      pass_.table.push_back(std::bit_cast<std::uint32_t>(static_cast<float>(number)));
    }
    pass_.stage = std::max(pass_.stage, posed_[share.vertex].stage);
  }
  return pass_.record_count++;
}

}  // namespace pelt::hierarchical_bspline
