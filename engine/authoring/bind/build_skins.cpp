// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/build_skins.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include <pelt/linear_blend.h>
#include <pelt/rig_json.h>
#include <pelt/try.h>

#include "engine/authoring/base/stop.h"
#include "engine/authoring/check/bind_check.h"
#include "engine/authoring/driver/build_character.h"
#include "engine/authoring/rig/deformer_entry.h"
#include "engine/character/base/invalid.h"

namespace pelt {
namespace {

PieceShares piece_shares(const LayerPlan& plan) {
  PieceAreas sum;
  for (std::size_t m = 0; m < plan.meshes.size(); ++m) {
    if (!plan.is_skin(m)) continue;
    sum.all += plan.pieces[m].all;
    sum.rigid_parts += plan.pieces[m].rigid_parts;
    sum.rigid_regions += plan.pieces[m].rigid_regions;
  }
  return sum.all > 0 ? PieceShares{sum.rigid_parts / sum.all, sum.rigid_regions / sum.all} : PieceShares{};
}

class SkinBuild {
 public:
  SkinBuild(const BindInput& input, BindProgress& progress, BindReport report)
      : model_(input.model),
        levels_(input.levels),
        muscles_(input.muscles),
        rig_(input.rig),
        plan_(input.plan),
        twists_(model_, plan_.layers[0].deformer.get<LinearBlendParameters>().twist),
        options_(input.options),
        progress_(progress),
        report_(std::move(report)) {}

  Result<Bound> run(CharacterBuilder builder, std::vector<MergedLayers> skins) const {
    std::vector<float> left;
    const bool checked = rig_.check != CheckMode::kNone && deforms();
    if (!options_.correct && !checked) return build(std::move(builder), std::move(skins), left);
    Result<Bound> bound = checked ? build_checked(builder, skins, left) : build(builder, skins, left);
    if (!bound || !options_.correct) return bound;
    PELT_ASSIGN(const auto correctives, options_.correct(*bound));
    if (correctives.empty()) return bound;
    Rig corrected = rig_;
    corrected.correctives.insert(corrected.correctives.end(), correctives.begin(), correctives.end());
    PELT_ASSIGN(auto keys, make_correctives(corrected, model_, rig_.correctives.size()));
    builder.set_correctives(std::move(keys));
    PELT_ASSIGN(auto with_them, build(std::move(builder), std::move(skins), left));
    bound->character = std::move(with_them.character);
    return bound;
  }

 private:
  // Returns true if a deformer other than linear blend moves skin.
  bool deforms() const {
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      if (!plan_.is_skin(m)) continue;
      for (const LayerAtMesh& at : plan_.meshes[m]) {
        if (plan_.layers[at.layer].deformer.name() != LinearBlendParameters::kName) return true;
      }
    }
    return false;
  }

  // Builds the character from the skins. `left`: for all skins end to end, the weight of linear blend at each vertex;
  // empty: 0 everywhere.
  Result<Bound> build(CharacterBuilder builder, std::vector<MergedLayers> skins, std::span<const float> left) const {
    std::vector<std::span<const float>> left_of(model_.meshes.size());
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      if (!plan_.is_skin(m)) continue;
      stop_if_asked();
      if (!left.empty()) {
        const std::size_t count = model_.meshes[m].positions.size();
        left_of[m] = left.first(count);
        lay_linear_over(*skins[m].binding, model_.meshes[m], left_of[m], twists_, builder);
        left = left.subspan(count);
      }
      PELT_TRY(builder.add_skin(model_.meshes[m], std::move(*skins[m].binding), skins[m].deformer));
    }
    for (std::size_t i = 0; i < levels_.size(); ++i) {
      MergedLayers& merged = skins[model_.meshes.size() + i];
      if (!merged.binding) continue;
      const LevelMapping& level = levels_[i];
      const std::vector<float> share = level.carry(left_of[level.of()]);
      if (!share.empty()) lay_linear_over(*merged.binding, level.mesh(), share, twists_, builder);
      PELT_TRY(builder.add_level(level, std::move(*merged.binding), merged.deformer));
    }
    builder.set_rig(format_rig(rig_));
    BindReport report = report_;
    report.meshes = builder.reports();
    PELT_ASSIGN(auto character, build_character(builder));
    return Bound{std::move(character), std::move(report)};
  }

