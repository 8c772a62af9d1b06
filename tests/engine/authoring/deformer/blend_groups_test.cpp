// SPDX-License-Identifier: MIT
// Layers of which some have local points. v' is linear in the weights, so that a layer over another moves every vertex
// to the mean, by the mask, of the positions from each single layer.
#include "engine/authoring/deformer/blend_groups.h"

#include <string>

#include <pelt/evaluate.h>
#include <pelt/try.h>

#include "engine/authoring/driver/build_character.h"
#include "tests/support/tube.h"

namespace pelt {
namespace {

constexpr std::uint32_t kJoints = 6;
constexpr float kTolerance = 5e-4f;       // for tubes 8 long: each weight is off by up to half of 1/65535
constexpr float kFrameTolerance = 2e-2f;  // gradients keep 7 bits

// Makes layers over the joints of a tube, and the character that they form as a control mesh and as skin.
class BlendGroupsTest : public testing::Test {
 protected:
  Model model_ = test::make_tube({.joints = kJoints});
  const Mesh& mesh() const { return model_.meshes[0]; }
  std::size_t count() const { return mesh().positions.size(); }

  // Makes rows over two joints, empty for a weight of 0.
  SparseRows rows(std::uint32_t joint, const std::vector<float>& shares) const {
    SparseRows result;
    for (std::uint32_t i = 0; i < count(); ++i) {
      const WeightedElement row[] = {{(joint + i) % kJoints, 0.625}, {(joint + i + 1) % kJoints, 0.375}};
      if (shares[i] == 0) {
        result.append_row({});
      } else {
        append_row(result, row);
      }
    }
    return result;
  }
  std::vector<float> everywhere(float share) const { return std::vector<float>(count(), share); }
  // Makes shares of 0, 1 and between, in another order for each `step`.
  std::vector<float> mixed(std::uint32_t step) const {
    constexpr float kValues[] = {0, 0.25f, 1, 0.5f, 0, 0.7f, 1};
    std::vector<float> shares;
    for (std::uint32_t i = 0; i < count(); ++i) shares.push_back(kValues[i * step % 7]);
    return shares;
  }
  OffsetGroup group(std::uint32_t joint, const std::vector<float>& shares) const {
    OffsetGroup result{rows(joint, shares), {}};
    for (std::size_t i = 0; i < count(); ++i) {
      result.local.emplace_back(mesh().positions[i] + static_cast<float>(joint) * mesh().normals[i], shares[i]);
    }
    return result;
  }
  // Adds gradients to every second row.
  static void grade(MeshBinding& binding) {
    binding.rows.gradients.assign(binding.rows.influences.size(), glm::vec3(0.0f));
    for (std::uint32_t i = 1; i < binding.rows.row_count(); i += 2) {
      if (binding.rows.row(i).empty()) continue;
      const glm::vec3 gradient(0.1f, 0.05f * static_cast<float>(i % 3), 0);
      binding.rows.gradients[binding.rows.offsets[i]] = -gradient;
      binding.rows.gradients[binding.rows.offsets[i] + 1] = gradient;
    }
  }
  MeshBinding plain(std::uint32_t joint) const {
    MeshBinding binding;
    binding.rows = rows(joint, everywhere(1));
    grade(binding);
    return binding;
  }
  // Makes an offset group with `shares`; the rest position has the remainder.
  MeshBinding with_group(std::uint32_t joint, const std::vector<float>& shares) const {
    MeshBinding binding = plain(joint + 1);
    std::vector<float> left;
    for (const float share : shares) left.push_back(1 - share);
    binding.rows = rows(joint + 1, left);
    grade(binding);
    binding.offset_groups.push_back(group(joint, shares));
    return binding;
  }
  static MeshBinding over(MeshBinding below, MeshBinding above, const std::vector<float>& mask) {
    lay_groups_over(below, std::move(above), mask, {});
    return below;
  }

  struct Made {
    Character character;
    MeshReport report;  // of the skin
    std::vector<glm::vec3> positions;
    std::vector<Affine> frames;
  };
  Result<Character> character(MeshBinding binding, MeshReport& report) const {
    CharacterBuilder builder(model_, true);
    SparseRows joints;
    for (std::uint32_t j = 0; j < kJoints; ++j) {
      const Influence influence{j, 1.0f};
      joints.append_row({&influence, 1});
    }
    const std::uint32_t first = builder.rows_over_joints(joints, BlendMode::kLinear).influences.front().index;
    EXPECT_EQ(first, 0u);
    Mesh control = mesh();
    control.name = "control";
    PELT_ASSIGN(const auto added, builder.add_control_mesh(control, binding, "by hand"));
    builder.frame_entries(added);
    PELT_TRY(builder.add_skin(mesh(), std::move(binding), "by hand"));
    report = builder.reports().back();
    return build_character(builder);
  }
  Made make(MeshBinding binding) const {
    MeshReport report;
    Result<Character> made = character(std::move(binding), report);
    EXPECT_TRUE(made) << made.error().message;
    Model posed = model_;
    for (std::uint32_t j = 0; j < kJoints; ++j) {
      const float angle = 0.4f * static_cast<float>(j) - 0.7f;
      posed.skeleton.joints[j].rest.rotation = glm::angleAxis(angle, glm::normalize(glm::vec3(0.3f, 0.5f, 1)));
    }
    Evaluator evaluator(*made);
    evaluator.pose(test::bind_matrices(posed));
    evaluator.evaluate();
    const CharacterMesh& control = (*made)->meshes[0];
    const CharacterMesh& skin = (*made)->meshes[1];
    Made result{*made, std::move(report), {}, {}};
    const auto positions = evaluator.positions().subspan(skin.first_vertex, count());
    result.positions.assign(positions.begin(), positions.end());
    const auto frames = evaluator.palette().subspan(*control.frame_entry, count());
    result.frames.assign(frames.begin(), frames.end());
    return result;
  }
  const CharacterMesh& skin(const Made& made) const { return made.character->meshes[1]; }

