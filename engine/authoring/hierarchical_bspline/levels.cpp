// SPDX-License-Identifier: MIT
#include "engine/authoring/hierarchical_bspline/levels.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include <pelt/curve_skeleton.h>
#include <pelt/try.h>

#include "engine/authoring/driver/from_skin/armpits.h"
#include "engine/authoring/hierarchical_bspline/control_mesh.h"
#include "engine/authoring/hierarchical_bspline/joints.h"
#include "engine/authoring/hierarchical_bspline/level.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/authoring/rows/row_weights.h"
#include "engine/character/base/invalid.h"

namespace pelt::hierarchical_bspline {
namespace {

std::string what_of(const DeformerInput& input, std::uint32_t level) {
  return fmt::format("{}: level {}", input.layer, level);
}

// Binds points to the curve through these joints, like skin of a curve skeleton of this curve only, and adds the passes
// that pose it (Forsey 1994, "Future work"). `what` names their owner. Errors: those of the curve skeleton.
Result<MeshBinding> bind_to_curve(const std::vector<std::string>& joints, std::span<const glm::vec3> points,
                                  const std::string& what, const DeformerInput& input) {
  CurveSkeletonParameters curve;
  curve.automatic = false;
  curve.binding = CurveBinding::kDistance;
  curve.curves = {{.name = "curve", .joints = joints}};
  Model model;
  model.name = input.model.name;
  model.skeleton = input.model.skeleton;
  model.bound_joints = input.model.bound_joints;
  Mesh& mesh = model.meshes.emplace_back();
  mesh.name = "control vertices";
  mesh.positions.assign(points.begin(), points.end());
  const std::vector<float> mask(points.size(), 1.0f);
  const DeformerTarget target{0, mask};
  const DeformerInput of_points{model,         std::span(&target, 1), what,           input.rig,
                                input.threads, input.builder,         input.drivers,  input.notes,
                                input.points,  [](double) {},         input.rig_layer};
  const DeformerParameters parameters(curve);
  PELT_ASSIGN(auto bindings, deformer_entry(parameters).bind(parameters, of_points));
  return std::move(bindings.front());
}

// A further term of a vertex's position: `share` times a point that palette entries move.
struct Term {
  std::vector<WeightedElement> row;
  glm::vec3 point;
  float share;
};
using Terms = std::vector<std::vector<Term>>;  // of each vertex of a level

class Levels {
 public:
  Levels(const HierarchicalBsplineParameters& parameters, const Surface& surface, const Painting* painting,
         Joints& joints, const DeformerInput& input)
      : parameters_(parameters),
        surface_(surface),
        painting_(painting),
        input_(input),
        armpits_(input.model),
        joints_(joints) {}

  Result<std::vector<PosedVertex>> add() {
    plans_.resize(surface_.vertices().size());
    for (std::uint32_t level = 0; level < parameters_.levels.size(); ++level) measure(level);
    for (std::uint32_t level = 0; level < parameters_.levels.size(); ++level) PELT_TRY(plan(level));
    segments_ = joints_.finish();
    name_ = input_.builder.free_name("surface");
    for (std::uint32_t level = 0; level <= surface_.finest(); ++level) PELT_TRY(add_level(level));
    return std::move(posed_);
  }

 private:
  // Enters an attachment, limit or action in the plans of its vertices, and calls visit(plan, number) for each.
  template <class Entry, class Visit>
  Result<void> enter(const Entry& entry, const Entry* VertexPlan::*kind, std::uint32_t level, const char* done,
                     const Visit& visit) {
    for (const IndexRange range : entry.vertices) {
      for (std::uint32_t number = range.first; number <= range.last; ++number) {
        VertexPlan& plan = plans_[static_cast<std::size_t>(surface_.find(level, number) - surface_.vertices().data())];
        if (plan.*kind != nullptr) return invalid("{}: vertex {} {} twice", what_of(input_, level), number, done);
        plan.*kind = &entry;
        visit(plan, number);
      }
    }
    return {};
  }

  void measure(std::uint32_t level) {
    std::vector<std::span<const Influence>> rows;
    std::vector<glm::vec3> points;
    for (const SurfaceAttachment& attachment : parameters_.levels[level].attach) {
      for (const IndexRange range : attachment.vertices) {
        for (std::uint32_t number = range.first; attachment.painted && number <= range.last; ++number) {
          rows.push_back(painting_->row(level, number));
          points.emplace_back(surface_.control(level)[number]);
        }
      }
    }
    joints_.measure(rows, points);
  }

