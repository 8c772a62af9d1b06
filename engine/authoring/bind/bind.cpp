// SPDX-License-Identifier: MIT

#include "engine/authoring/surface_ffd/bind.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <span>
#include <type_traits>
#include <utility>

#include <pelt/bind.h>
#include <pelt/hierarchical_bspline.h>
#include <pelt/paint.h>
#include <pelt/tools/not_carried.h>
#include <pelt/tools/surface_vertices.h>
#include <pelt/tools/write_out.h>
#include <pelt/try.h>

#include "engine/authoring/base/stop.h"
#include "engine/authoring/bind/anchors.h"
#include "engine/authoring/bind/bind_progress.h"
#include "engine/authoring/bind/build_skins.h"
#include "engine/authoring/bind/carried_weights.h"
#include "engine/authoring/bind/check_model.h"
#include "engine/authoring/bind/close_seams.h"
#include "engine/authoring/bind/layer_plan.h"
#include "engine/authoring/bind/merge_layers.h"
#include "engine/authoring/chain/chains.h"
#include "engine/authoring/deformer/blend_groups.h"
#include "engine/authoring/deformer/correctives.h"
#include "engine/authoring/driver/action_line/muscles.h"
#include "engine/authoring/geometry/used_part.h"
#include "engine/authoring/hierarchical_bspline/base.h"
#include "engine/authoring/model/find_named.h"
#include "engine/authoring/rig/check_rig.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/authoring/surface_ffd/driver.h"
#include "engine/character/base/invalid.h"
#include "engine/character/model/helper_joint.h"
#include "shaders/quaternion.h"

namespace pelt {
namespace {

// Binds the layers of a plan. Drivers come before the meshes that they drive. Mesh indices count the model's meshes,
// then its levels. `closed`: the model as deformers see it (close_seams.h).
class Binder {
 public:
  Binder(const Model& model, const Model& closed, std::span<const LevelMapping> levels,
         std::span<const MuscleMeshes> muscles, const Rig& rig, const LayerPlan& plan, const BindOptions& options,
         Correctives correctives, std::vector<SkinAnchor> anchors, std::vector<std::string>& notes)
      : model_(model),
        closed_(closed),
        levels_(levels),
        muscles_(muscles),
        rig_(rig),
        plan_(plan),
        options_(options),
        anchors_(std::move(anchors)),
        notes_(notes),
        progress_(options.progress, stages()),
        builder_(model, options.keep_vertex_order, std::move(correctives)),
        layer_bindings_(plan.layers.size()),
        bound_(plan.layers.size(), false),
        added_(model.meshes.size(), false) {
    if (options.correct) builder_.set_row_order(RowOrder::kPadded);
  }

  Result<Bound> run() {
    for (std::size_t done = 0; done < plan_.layers.size(); ++done) {
      const std::optional<std::size_t> layer = next_layer();
      if (!layer) return tl::unexpected(cycle());
      PELT_TRY(bind_layer(*layer));
      PELT_TRY(add_drivers());
    }
    progress_.begin("packing");
    PELT_ASSIGN(auto skins, merged_skins());
    std::optional<Model> carried;
    if (rig_.check != CheckMode::kNone) carried = carry_weights(model_, plan_, options_.threads, notes_);
    BindReport report{{}, {}, points_, notes_, std::nullopt};
    const BindInput input{carried ? *carried : model_, levels_, muscles_, rig_, plan_, options_};
    PELT_ASSIGN(auto bound, build_skins(input, progress_, std::move(report), std::move(builder_), std::move(skins)));
    PELT_ASSIGN(bound.character, add_anchors(bound.character, model_, std::move(anchors_)));
    progress_.end();
    return bound;
  }

  // Returns the parameters that `make` returns for a layer; the layer's own if it moves nothing.
  Result<DeformerParameters> remade(std::size_t l, Result<DeformerParameters> (*make)(const DeformerParameters&,
                                                                                      const DeformerInput&)) {
    const DeformerParameters& parameters = plan_.layers[l].deformer;
    const std::vector<DeformerTarget> targets = targets_of(l);
    if (targets.empty()) return parameters;
    const std::function<void(double)> progress = [](double) {};
    return make(parameters, input(l, targets, progress));
  }

