// SPDX-License-Identifier: MIT
// Tests the skin at bind.
#include <algorithm>

#include <pelt/builtin.h>
#include <pelt/clip_twists.h>
#include <pelt/finite.h>
#include <pelt/import.h>
#include <pelt/pose.h>

#include "tests/engine/authoring/mos/bound_skin.h"
#include "tests/support/clip_joints.h"
#include "tests/support/must.h"
#include "tests/support/shared_files.h"

namespace pelt::mos {
namespace {

TEST(MosBind, ReturnsTheSkinAtBind) {
  for (const Model& model : {make_limb(), make_tail(), make_biped()}) expect_identity(model, by_mos());
  for (const MosKernel kernel : {MosKernel::kGaussian, MosKernel::kBiharmonic}) {
    expect_identity(test::make_tube({.joints = 4}), by_mos([&](MosParameters& p) {
                      p.strategy = MosStrategy::kRadialBasis;
                      p.kernel = kernel;
                    }));
  }
}

TEST(MosBind, MovesEveryCharacterFile) {
  PELT_REQUIRE_SHARED();
  for (const auto& file : test::character_files()) {
    SCOPED_TRACE(file.filename().string());
    const Model model = test::must(import_gltf(file));
    const Character character = test::bound(model, by_mos()).character;
    EXPECT_LE(worst_at_bind(model, character), kRounding);
    Evaluator evaluator(character);
    std::vector<float> inputs(character->input_count);
    for (const Clip& clip : model.clips) {
      const ClipTwists twists(*character, clip);
      for (const float part : {0.2f, 0.6f, 0.9f}) {
        twists.sample(part * clip.duration, inputs);
        evaluator.pose(test::clip_joints(model.skeleton, &clip, part * clip.duration));
        evaluator.inputs(inputs);
        evaluator.evaluate();
        const bool finite = std::ranges::all_of(evaluator.positions(), [](glm::vec3 p) { return is_finite(p); }) &&
                            std::ranges::all_of(evaluator.normals(), [](glm::vec3 n) { return is_finite(n); });
        ASSERT_TRUE(finite) << clip.name << ' ' << part;
      }
    }
  }
}

}  // namespace
}  // namespace pelt::mos