  void expect_mean(const MeshBinding& below, const MeshBinding& above, const std::vector<float>& mask) const {
    const Made first = make(below);
    const Made second = make(above);
    const Made both = make(over(below, above, mask));
    float apart = 0;
    for (std::size_t i = 0; i < count(); ++i) {
      SCOPED_TRACE("vertex " + std::to_string(i) + ", mask " + std::to_string(mask[i]));
      const glm::vec3 expected = (1 - mask[i]) * first.positions[i] + mask[i] * second.positions[i];
      ASSERT_LT(glm::distance(both.positions[i], expected), kTolerance);
      const Affine frame = (1 - mask[i]) * first.frames[i] + mask[i] * second.frames[i];
      for (int row = 0; row < 3; ++row) ASSERT_LT(glm::distance(both.frames[i][row], frame[row]), kFrameTolerance);
      apart = std::max(apart, glm::distance(first.positions[i], second.positions[i]));
    }
    EXPECT_GT(apart, 0.25f) << "the layers are alike";
  }
};

TEST_F(BlendGroupsTest, ALayerOverAnotherMovesToTheMeanByTheMask) {
  const MeshBinding bindings[] = {plain(0), with_group(1, mixed(1)), with_group(2, everywhere(1)),
                                  with_group(3, everywhere(0.3f))};
  for (std::size_t below = 0; below < std::size(bindings); ++below) {
    for (std::size_t above = 0; above < std::size(bindings); ++above) {
      if (below == above) continue;
      SCOPED_TRACE(std::to_string(above) + " over " + std::to_string(below));
      for (const std::vector<float>& mask : {mixed(1), mixed(3), everywhere(0.4f)}) {
        expect_mean(bindings[below], bindings[above], mask);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_F(BlendGroupsTest, SharesOfBothSignsAreNegativeWeights) {
  MeshBinding signs = with_group(1, everywhere(1.25f));
  signs.offset_groups.push_back(group(3, everywhere(-0.25f)));
  signs.rows = rows(0, everywhere(0));
  const Made made = make(signs);
  EXPECT_EQ(skin(made).binding.local_points.size(), 2 * count());
  expect_mean(plain(0), signs, mixed(2));
}

TEST_F(BlendGroupsTest, OfThreeLayersAllShow) {
  const MeshBinding two = over(with_group(1, mixed(2)), with_group(2, everywhere(1)), mixed(1));
  expect_mean(two, with_group(4, mixed(5)), mixed(3));
  const Made made = make(over(two, with_group(4, mixed(5)), mixed(3)));
  EXPECT_EQ(skin(made).mode, BlendMode::kOffsets);
  EXPECT_EQ(skin(made).binding.local_points.size(), 4 * count());
  EXPECT_EQ(skin(made).binding.local_points[0], glm::vec4(skin(made).binding.points[0], 1))
      << "the rest group is first";
}

TEST_F(BlendGroupsTest, WhatIsHiddenIsDropped) {
  const Made alone = make(plain(0));
  const Made covered = make(over(with_group(1, mixed(1)), plain(0), everywhere(1)));
  EXPECT_EQ(skin(covered).mode, BlendMode::kLinear);
  EXPECT_TRUE(skin(covered).binding.local_points.empty());
  EXPECT_EQ(skin(covered).binding.influences, skin(alone).binding.influences);
  EXPECT_EQ(skin(covered).binding.gradients, skin(alone).binding.gradients);

  const Made offsets = make(over(plain(0), with_group(1, everywhere(1)), everywhere(1)));
  EXPECT_EQ(skin(offsets).mode, BlendMode::kOffsets);
  EXPECT_EQ(skin(offsets).binding.local_points.size(), count());
  EXPECT_TRUE(skin(offsets).binding.gradients.empty());
  EXPECT_EQ(make(with_group(1, everywhere(0))).character->meshes[1].mode, BlendMode::kLinear);
}

// The bytes are two influences of 4, a local point of 16, point, directions, output, and slices.
TEST_F(BlendGroupsTest, BytesOfLocalPointsAreReported) {
  const Made made = make(with_group(1, everywhere(1)));
  const double influences =
      static_cast<double>(skin(made).binding.influences.size() + skin(made).binding.slices.size()) * 4;
  EXPECT_NEAR(made.report.bytes_per_vertex, 12 + 8 + 16 + 20 + influences / static_cast<double>(count()), 1e-9);
}

TEST_F(BlendGroupsTest, MoreThanAMeshCanHaveAreRefused) {
  const auto groups = [&](std::uint32_t number) {
    MeshBinding binding = plain(0);
    for (std::uint32_t g = 0; g < number; ++g) binding.offset_groups.push_back(group(g, everywhere(0.0625f)));
    return binding;
  };
  MeshReport report;
  EXPECT_TRUE(character(over(groups(3), groups(4), everywhere(0.5f)), report));
  const Result<Character> refused = character(over(groups(4), groups(4), everywhere(0.5f)), report);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().message,
            "mesh 'control': 9 groups of influences with local points; a mesh can have at most 8");
}

}  // namespace
}  // namespace pelt