  Result<void> plan(std::uint32_t level) {
    const SurfaceLevel& edits = parameters_.levels[level];
    std::vector<VertexPlan*> painted;
    std::vector<std::span<const Influence>> rows;
    std::vector<float> straight;
    std::vector<glm::vec3> points;
    for (const SurfaceAttachment& attachment : edits.attach) {
      std::uint32_t joint = 0;
      std::uint32_t segment = 0;
      if (!attachment.joint.empty()) {
        PELT_ASSIGN(joint, joints_.find(attachment.joint, what_of(input_, level)));
        segment = joints_.segment(joint, attachment);
      }
      const bool is_long = attachment.length > 0 && joints_.parent(joint) != joint;
      const std::uint32_t whole = is_long ? joints_.whole(joint) : 0;
      const std::uint32_t parent = is_long ? joints_.whole(joints_.parent(joint)) : 0;
      PELT_TRY(
          enter(attachment, &VertexPlan::attachment, level, "is attached", [&](VertexPlan& plan, std::uint32_t number) {
            plan.segment = segment;
            plan.whole = whole;
            plan.parent = parent;
            plan.joint = joint;
            if (!attachment.painted) return;
            painted.push_back(&plan);
            rows.push_back(painting_->row(level, number));
            points.emplace_back(surface_.control(level)[number]);
            straight.push_back(armpits_.share(points.back(), rows.back()));
          }));
    }
    std::vector<std::vector<Influence>> motions = joints_.painted(rows, straight, points);
    for (std::size_t i = 0; i < painted.size(); ++i) painted[i]->painted = std::move(motions[i]);
    for (const SurfaceLimit& limit : edits.limits) {
      PELT_ASSIGN(const auto joint, joints_.find(limit.joint, what_of(input_, level)));
      PELT_TRY(enter(limit, &VertexPlan::limit, level, "is limited",
                     [&](VertexPlan& plan, std::uint32_t) { plan.limiting_joint = joint; }));
    }
    for (const SurfaceSeparation& separation : edits.separations) {
      PELT_TRY(enter(separation, &VertexPlan::separation, level, "is separated", [](VertexPlan&, std::uint32_t) {}));
    }
    for (const SecondaryAction& action : edits.secondary) {
      PELT_TRY(enter(action, &VertexPlan::action, level, "swings", [](VertexPlan&, std::uint32_t) {}));
    }
    return {};
  }

  Mesh control_mesh(const std::string& name, std::uint32_t level, std::span<const std::uint32_t> vertices) const {
    Mesh mesh = make_control_mesh(surface_, level, vertices);
    mesh.name = input_.builder.free_name(name);
    return mesh;
  }

  bool is_painted(std::uint32_t v) const { return plans_[v].attachment != nullptr && plans_[v].attachment->painted; }

  // A sub-segment with a length L turns about its middle m, on the parabola from the parent's bone to the joint's. With
  // the unit bones b_p, b_j and the fraction x of the joint at c: D W = R S (W - m) + m^D,
  //     m = c + back + ahead,   back = -(1 - x)^2 L/2 b_p,   ahead = x^2 L/2 b_j;   m^D: back by A_p, ahead by A_j.
  // The terms add this to the sub-segment's own motion about c, which has moved to (1 - x) A_p c + x A_j c.
  std::vector<Term> arc_terms(const VertexPlan& plan) const {
    const float x = plan.attachment->share();
    const std::uint32_t parent = joints_.parent(plan.joint);
    const glm::vec3 c = joints_.origin(plan.joint);
    const auto unit = [](glm::vec3 v) { return glm::dot(v, v) > 0 ? glm::normalize(v) : v; };
    const glm::vec3 back = -0.5f * plan.attachment->length * (1 - x) * (1 - x) * unit(c - joints_.origin(parent));
    const glm::vec3 ahead = 0.5f * plan.attachment->length * x * x * unit(joints_.bone(plan.joint));
    const std::uint32_t above = segments_ + plan.parent, below = segments_ + plan.whole;
    return {{{{above, 1.0}}, c + back, 1},
            {{{below, 1.0}}, c + ahead, 1},
            {{{segments_ + plan.segment, 1.0}}, c + back + ahead, -1},
            {{{above, x}, {below, 1 - x}}, c, -1}};
  }

