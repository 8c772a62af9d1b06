// SPDX-License-Identifier: MIT

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include <pelt/bind.h>
#include <pelt/finite.h>
#include <pelt/linear_blend.h>
#include <pelt/rig_json.h>
#include <pelt/try.h>

#include "engine/bind/layer_plan.h"
#include "engine/bind/not_carried.h"
#include "engine/core/invalid.h"
#include "engine/deformer/blend_groups.h"
#include "engine/deformer/builder.h"
#include "engine/driver/action_line/bind_muscle.h"
#include "engine/driver/action_line/muscles.h"
#include "engine/driver/build_character.h"
#include "engine/geometry/surface_gradient.h"
#include "engine/geometry/used_part.h"
#include "engine/judge/bind_judge.h"
#include "engine/model/affine.h"
#include "engine/rig/check_parameters.h"
#include "engine/rig/deformer_entry.h"
#include "engine/surface_ffd/driver.h"

namespace pelt {
namespace {

// ------------------------------------------------------------------------------------------------------ validation

template <class T>
bool all_finite(const std::vector<T>& values) {
  return std::all_of(values.begin(), values.end(), [](const T& value) { return is_finite(value); });
}

Result<void> check_mesh(const Mesh& mesh, std::size_t bound_joint_count) {
  const std::size_t count = mesh.positions.size();
  if (count >= std::numeric_limits<std::uint32_t>::max() ||
      mesh.triangles.size() >= std::numeric_limits<std::uint32_t>::max()) {
    return invalid("mesh '{}' has {} vertices and {} triangles, more than 32 bits count", mesh.name, count,
                   mesh.triangles.size());
  }
  const auto fits = [&](std::size_t size) { return size == 0 || size == count; };
  if (!fits(mesh.normals.size()) || !fits(mesh.tangents.size()) || !fits(mesh.uvs.size()) ||
      !fits(mesh.weights.row_count())) {
    return invalid("mesh '{}' has {} positions, {} normals, {} tangents, {} texture coordinates, {} rows of weights",
                   mesh.name, count, mesh.normals.size(), mesh.tangents.size(), mesh.uvs.size(),
                   mesh.weights.row_count());
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_near(mesh.positions[i])) {
      return invalid("mesh '{}': vertex {} is not finite, or farther than {:g} m from the origin", mesh.name, i,
                     kFarthest);
    }
  }
  if (!all_finite(mesh.normals) || !all_finite(mesh.tangents) || !all_finite(mesh.uvs)) {
    return invalid("mesh '{}' has a normal, tangent or texture coordinate that is not finite", mesh.name);
  }
  for (const MorphTarget& target : mesh.morph_targets) {
    if (target.offsets.size() != count || !all_finite(target.offsets) || !std::isfinite(target.weight)) {
      return invalid("mesh '{}': morph target '{}' has not one finite offset a vertex, or no finite weight", mesh.name,
                     target.name);
    }
  }
  for (const VertexAttribute& attribute : mesh.attributes) {
    const bool finite =
        std::all_of(attribute.values.begin(), attribute.values.end(), [](float value) { return std::isfinite(value); });
    if (attribute.values.size() != count || !finite) {
      return invalid("mesh '{}': attribute '{}' has not one finite value a vertex", mesh.name, attribute.name);
    }
  }
  for (const glm::uvec3 triangle : mesh.triangles) {
    if (triangle.x >= count || triangle.y >= count || triangle.z >= count) {
      return invalid("mesh '{}': a triangle names vertices {}, {}, {} of {}", mesh.name, triangle.x, triangle.y,
                     triangle.z, count);
    }
  }
  return validate(mesh.weights, bound_joint_count, "the weights of mesh '" + mesh.name + "'");
}

// Checks what the deformers rely on; Character::create checks the remainder.
Result<void> check_model(const Model& model) {
  const std::vector<Joint>& joints = model.skeleton.joints;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (joints[j].parent < -1 || joints[j].parent >= static_cast<std::int64_t>(j)) {
      return invalid("joint '{}' does not come after its parent", joints[j].name);
    }
  }
  for (const BoundJoint& bound : model.bound_joints) {
    if (bound.joint >= joints.size()) return invalid("a skin binds joint {} of {}", bound.joint, joints.size());
    if (!is_finite(bound.inverse_bind)) {
      return invalid("the inverse bind matrix of joint '{}' is not finite", joints[bound.joint].name);
    }
    if (!binds_near(bound.inverse_bind)) {
      return invalid("joint '{}' is bound farther than {:g} m from the origin, or at a size beyond that",
                     joints[bound.joint].name, kFarthest);
    }
  }
  for (const Mesh& mesh : model.meshes) {
    PELT_TRY(check_mesh(mesh, model.bound_joints.size()));
  }
  return {};
}