 private:
  // Returns the largest number of stages that a bind can show: the layers that move something, packing, and the check.
  std::size_t stages() const {
    std::size_t count = 1 + (rig_.check != CheckMode::kNone ? 1 : 0);
    for (std::size_t l = 0; l < plan_.layers.size(); ++l) count += targets_of(l).empty() ? 0 : 1;
    return count;
  }

  const std::vector<LayerAtMesh>& layers_at(std::size_t m) const {
    return m < plan_.meshes.size() ? plan_.meshes[m] : plan_.levels[m - plan_.meshes.size()];
  }

  const Mesh& mesh(std::size_t m) const {
    return m < model_.meshes.size() ? closed_.meshes[m] : levels_[m - model_.meshes.size()].mesh();
  }

  // Returns the meshes that show a layer, with its masks.
  std::vector<DeformerTarget> targets_of(std::size_t layer) const {
    std::vector<DeformerTarget> targets;
    for (std::size_t m = 0; m < model_.meshes.size() + levels_.size(); ++m) {
      const LevelMapping* level = m < model_.meshes.size() ? nullptr : &levels_[m - model_.meshes.size()];
      for (const LayerAtMesh& at : layers_at(m)) {
        if (at.layer != layer) continue;
        targets.push_back({level == nullptr ? static_cast<std::uint32_t>(m) : level->of(), at.mask, level});
      }
    }
    return targets;
  }

  // Returns the merged layers of each mesh that is skin or a level of one. Uses up the layers' bindings.
  Result<std::vector<MergedLayers>> merged_skins() {
    std::vector<MergedLayers> skins(model_.meshes.size() + levels_.size());
    for (std::size_t m = 0; m < skins.size(); ++m) {
      if (m < model_.meshes.size() ? !plan_.is_skin(m) : layers_at(m).empty()) continue;
      PELT_ASSIGN(skins[m], merged(m));
    }
    return skins;
  }

  bool is_line(std::size_t mesh) const {
    return std::ranges::any_of(muscles_, [&](const MuscleMeshes& m) { return m.line == mesh; });
  }

  // Returns the first unbound layer that waits for no driver. A layer whose driver is a muscle, or is moved by layers,
  // waits until that driver is added.
  std::optional<std::size_t> next_layer() const {
    for (std::size_t l = 0; l < plan_.layers.size(); ++l) {
      const std::optional<std::size_t>& driver = plan_.layers[l].driver_mesh;
      const bool waits = driver && (plan_.is_moved_driver(*driver) || is_muscle(muscles_, *driver)) && !added_[*driver];
      if (!bound_[l] && !waits && !waits_for_muscle(plan_.layers[l])) return l;
    }
    return std::nullopt;
  }

  // Returns true if key poses of the layer's driver follow a muscle that is not added.
  bool waits_for_muscle(const PlannedLayer& layer) const {
    const auto* ffd = layer.deformer.get_if<SurfaceFfdParameters>();
    if (ffd == nullptr) return false;
    return std::ranges::any_of(ffd->driver.key_poses, [&](const KeyPoseSet& set) {
      const auto muscle = std::ranges::find(rig_.muscles, set.muscle, &Muscle::name);
      return muscle != rig_.muscles.end() &&
             !added_[muscles_[static_cast<std::size_t>(muscle - rig_.muscles.begin())].mesh];
    });
  }

  // Returns the error for a cycle of drivers. Every waiting layer waits for another waiting layer that moves its
  // driver, so following them leads into the cycle. Muscles are never part of it: the layers that carry their lines
  // wait for nothing.
  Error cycle() const {
    auto waiting = static_cast<std::size_t>(std::ranges::find(bound_, false) - bound_.begin());
    for (std::size_t step = 0; step < bound_.size(); ++step) {
      const std::vector<LayerAtMesh>& movers = plan_.meshes[*plan_.layers[waiting].driver_mesh];
      waiting = std::ranges::find_if(movers, [&](const LayerAtMesh& at) { return !bound_[at.layer]; })->layer;
    }
    const PlannedLayer& layer = plan_.layers[waiting];
    return {ErrorCode::kInvalidArgument, fmt::format("{}: the driver '{}' drives itself, through other layers",
                                                     layer.label, model_.meshes[*layer.driver_mesh].name)};
  }