  // Returns the rows over palette entries that move the vertices of a level, and adds their further terms.
  Result<std::vector<std::vector<Influence>>> motions(const Level& level, Terms& terms) {
    std::vector<std::vector<Influence>> rows(level.last - level.first);
    FramePass frames(surface_, posed_, FrameKind::kTangent);
    std::vector<std::uint32_t> framed;
    std::map<const SurfaceAttachment*, std::vector<std::uint32_t>> carried;  // by curves
    for (std::uint32_t v = level.first; v < level.last; ++v) {
      const VertexPlan& plan = plans_[v];
      std::vector<Influence>& row = rows[v - level.first];
      if (is_painted(v)) {
        row = plan.painted;
        for (Influence& influence : row) influence.index += segments_;
      } else if (plan.attachment != nullptr && !plan.attachment->curve.empty()) {
        carried[plan.attachment].push_back(v);
      } else if (plan.attachment != nullptr && plan.attachment->plain) {
        // W = R + O, with O turned by the root: G W + F R - G R.
        const std::uint32_t root = input_.builder.root_entry();
        const auto at = glm::vec3(at_bind(surface_, surface_.vertices()[v].reference).position);
        row = {{root, 1.0f}};
        terms[v - level.first] = {{{{frames.add(surface_.vertices()[v].reference), 1.0}}, at, 1},
                                  {{{root, 1.0}}, at, -1}};
        framed.push_back(v);
      } else if (plan.attachment != nullptr) {
        row = {{segments_ + plan.segment, 1.0f}};
        if (plan.whole != plan.parent) terms[v - level.first] = arc_terms(plan);
      } else if (level.number == 0) {
        row = {{input_.builder.root_entry(), 1.0f}};
      } else {
        row = {{frames.add(surface_.vertices()[v].reference), 1.0f}};
        framed.push_back(v);
      }
    }
    if (!framed.empty()) {
      const std::uint32_t first_entry = frames.finish(input_.builder);
      for (const std::uint32_t v : framed) {
        std::vector<Term>& term = terms[v - level.first];
        (term.empty() ? rows[v - level.first][0].index : term[0].row[0].index) += first_entry;
      }
    }
    for (const auto& [attachment, vertices] : carried) {
      std::vector<glm::vec3> positions;
      for (const std::uint32_t v : vertices) positions.push_back(surface_.vertices()[v].rest);
      PELT_ASSIGN(const auto binding,
                  bind_to_curve(attachment->curve, positions, what_of(input_, level.number), input_));
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        const std::span<const Influence> row = binding.rows.row(i);
        rows[vertices[i] - level.first].assign(row.begin(), row.end());
      }
    }
    return rows;
  }

  Result<void> add_level(std::uint32_t number) {
    static const SurfaceLevel kNoEdits;
    const auto level_of = [](const StoredVertex& vertex) { return vertex.level; };
    const auto [first, last] = std::ranges::equal_range(surface_.vertices(), number, {}, level_of);
    if (first == last) return {};
    const auto begin = static_cast<std::uint32_t>(first - surface_.vertices().begin());
    Level level{.number = number,
                .first = begin,
                .last = begin + static_cast<std::uint32_t>(last - first),
                .edits = number < parameters_.levels.size() ? parameters_.levels[number] : kNoEdits,
                .surface = surface_,
                .joints = joints_,
                .input = input_,
                .plans = plans_,
                .posed = posed_};
    CharacterBuilder& builder = input_.builder;
    Terms terms(level.last - level.first);
    PELT_ASSIGN(const auto rows, motions(level, terms));
    std::vector<std::uint32_t> all;
    MeshBinding binding;
    for (const std::vector<Influence>& row : rows) {
      all.push_back(level.first + static_cast<std::uint32_t>(all.size()));
      level.entries.push_back(strongest_influence(row).index);
      binding.rows.append_row(row);
    }
    const std::string name = number == 0 ? name_ : fmt::format("{} level {}", name_, number);
    const Mesh mesh = control_mesh(name, number, all);
    ControlOptions options;
    PELT_ASSIGN(options.offset_entry, add_keys(level, name_, mesh));
    PELT_ASSIGN(const auto control,
                builder.add_control_mesh(mesh, std::move(binding), "hierarchical_bspline", options));
    builder.note_driver(control, input_.rig_layer);
    builder.note_level(control, surface_.topology().size(number));
    if (!level.edits.moves.empty()) {
      PELT_TRY(builder.move_vertices(control, moves_at_bind(surface_, number, level.edits.moves)));
    }
    for (const std::uint32_t v : all) {
      posed_.push_back({builder.first_vertex(control) + v - level.first, builder.stage_after(control)});
    }
    PELT_TRY(add_terms(level, terms, control, name + " shifted"));
    // In sequence: a vertex may follow one that follows.
    for (const SurfaceKeys& keys : level.edits.keys) {
      if (!keys.follow) continue;
      PELT_ASSIGN(auto following, shift_following(level, keys));
      PELT_TRY(add(std::move(following), name + " following", number));
    }
    PELT_TRY(add(shift_limited(level), name + " limited", number));
    PELT_TRY(add(shift_separated(level), name + " separated", number));
    PELT_ASSIGN(auto swinging, shift_swinging(level));
    return add(std::move(swinging), name + " swinging", number);
  }