// --------------------------------------------------------------------------------------------------- layer by layer

// A mesh with the layers merged so far.
struct Bindings {
  std::optional<MeshBinding> merged;
  std::string deformer;
};

void add_figures(MeshBinding& sum, const MeshBinding& other) {
  if (sum.distances.empty()) {
    sum.distances = other.distances;
    sum.remarks = other.remarks;
  } else {
    for (std::size_t i = 0; i < other.distances.size(); ++i) {
      sum.distances[i] = std::max(sum.distances[i], other.distances[i]);
      sum.remarks[i] |= other.remarks[i];
    }
  }
  if (other.cut_error) sum.cut_error = std::max(sum.cut_error.value_or(0), *other.cut_error);
  sum.dropped_elements += other.dropped_elements;
}

// Returns the gradient of the mask if both bindings have gradients, else nothing: on one of them alone it would only
// make the frames uneven.
std::vector<glm::vec3> mask_gradient_between(const MeshBinding& below, const MeshBinding& above,
                                             std::span<const float> mask, const Mesh& mesh) {
  if (!has_gradients(below) || !has_gradients(above)) return {};
  return SurfaceGradient(mesh.positions, mesh.triangles).of(mask);
}

void lay_rows_over(MeshBinding& below, MeshBinding above, std::span<const float> mask, const Mesh& mesh) {
  const std::vector<glm::vec3> mask_gradient = mask_gradient_between(below, above, mask, mesh);
  lay_groups_over(below, std::move(above), mask, mask_gradient);
}

// Adds a layer that is combined as in Wires as one more group of influences. Where its mask is 0, the group follows the
// root joint, so that its displacement from the root's motion is 0.
Result<void> combine(MeshBinding& below, MeshBinding above, std::span<const float> mask, const PlannedLayer& layer,
                     const Mesh& mesh, CharacterBuilder& builder) {
  if (!below.wires_rows.empty() && below.wires_exponent != *layer.wires) {
    return invalid("{}: mesh '{}' is combined as in Wires with the exponents {} and {}", layer.label, mesh.name,
                   below.wires_exponent, *layer.wires);
  }
  if (!builder.has_joints()) {
    return invalid("{}: mesh '{}' has no joint from which displacements are measured", layer.label, mesh.name);
  }
  SparseRows root;
  const Influence still{builder.root_slot(), 1.0f};
  for (std::size_t i = 0; i < mask.size(); ++i) root.append_row(std::span(&still, 1));
  below.wires_exponent = *layer.wires;
  const std::vector<glm::vec3> mask_gradient = mask_gradient_between(below, above, mask, mesh);
  below.wires_rows.push_back(merge_over(root, above.rows, mask, mask_gradient));
  return {};
}