  // Returns the input of a layer's deformer. The arguments must outlive the result.
  DeformerInput input(std::size_t l, const std::vector<DeformerTarget>& targets,
                      const std::function<void(double)>& progress) {
    return {closed_,
            targets,
            plan_.layers[l].label,
            rig_,
            options_.threads,
            builder_,
            drivers_,
            notes_,
            points_,
            progress,
            static_cast<std::uint32_t>(std::max<std::size_t>(l, 1) - 1)};
  }

  Result<void> bind_layer(std::size_t l) {
    bound_[l] = true;
    const PlannedLayer& layer = plan_.layers[l];
    const std::vector<DeformerTarget> targets = targets_of(l);
    if (targets.empty()) {
      if (l > 0) notes_.push_back(fmt::format("{}: moves nothing: {}", layer.label, why_idle(layer)));
      return {};
    }
    progress_.begin(layer.label);
    const std::function<void(double)> progress = [&](double fraction) { progress_.show_part(fraction); };
    PELT_ASSIGN(auto bound, deformer_entry(layer.deformer).bind(layer.deformer, input(l, targets, progress)));
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const LevelMapping* level = targets[t].level;
      const std::size_t m = level == nullptr ? targets[t].mesh : model_.meshes.size() + (level - levels_.data());
      layer_bindings_[l][m] = std::move(bound[t]);
    }
    return {};
  }

  // Merges all layers of a mesh. All must be bound. Uses up their bindings.
  Result<MergedLayers> merged(std::size_t m) {
    MergedLayers layers;
    for (const LayerAtMesh& at : layers_at(m)) {
      const auto bound = layer_bindings_[at.layer].find(m);
      PELT_TRY(lay_over(layers, std::move(bound->second), at.mask, plan_.layers[at.layer], mesh(m), builder_));
      layer_bindings_[at.layer].erase(bound);
    }
    return layers;
  }

  // Adds the drivers whose layers are all bound, and the muscles whose lines have been added.
  Result<void> add_drivers() {
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      if (!plan_.is_moved_driver(m) || added_[m]) continue;
      const auto is_bound = [&](const LayerAtMesh& at) { return bound_[at.layer]; };
      if (!std::all_of(plan_.meshes[m].begin(), plan_.meshes[m].end(), is_bound)) continue;
      PELT_ASSIGN(auto layers, merged(m));
      if (is_line(m)) layers.binding->distances.clear();  // distances to curves mean nothing on a line
      std::optional<DriverPart> part = part_in_use(m);
      if (part) *layers.binding = binding_of(*layers.binding, part->vertices);
      PELT_ASSIGN(const auto added,
                  builder_.add_control_mesh(part ? part->mesh : closed_.meshes[m], std::move(*layers.binding),
                                            "driver by " + layers.deformer));
      if (part) drivers_.parts.emplace(added, std::move(*part));
      added_[m] = true;
      for (std::size_t i = 0; i < muscles_.size(); ++i) {
        if (muscles_[i].line != m) continue;
        PELT_TRY(add_muscle(i, added));
      }
    }
    return {};
  }

  // Returns the part of a moved driver that moves other meshes, if it is smaller than the driver. Notes how many
  // vertices are left out.
  std::optional<DriverPart> part_in_use(std::size_t driver) const {
    if (is_line(driver) || !rig_.groups.empty()) return std::nullopt;  // groups may name any part of the driver
    std::vector<DriverUse> uses;
    for (std::size_t m = 0; m < model_.meshes.size() + levels_.size(); ++m) {
      for (const LayerAtMesh& at : layers_at(m)) {
        const PlannedLayer& layer = plan_.layers[at.layer];
        if (layer.driver_mesh != driver) continue;
        // The first layer of a mesh acts everywhere.
        const bool first = &at == &layers_at(m).front();
        const auto* ffd = layer.deformer.get_if<SurfaceFfdParameters>();
        const auto elements = ffd == nullptr ? std::nullopt : surface_ffd::nearest_elements(*ffd);
        if (!elements) return std::nullopt;
        uses.push_back({*elements, &mesh(m), first ? std::span<const float>() : std::span(at.mask)});
      }
    }
    std::optional<DriverPart> part = used_part(closed_.meshes[driver], uses, options_.threads);
    if (part) {
      const std::size_t count = model_.meshes[driver].positions.size();
      notes_.push_back(fmt::format("{} of the {} vertices of the driver '{}' move nothing and are not posed",
                                   count - part->vertices.size(), count, model_.meshes[driver].name));
    }
    return part;
  }