  // Checks the character, falls back to linear blend at defects, builds and checks again, up to kMaxRounds times.
  // `left`: receives the weights of linear blend.
  Result<Bound> build_checked(const CharacterBuilder& builder, const std::vector<MergedLayers>& skins,
                              std::vector<float>& left) const {
    constexpr int kMaxRounds = 3;
    Result<Bound> bound = build(builder, skins, {});
    if (!bound) return bound;
    progress_.begin("checking");
    int step = 0;  // making the check, then each run
    const int steps = rig_.check == CheckMode::kFallback ? kMaxRounds + 2 : 2;
    const std::function<void(double)> show = [&](double part) { progress_.show_part((step + part) / steps); };
    Result<BindCheck> check = make_check(bound->character, show);
    if (!check) {
      bound->report.notes.push_back("not compared with linear blend: " + check.error().message);
      return bound;
    }
    const std::vector<float> can_fall_back =
        rig_.check == CheckMode::kFallback ? find_can_fall_back() : std::vector<float>();
    for (int round = 0;; ++round) {
      // The last check changes nothing; its report describes the final character.
      step = round + 1;
      const Result<bool> more =
          check->run(bound->character, round < kMaxRounds ? std::span(can_fall_back) : std::span<const float>(), show);
      if (!more) {
        bound->report.notes.push_back(
            fmt::format("not compared with linear blend{}: {}", round == 0 ? "" : " again", more.error().message));
        if (round == 0) return bound;
        break;
      }
      if (!*more) break;
      left.assign(check->fallback().begin(), check->fallback().end());
      bound = build(builder, skins, left);
      if (!bound) return bound;
    }
    bound->report.check = check->report();
    return bound;
  }

  // Returns the check against linear blend. Errors: drivers are streamed, linear blend cannot move the skins, or no
  // pose shows how the character moves.
  Result<BindCheck> make_check(const Character& character, const std::function<void(double)>& progress) const {
    if (!character->streams.empty())
      return invalid("the game moves the driver '{}'", character->meshes[character->streams[0].mesh].name);
    CharacterBuilder linear(model_, false);
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      if (!plan_.is_skin(m)) continue;
      const Mesh& mesh = model_.meshes[m];
      if (!has_weights(mesh)) return invalid("mesh '{}' has no weights", mesh.name);
      MeshBinding binding;
      binding.rows = twists_.rows_over_joints(mesh, BlendMode::kLinear, linear);
      PELT_TRY(linear.add_skin(mesh, std::move(binding), "linear_blend"));
    }
    linear.set_rig(format_rig(Rig{}));
    PELT_ASSIGN(auto built, build_character(linear));
    std::optional<BindCheck> check = BindCheck::create(std::move(built), options_.threads, progress);
    if (!check) return invalid("linear blend moves it in no pose");
    return std::move(*check);
  }

  // Returns 1 for each vertex, of all skins end to end, that may fall back to linear blend; 0 if the rig asks for
  // something that linear blend cannot do (sculpted key poses) or that cannot be mixed with it.
  std::vector<float> find_can_fall_back() const {
    std::vector<float> may;
    for (std::size_t m = 0; m < model_.meshes.size(); ++m) {
      if (plan_.is_skin(m)) may.insert(may.end(), model_.meshes[m].positions.size(), may_leave(m) ? 1.0f : 0.0f);
    }
    return may;
  }

  bool may_leave(std::size_t mesh) const {
    return std::ranges::all_of(plan_.meshes[mesh], [&](const LayerAtMesh& at) {
      return at.layer == 0 || (plan_.layers[at.layer].over_all && may_fall_back_with_driver(plan_.layers[at.layer]));
    });
  }

  // Returns true if linear blend may replace the layer and its driver. Sculpted drivers must stay: those with morph
  // targets, muscles, and drivers whose own layers must stay.
  bool may_fall_back_with_driver(const PlannedLayer& layer) const {
    if (layer.wires || !may_fall_back(layer.deformer)) return false;
    if (!layer.driver_mesh) return true;
    const std::size_t driver = *layer.driver_mesh;
    if (is_muscle(muscles_, driver) || !model_.meshes[driver].morph_targets.empty()) return false;
    return std::ranges::all_of(plan_.meshes[driver], [&](const LayerAtMesh& at) {
      return at.layer == 0 || may_fall_back_with_driver(plan_.layers[at.layer]);
    });
  }

  const Model& model_;
  std::span<const LevelMapping> levels_;
  std::span<const MuscleMeshes> muscles_;
  const Rig& rig_;
  const LayerPlan& plan_;
  TwistSpread twists_;  // of linear blend
  const BindOptions& options_;
  BindProgress& progress_;
  BindReport report_;  // without the figures that build() adds
};

}  // namespace

Result<Bound> build_skins(const BindInput& input, BindProgress& progress, BindReport report, CharacterBuilder builder,
                          std::vector<MergedLayers> skins) {
  report.pieces = piece_shares(input.plan);
  return SkinBuild(input, progress, std::move(report)).run(std::move(builder), std::move(skins));
}

}  // namespace pelt