Result<void> lay_over(Bindings& below, MeshBinding above, std::span<const float> mask, const PlannedLayer& layer,
                      const Mesh& mesh, CharacterBuilder& builder) {
  const std::string_view deformer = layer.deformer.name();
  if (!below.merged) {
    below.merged = std::move(above);
    below.deformer = deformer;
    return {};
  }
  if (below.merged->mode != above.mode || (layer.wires && above.mode != BlendMode::kLinear)) {
    return invalid(
        "{}: mesh '{}' cannot be moved partly by dual quaternion and partly by another deformer ({} over {}); make the "
        "mask 1 everywhere, or split the mesh",
        layer.label, mesh.name, deformer, below.deformer);
  }
  if (layer.wires && !(below.merged->offset_groups.empty() && above.offset_groups.empty())) {
    return invalid(
        "{}: mesh '{}' cannot be combined as in Wires where a deformer has local points of its own ({} with {}); lay "
        "one over the other, or split the mesh",
        layer.label, mesh.name, deformer, below.deformer);
  }
  add_figures(*below.merged, above);
  below.deformer = fmt::format("{} {} {}", deformer, layer.wires ? "with" : "over", below.deformer);
  if (layer.wires) return combine(*below.merged, std::move(above), mask, layer, mesh, builder);
  if (below.merged->rows.influences.size() + above.rows.influences.size() > std::numeric_limits<std::uint32_t>::max()) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("{}: over '{}', mesh '{}' might have more influences than 32 bits count", layer.label,
                            below.deformer, mesh.name));
  }
  lay_rows_over(*below.merged, std::move(above), mask, mesh);
  return {};
}

constexpr std::size_t kMaxInfluences = 8;  // largest number for a vertex that linear blend takes over in part

std::size_t most_influences(const SparseRows& rows) {
  std::size_t most = 0;
  for (std::size_t i = 0; i < rows.row_count(); ++i) most = std::max(most, rows.row(i).size());
  return most;
}

// Returns true if linear blend may take over from a deformer where the deformer does worse.
bool gives_way(const DeformerParameters& deformer) {
  const DeformerEntry& entry = deformer_entry(deformer);
  return entry.gives_way != nullptr && entry.gives_way(deformer);
}

// Returns the meshes at which a layer shows, with its masks.
std::vector<DeformerTarget> targets_of(const LayerPlan& plan, std::size_t layer) {
  std::vector<DeformerTarget> targets;
  for (std::uint32_t m = 0; m < plan.meshes.size(); ++m) {
    for (const LayerAtMesh& at : plan.meshes[m]) {
      if (at.layer == layer) targets.push_back({m, at.mask});
    }
  }
  return targets;
}

}  // namespace

namespace {

// Binds the layers of a plan. Drivers come before the meshes that they drive.
class Binder {
 public:
  Binder(const Model& model, std::span<const MuscleMeshes> muscles, const Rig& rig, const LayerPlan& plan,
         const BindOptions& options, std::vector<std::string>& notes)
      : model_(model),
        muscles_(muscles),
        rig_(rig),
        plan_(plan),
        options_(options),
        notes_(notes),
        builder_(model, options.keep_vertex_order),
        layer_bindings_(plan.layers.size()),
        bound_(plan.layers.size(), false),
        added_(model.meshes.size(), false) {}

  Result<Bound> run() {
    for (std::size_t done = 0; done < plan_.layers.size(); ++done) {
      const std::optional<std::size_t> layer = next_layer();
      if (!layer) return tl::unexpected(cycle());
      PELT_TRY(bind_layer(*layer, static_cast<double>(done)));
      PELT_TRY(add_drivers());
    }
    PELT_ASSIGN(auto skins, merged_skins());
    PELT_ASSIGN(auto bound, rig_.judging == Judging::kNone || !deforms()
                                ? build(std::move(builder_), std::move(skins), {})
                                : build_judged(skins));
    PELT_TRY(add_fits(bound));
    if (options_.progress) options_.progress(1.0, "done");
    return bound;
  }

 private:
  bool is_skin(std::size_t mesh) const { return !plan_.is_driver[mesh] && !plan_.meshes[mesh].empty(); }