  Result<void> add_muscle(std::size_t i, std::size_t line) {
    const Mesh& mesh = model_.meshes[muscles_[i].mesh];
    MeshBinding binding =
        bind_muscle(rig_.muscles[i], mesh, model_.meshes[muscles_[i].line], line, options_.threads, builder_);
    PELT_TRY(builder_.add_control_mesh(mesh, std::move(binding), "muscle"));
    added_[muscles_[i].mesh] = true;
    return {};
  }

  const Model& model_;
  const Model& closed_;
  std::span<const LevelMapping> levels_;  // of the model
  std::span<const MuscleMeshes> muscles_;
  const Rig& rig_;
  const LayerPlan& plan_;
  const BindOptions& options_;
  std::vector<SkinAnchor> anchors_;  // of the model's meshes
  std::vector<std::string>& notes_;
  std::vector<PointReport> points_;
  BindProgress progress_;
  CharacterBuilder builder_;
  SharedDrivers drivers_;
  std::vector<std::map<std::size_t, MeshBinding>> layer_bindings_;  // for each layer, by mesh
  std::vector<bool> bound_;                                         // for each layer
  std::vector<bool> added_;                                         // for each driver that layers move, and each muscle
};

// Adds the joints of a rig to a model's. One that the model has, in the same parent, stays as it is. Errors name the
// joint: kNotFound for a parent that does not exist; kInvalidArgument for a name that another joint has.
Result<void> add_joints(const Rig& rig, Model& model) {
  std::vector<std::uint32_t> meshes(model.meshes.size());
  std::iota(meshes.begin(), meshes.end(), 0u);
  Skeleton& skeleton = model.skeleton;
  for (const ExtraJoint& extra : rig.joints) {
    const std::string what = fmt::format("the joint '{}' of the rig", extra.name);
    PELT_ASSIGN(const auto parent, find_joint(skeleton, extra.parent, what));
    if (const auto known = skeleton.find(extra.name)) {
      if (skeleton.parent_of(*known) == parent) continue;
      return invalid("{} has the name of another joint", what);
    }
    const glm::dmat3 axes(chain::matrices_at_bind(model, meshes)[parent]);
    Joint joint{.name = extra.name, .parent = static_cast<std::int32_t>(parent)};
    joint.rest.translation = glm::vec3(glm::inverse(axes) * glm::dvec3(extra.offset));
    joint.rest.rotation = glm::conjugate(glm::quat_cast(shared::orthonormal_axes(glm::mat3(axes))));
    skeleton.joints.push_back(std::move(joint));
  }
  return {};
}

// Adds the helper joints of a rig to a skeleton and replaces those that it already has. Errors name the helper joint:
// kNotFound for a joint that does not exist; kInvalidArgument as check_helpers.
Result<void> add_helper_joints(const Rig& rig, Skeleton& skeleton) {
  std::vector<bool> named(skeleton.joints.size(), false);
  for (const HelperTurn& turn : rig.helper_joints) {
    const std::string what = fmt::format("the helper joint '{}'", turn.joint);
    PELT_ASSIGN(const auto joint, find_joint(skeleton, turn.joint, what));
    PELT_ASSIGN(const auto source, find_joint(skeleton, turn.source, what));
    if (named[joint]) return invalid("two helper joints are '{}'", turn.joint);
    named[joint] = true;
    if (source == joint) return invalid("{} is its own source", what);
    if (skeleton.joints[source].parent < 0) {
      return invalid("{} turns with '{}', which has no parent: its turn is that of the whole character", what,
                     turn.source);
    }
    std::erase_if(skeleton.helpers, [&](const HelperJoint& other) { return other.joint == joint; });
    skeleton.helpers.push_back(make_helper_joint(skeleton, joint, source, {turn.axis, turn.twist, turn.swing}));
  }
  PELT_TRY(sort_helpers(skeleton));
  return check_helpers(skeleton);
}