  // Adds a control mesh of the vertices with further terms, which move on from the level's mesh.
  Result<void> add_terms(const Level& level, const Terms& terms, std::size_t control, const std::string& name) {
    std::size_t most = 0;
    for (const std::vector<Term>& own : terms) most = std::max(most, own.size());
    if (most == 0) return {};
    MeshBinding binding;
    binding.offset_groups.resize(most);
    std::vector<std::uint32_t> vertices;
    const std::uint32_t first_entry = input_.builder.frame_entries(control);
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
      if (terms[i].empty()) continue;
      vertices.push_back(level.first + i);
      const Influence one{first_entry + i, 1.0f};
      binding.rows.append_row(std::span(&one, 1));
      for (std::size_t t = 0; t < most; ++t) {
        const Term term = t < terms[i].size() ? terms[i][t] : Term{{}, glm::vec3(0.0f), 0};
        append_row(binding.offset_groups[t].rows, term.row);
        binding.offset_groups[t].local.emplace_back(term.point, term.share);
      }
    }
    return read_from(name, level.number, vertices, std::move(binding));
  }

  // Adds a control mesh of vertices, and has them read from there from now on.
  Result<void> read_from(const std::string& name, std::uint32_t level, std::span<const std::uint32_t> vertices,
                         MeshBinding binding) {
    CharacterBuilder& builder = input_.builder;
    PELT_ASSIGN(const auto control, builder.add_control_mesh(control_mesh(name, level, vertices), std::move(binding),
                                                             "hierarchical_bspline"));
    for (std::uint32_t i = 0; i < vertices.size(); ++i) {
      posed_[vertices[i]] = {builder.first_vertex(control) + i, builder.stage_after(control)};
    }
    return {};
  }

  // Adds a control mesh of the vertices that a pass shifts.
  Result<void> add(Shift shift, const std::string& name, std::uint32_t level) {
    if (shift.vertices.empty()) return {};
    CharacterBuilder& builder = input_.builder;
    for (const std::uint32_t v : shift.vertices) shift.pass.stage = std::max(shift.pass.stage, posed_[v].stage);
    shift.pass.record_count = static_cast<std::uint32_t>(shift.vertices.size());
    const std::uint32_t first_entry = builder.add_pass(std::move(shift.pass));
    MeshBinding binding;
    for (std::uint32_t i = 0; i < shift.vertices.size(); ++i) {
      const Influence one{first_entry + i * shift.entries, 1.0f};
      binding.rows.append_row(std::span(&one, 1));
    }
    return read_from(name, level, shift.vertices, std::move(binding));
  }

  const HierarchicalBsplineParameters& parameters_;
  const Surface& surface_;
  const Painting* painting_;
  const DeformerInput& input_;
  from_skin::Armpits armpits_;
  Joints& joints_;
  std::vector<VertexPlan> plans_;  // of the stored vertices
  std::uint32_t segments_ = 0;
  std::string name_;
  std::vector<PosedVertex> posed_;
};

}  // namespace

std::string Level::what() const { return what_of(input, number); }

glm::vec3 Level::reference(std::uint32_t v) const {
  const StoredVertex& vertex = surface.vertices()[v];
  const VertexPlan& plan = plans[v];
  if (plan.attachment != nullptr && !plan.attachment->joint.empty()) return joints.origin(plan.joint);
  return number > 0 ? glm::vec3(at_bind(surface, vertex.reference).position) : vertex.rest;
}

Result<std::vector<PosedVertex>> add_levels(const HierarchicalBsplineParameters& parameters, const Surface& surface,
                                            const Painting* painting, Joints& joints, const DeformerInput& input) {
  return Levels(parameters, surface, painting, joints, input).add();
}

std::vector<VertexOffset> moves_at_bind(const Surface& surface, std::uint32_t level,
                                        std::span<const VertexOffset> moves) {
  const auto first = std::ranges::find(surface.vertices(), level, &StoredVertex::level);
  std::vector<VertexOffset> result;
  for (const VertexOffset& move : moves) {
    const StoredVertex* vertex = surface.find(level, move.vertex);
    result.push_back({static_cast<std::uint32_t>(vertex - &*first), glm::vec3(vertex->axes * glm::dvec3(move.offset))});
  }
  return result;
}

}  // namespace pelt::hierarchical_bspline