  // Returns true if a deformer other than linear blend moves skin.
  bool deforms() const {
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      if (!is_skin(m)) continue;
      for (const LayerAtMesh& at : plan_.meshes[m]) {
        if (plan_.layers[at.layer].deformer.name() != LinearBlendParameters::kName) return true;
      }
    }
    return false;
  }

  // Returns the merged layers of each mesh that is skin. Uses up the layers' bindings.
  Result<std::vector<Bindings>> merged_skins() {
    std::vector<Bindings> skins(model_.meshes.size());
    for (std::size_t m = 0; m < skins.size(); ++m) {
      if (!is_skin(m)) continue;
      PELT_ASSIGN(skins[m], merged(m));
    }
    return skins;
  }

  PieceShares piece_shares() const {
    PieceAreas sum;
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      if (!is_skin(m)) continue;
      sum.all += plan_.pieces[m].all;
      sum.rigid_parts += plan_.pieces[m].rigid_parts;
      sum.cores += plan_.pieces[m].cores;
    }
    return sum.all > 0 ? PieceShares{sum.rigid_parts / sum.all, sum.cores / sum.all} : PieceShares{};
  }

  // Builds the character from the skins. `left`: the share of each vertex that linear blend takes over, for all skins
  // end to end; empty: none.
  Result<Bound> build(CharacterBuilder builder, std::vector<Bindings> skins, std::span<const float> left) const {
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      if (!is_skin(m)) continue;
      if (!left.empty()) {
        const std::size_t count = model_.meshes[m].positions.size();
        leave(*skins[m].merged, model_.meshes[m], left.first(count), builder);
        left = left.subspan(count);
      }
      PELT_TRY(builder.add_skin(model_.meshes[m], std::move(*skins[m].merged), skins[m].deformer));
    }
    builder.set_rig(format_rig(rig_));
    BindReport report{builder.reports(), piece_shares(), points_, notes_, std::nullopt};
    PELT_ASSIGN(auto character, build_character(builder));
    return Bound{std::move(character), std::move(report)};
  }

  // Lays linear blend over a mesh, with `left` as its mask.
  static void leave(MeshBinding& binding, const Mesh& mesh, std::span<const float> left, CharacterBuilder& builder) {
    if (std::ranges::all_of(left, [](float share) { return share == 0; })) return;
    MeshBinding linear;
    linear.rows = builder.rows_over_joints(mesh.weights, BlendMode::kLinear);
    const std::size_t most = std::max(kMaxInfluences, most_influences(binding.rows));
    lay_rows_over(binding, std::move(linear), left, mesh);
    binding.rows = cut_rows(binding.rows, most, Cut::kContinuous);
  }

  // Judges the character, lets linear blend take over where it does better, builds it anew and judges again, up to
  // kMaxRounds times.
  Result<Bound> build_judged(const std::vector<Bindings>& skins) const {
    constexpr int kMaxRounds = 3;
    Result<Bound> bound = build(builder_, skins, {});
    if (!bound) return bound;
    if (options_.progress) options_.progress(1.0, "judging");
    std::optional<BindJudge> judge = make_judge(bound->character);
    if (!judge) {
      bound->report.notes.push_back(
          "not judged against linear blend: that takes weights, a pose, and drivers that are not streamed");
      return bound;
    }
    const std::vector<float> may_be_left =
        rig_.judging == Judging::kFallback ? find_may_be_left() : std::vector<float>();
    for (int round = 0;; ++round) {
      // The last judgement changes nothing; its verdict covers the final character.
      const Result<bool> more =
          judge->judge(bound->character, round < kMaxRounds ? std::span(may_be_left) : std::span<const float>());
      if (!more) {
        bound->report.notes.push_back(
            fmt::format("not judged against linear blend{}: {}", round == 0 ? "" : " once more", more.error().message));
        if (round == 0) return bound;
        break;
      }
      if (!*more) break;
      bound = build(builder_, skins, judge->left());
      if (!bound) return bound;
    }
    bound->report.verdict = judge->verdict();
    const std::string left = left_in_words(*bound->report.verdict);
    if (!left.empty()) bound->report.notes.push_back(left);
    return bound;
  }

  // Returns a judge that compares with plain linear blend. None: drivers are streamed, linear blend cannot move the
  // skins, or no pose shows how the character moves.
  std::optional<BindJudge> make_judge(const Character& character) const {
    if (!character->streams.empty()) return std::nullopt;
    CharacterBuilder linear(model_, false);
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      if (!is_skin(m)) continue;
      const Mesh& mesh = model_.meshes[m];
      if (!has_weights(mesh)) return std::nullopt;
      MeshBinding binding;
      binding.rows = linear.rows_over_joints(mesh.weights, BlendMode::kLinear);
      if (!linear.add_skin(mesh, std::move(binding), "linear_blend")) return std::nullopt;
    }
    linear.set_rig(format_rig(Rig{}));
    Result<Character> built = build_character(linear);
    return built ? BindJudge::create(std::move(*built), options_.threads) : std::nullopt;
  }

  // Returns a value for each vertex of all skins end to end: 1 if linear blend can take over, 0 if the rig asks for
  // something that linear blend cannot do (a sculptor's key poses) or that cannot be mixed with it.
  std::vector<float> find_may_be_left() const {
    std::vector<float> may;
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      if (is_skin(m)) may.insert(may.end(), model_.meshes[m].positions.size(), may_leave(m) ? 1.0f : 0.0f);
    }
    return may;
  }

  bool may_leave(std::size_t mesh) const {
    return std::ranges::all_of(plan_.meshes[mesh], [&](const LayerAtMesh& at) {
      return at.layer == 0 || (plan_.layers[at.layer].over_all && gives_way_with_driver(plan_.layers[at.layer]));
    });
  }

  // Returns true if linear blend may replace the layer and its driver. A driver that was sculpted must stay: one with
  // morph targets, a muscle, or one whose own layers must stay.
  bool gives_way_with_driver(const PlannedLayer& layer) const {
    if (layer.wires || !gives_way(layer.deformer)) return false;
    if (!layer.driver_mesh) return true;
    const std::size_t driver = *layer.driver_mesh;
    if (is_muscle(driver) || !model_.meshes[driver].morph_targets.empty()) return false;
    return std::ranges::all_of(plan_.meshes[driver], [&](const LayerAtMesh& at) {
      return at.layer == 0 || gives_way_with_driver(plan_.layers[at.layer]);
    });
  }

  Result<void> add_fits(Bound& bound) const {
    if (!options_.linear_fit) return {};
    if (options_.progress) options_.progress(1.0, "linear-blend fit");
    LinearFitOptions fit = *options_.linear_fit;
    fit.threads = options_.threads;
    PELT_ASSIGN(auto fitted, fit_linear_blend(bound.character, fit));
    bound.character = std::move(fitted.character);
    auto error = fitted.errors.begin();
    for (std::size_t m = 0; m < bound.report.meshes.size(); ++m) {
      if (!bound.character->meshes[m].control) bound.report.meshes[m].linear_fit = *error++;
    }
    if (!bound.character->streams.empty()) {
      bound.report.notes.push_back("the linear-blend fit does not follow streamed drivers: they stood at rest");
    }
    return {};
  }

  bool moved_by_layers(std::size_t mesh) const { return plan_.is_driver[mesh] && !plan_.meshes[mesh].empty(); }

  bool is_muscle(std::size_t mesh) const {
    return std::any_of(muscles_.begin(), muscles_.end(), [&](const MuscleMeshes& m) { return m.mesh == mesh; });
  }

  bool is_line(std::size_t mesh) const {
    return std::any_of(muscles_.begin(), muscles_.end(), [&](const MuscleMeshes& m) { return m.line == mesh; });
  }

  // Returns the first layer that is not bound and waits for no driver. A layer waits for its driver if the driver is a
  // muscle or is moved by layers, until that driver is added.
  std::optional<std::size_t> next_layer() const {
    for (std::size_t l = 0; l < plan_.layers.size(); ++l) {
      const std::optional<std::size_t>& driver = plan_.layers[l].driver_mesh;
      const bool waits = driver && (moved_by_layers(*driver) || is_muscle(*driver)) && !added_[*driver];
      if (!bound_[l] && !waits) return l;
    }
    return std::nullopt;
  }

  // Returns the error for a cycle of drivers. Every layer that waits does so for another waiting layer that moves its
  // driver, so that following them ends in the cycle. Muscles are not in it: the layers that carry their lines wait for
  // nothing.
  Error cycle() const {
    auto waiting = static_cast<std::size_t>(std::find(bound_.begin(), bound_.end(), false) - bound_.begin());
    for (std::size_t step = 0; step < bound_.size(); ++step) {
      const std::vector<LayerAtMesh>& movers = plan_.meshes[*plan_.layers[waiting].driver_mesh];
      waiting =
          std::find_if(movers.begin(), movers.end(), [&](const LayerAtMesh& at) { return !bound_[at.layer]; })->layer;
    }
    const PlannedLayer& layer = plan_.layers[waiting];
    return {ErrorCode::kInvalidArgument, fmt::format("{}: the driver '{}' is driven by itself, through other layers",
                                                     layer.label, model_.meshes[*layer.driver_mesh].name)};
  }

  Result<void> bind_layer(std::size_t l, double layers_done) {
    bound_[l] = true;
    const PlannedLayer& layer = plan_.layers[l];
    const std::vector<DeformerTarget> targets = targets_of(plan_, l);
    if (targets.empty()) {
      if (l > 0) notes_.push_back(fmt::format("{}: moves nothing", layer.label));
      return {};
    }
    const std::function<void(double)> progress = [&](double fraction) {
      if (!options_.progress) return;
      options_.progress((layers_done + fraction) / static_cast<double>(plan_.layers.size()), layer.label);
    };
    const DeformerInput input{model_,
                              targets,
                              layer.label,
                              rig_,
                              options_.threads,
                              builder_,
                              drivers_,
                              notes_,
                              points_,
                              progress,
                              static_cast<std::uint32_t>(std::max<std::size_t>(l, 1) - 1)};
    PELT_ASSIGN(auto bound, deformer_entry(layer.deformer).bind(layer.deformer, input));
    for (std::size_t t = 0; t < targets.size(); ++t) layer_bindings_[l][targets[t].mesh] = std::move(bound[t]);
    return {};
  }

  // Merges all layers of a mesh; every one must be bound. Uses up their bindings.
  Result<Bindings> merged(std::size_t mesh) {
    Bindings bindings;
    for (const LayerAtMesh& at : plan_.meshes[mesh]) {
      const auto bound = layer_bindings_[at.layer].find(mesh);
      PELT_TRY(
          lay_over(bindings, std::move(bound->second), at.mask, plan_.layers[at.layer], model_.meshes[mesh], builder_));
      layer_bindings_[at.layer].erase(bound);
    }
    return bindings;
  }

  // Adds the drivers whose layers are all bound, and the muscles whose lines are added.
  Result<void> add_drivers() {
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      if (!moved_by_layers(m) || added_[m]) continue;
      const auto is_bound = [&](const LayerAtMesh& at) { return bound_[at.layer]; };
      if (!std::all_of(plan_.meshes[m].begin(), plan_.meshes[m].end(), is_bound)) continue;
      PELT_ASSIGN(auto bindings, merged(m));
      if (is_line(m)) bindings.merged->distances.clear();  // distances to curves say nothing about a line
      std::optional<DriverPart> part = part_in_use(m);
      if (part) *bindings.merged = binding_of(*bindings.merged, part->vertices);
      PELT_ASSIGN(const auto added,
                  builder_.add_control_mesh(part ? part->mesh : model_.meshes[m], std::move(*bindings.merged),
                                            "driver by " + bindings.deformer));
      if (part) drivers_.parts.emplace(added, std::move(*part));
      added_[m] = true;
      for (std::size_t i = 0; i < muscles_.size(); ++i) {
        if (muscles_[i].line != m) continue;
        PELT_TRY(add_muscle(i, added));
      }
    }
    return {};
  }

  // Returns the part of a driver that moves other meshes, if layers move the driver and the part is smaller than it;
  // notes how many vertices are left out.
  std::optional<DriverPart> part_in_use(std::size_t driver) const {
    if (is_line(driver) || !rig_.groups.empty()) return std::nullopt;  // groups may name any part of the driver
    std::vector<DriverUse> uses;
    for (std::size_t m = 0; m < plan_.meshes.size(); ++m) {
      for (const LayerAtMesh& at : plan_.meshes[m]) {
        const PlannedLayer& layer = plan_.layers[at.layer];
        if (layer.driver_mesh != driver) continue;
        // The first layer of a mesh acts everywhere.
        const bool first = &at == &plan_.meshes[m].front();
        const auto nearest_elements = deformer_entry(layer.deformer).nearest_elements;
        const std::optional<std::size_t> elements =
            nearest_elements == nullptr ? std::nullopt : nearest_elements(layer.deformer);
        if (!elements) return std::nullopt;
        uses.push_back({*elements, &model_.meshes[m], first ? std::span<const float>() : std::span(at.mask)});
      }
    }
    std::optional<DriverPart> part = used_part(model_.meshes[driver], uses, options_.threads);
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
        action_line::bind(rig_.muscles[i], mesh, model_.meshes[muscles_[i].line], line, options_.threads, builder_);
    PELT_TRY(builder_.add_control_mesh(mesh, std::move(binding), "muscle"));
    added_[muscles_[i].mesh] = true;
    return {};
  }

  const Model& model_;
  std::span<const MuscleMeshes> muscles_;
  const Rig& rig_;
  const LayerPlan& plan_;
  const BindOptions& options_;
  std::vector<std::string>& notes_;
  std::vector<PointReport> points_;
  CharacterBuilder builder_;
  SharedDrivers drivers_;
  std::vector<std::map<std::size_t, MeshBinding>> layer_bindings_;  // for each layer, by mesh
  std::vector<bool> bound_;                                         // for each layer
  std::vector<bool> added_;                                         // for each driver that layers move, and each muscle
};

}  // namespace

Result<Bound> bind(const Model& model, const Rig& rig, const BindOptions& options) {
  PELT_TRY(check_model(model));
  for (std::size_t l = 0; l < rig.layers.size(); ++l) {
    const DeformerParameters& deformer = rig.layers[l].deformer;
    if (deformer.name().empty()) return invalid("layer {} has no deformer", l + 1);
    PELT_TRY(check_parameters(deformer, fmt::format("layer {} ({})", l + 1, deformer.name())));
  }
  std::vector<std::string> notes;
  for (const std::string& what : not_carried(model, rig)) notes.push_back("not carried: " + what);
  const auto run = [&](const Model& whole, std::span<const MuscleMeshes> muscles) -> Result<Bound> {
    PELT_ASSIGN(const auto plan, plan_layers(whole, muscles, rig, notes));
    return Binder(whole, muscles, rig, plan, options, notes).run();
  };
  if (rig.muscles.empty()) return run(model, {});
  PELT_ASSIGN(const auto whole, add_muscles(model, rig));
  return run(whole.model, whole.muscles);
}

}  // namespace pelt