// Checks a model and a rig, plans the layers, and returns the result of `use` on their binder.
template <class Use>
std::invoke_result_t<Use, Binder&> with_binder(const Model& given, const Rig& written, const BindOptions& options,
                                               const Use& use) {
  PELT_TRY(check_model(given));
  PELT_TRY(check_rig(written));
  const Rig rig = with_marks(written, given);
  std::vector<std::string> notes;
  std::optional<Model> painted;
  if (may_paint(given, rig.paint)) {
    painted = given;
    PELT_ASSIGN(auto note, paint_model(*painted, rig.paint, options.threads));
    if (!note.empty()) notes.push_back(std::move(note));
  }
  const Model& model = painted ? *painted : given;
  for (const std::string& what : not_carried(model, rig)) notes.push_back("not carried: " + what);
  const auto run = [&](const Model& whole,
                       std::span<const MuscleMeshes> muscles) -> std::invoke_result_t<Use, Binder&> {
    std::vector<const MeshLevel*> ordered;  // in the order of characters; a model lists levels in any order
    for (const MeshLevel& level : whole.levels) ordered.push_back(&level);
    std::ranges::sort(ordered, {}, [](const MeshLevel* level) { return std::pair(level->of, level->level); });
    std::vector<LevelMapping> levels;
    for (const MeshLevel* level : ordered) {
      PELT_ASSIGN(auto placed, LevelMapping::create(whole.meshes[level->of], *level, options.threads));
      levels.push_back(std::move(placed));
    }
    const std::optional<Model> seamless = with_closed_seams(whole);
    const Model& closed = seamless ? *seamless : whole;
    PELT_ASSIGN(const auto plan, plan_layers(closed, levels, muscles, rig, notes));
    PELT_ASSIGN(auto correctives, make_correctives(rig, whole));
    PELT_ASSIGN(auto anchors, place_anchors(whole, rig, plan));
    Binder binder(whole, closed, levels, muscles, rig, plan, options, std::move(correctives), std::move(anchors),
                  notes);
    return use(binder);
  };
  if (rig.muscles.empty() && rig.helper_joints.empty() && rig.joints.empty()) return run(model, {});
  PELT_ASSIGN(auto whole, add_muscles(model, rig));
  PELT_TRY(add_joints(rig, whole.model));
  PELT_TRY(add_helper_joints(rig, whole.model.skeleton));
  return run(whole.model, whole.muscles);
}

// Returns the parameters of a surface with the base that bind finds or makes.
Result<DeformerParameters> surface_with_base(const DeformerParameters& parameters, const DeformerInput& input) {
  PELT_ASSIGN(auto base, hierarchical_bspline::find_base(parameters.get<HierarchicalBsplineParameters>(), input));
  return std::move(base.parameters);
}

}  // namespace

Result<Bound> bind(const Model& model, const Rig& rig, const BindOptions& options) {
  return stoppable(options.stop,
                   [&] { return with_binder(model, rig, options, [](Binder& binder) { return binder.run(); }); });
}

Result<Rig> write_out(const Model& model, const Rig& rig) {
  // Writes out only a base that is made from the skin; a base in the rig stays as it is.
  const auto may_write = [](const Layer& layer) {
    return layer.deformer.get_if<HierarchicalBsplineParameters>() != nullptr && may_fall_back(layer.deformer);
  };
  if (std::ranges::none_of(rig.layers, may_write)) return rig;
  return with_binder(model, rig, {}, [&](Binder& binder) -> Result<Rig> {
    Rig written = rig;
    for (std::size_t l = 0; l < rig.layers.size(); ++l) {
      if (!may_write(rig.layers[l])) continue;
      DeformerParameters& deformer = written.layers[l].deformer;
      PELT_ASSIGN(deformer, binder.remade(l + 1, surface_with_base));
    }
    return written;
  });
}

Result<HierarchicalBsplineParameters> hierarchical_bspline::surface_with_base(const Model& model, const Rig& rig,
                                                                              std::size_t layer) {
  if (layer >= rig.layers.size() || rig.layers[layer].deformer.name() != HierarchicalBsplineParameters::kName) {
    return invalid("layer {} of the rig is not a surface", layer);
  }
  PELT_ASSIGN(const auto written, with_binder(model, rig, {}, [&](Binder& binder) {
                return binder.remade(layer + 1, pelt::surface_with_base);
              }));
  return written.get<HierarchicalBsplineParameters>();
}

}  // namespace pelt
