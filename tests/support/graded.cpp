// SPDX-License-Identifier: MIT
#include "tests/support/graded.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "engine/authoring/deformer/builder.h"
#include "engine/authoring/driver/build_character.h"
#include "engine/authoring/driver/key_pose/bind.h"
#include "tests/support/must.h"
#include "tests/support/tube.h"

namespace pelt::test {
namespace {

constexpr std::uint32_t kJoints = 6;

// Vertices over the whole chain, without triangles.
Mesh make_points(std::size_t count, const char* name, float length) {
  Mesh mesh;
  mesh.name = name;
  std::mt19937 random(static_cast<std::uint32_t>(count));
  std::uniform_real_distribution<float> unit(-1, 1);
  for (std::size_t i = 0; i < count; ++i) {
    mesh.positions.emplace_back(length * (0.5f + 0.5f * unit(random)), unit(random), unit(random));
    mesh.normals.push_back(glm::normalize(glm::vec3(unit(random), unit(random), 1.5f)));
  }
  return mesh;
}

// Binds vertices between joints as between the samples of a table. `first_entry`: palette entry of joint 0. The
// direction is skewed, so that gradients have every direction.
MeshBinding bind_to_table(const Mesh& mesh, std::uint32_t first_entry, float spacing, Graded kind, float skew) {
  MeshBinding binding;
  const glm::vec3 along(1, skew, -0.5f * skew);
  for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
    const float s = std::clamp(glm::dot(mesh.positions[i], along) / spacing, 0.0f, kJoints - 1.001f);
    const auto k = static_cast<std::uint32_t>(s);
    const float f = s - static_cast<float>(k);
    const std::size_t steps = kind == Graded::kPartly ? (i < 40 ? 0 : i % 4) : 1;
    const glm::dvec3 passing = steps > 0 ? glm::dvec3(along / spacing) : glm::dvec3(0);
    std::vector<WeightedElement> row = {{first_entry + k, 1.0 - f, -passing}, {first_entry + k + 1, f, passing}};
    for (std::uint32_t more = 1; more < steps; ++more) {
      const glm::dvec3 other(0.1, 0.05, -0.2);
      row.push_back({first_entry + (k + more) % kJoints, 0, -other});
      row.push_back({first_entry + k, 0, other});
    }
    append_row(binding.rows, row, Gradients::kKnown);
  }
  return binding;
}

// Adds two groups with local points; in the rest pose they and the remainder sum to the rest position. Their weights
// are, in turn: both 0; 1 and 0; a quarter each; both with different signs.
void add_offset_groups(const Mesh& mesh, std::uint32_t first_entry, MeshBinding& binding) {
  const glm::vec2 shares[] = {{0, 0}, {1, 0}, {0.25f, 0.25f}, {1.5f, -0.5f}};
  OffsetGroup groups[2];
  for (std::uint32_t i = 0; i < mesh.positions.size(); ++i) {
    const glm::vec3 aside = 0.5f * mesh.normals[i];
    // Sums with the remainder's group to the rest position.
    const glm::vec3 points[] = {mesh.positions[i] + (i % 4 == 1 ? 0.0f : 1.0f) * aside,
                                mesh.positions[i] + (i % 4 == 3 ? 3.0f : -1.0f) * aside};
    for (std::uint32_t g = 0; g < 2; ++g) {
      const float share = shares[i % 4][static_cast<int>(g)];
      groups[g].local.emplace_back(points[g], share);
      const WeightedElement row[] = {{first_entry + (i + g) % kJoints, 0.5}, {first_entry + (i + 2) % kJoints, 0.75}};
      if (share == 0) {
        groups[g].rows.append_row({});
      } else {
        append_row(groups[g].rows, row);
      }
    }
  }
  binding.offset_groups = {std::move(groups[0]), std::move(groups[1])};
}

}  // namespace

Character make_graded(std::size_t count, Graded kind) {
  Model model = make_tube({.joints = kJoints});
  const float spacing = model.skeleton.joints[1].rest.translation.x;
  const float length = spacing * kJoints;
  CharacterBuilder builder(model, false);
  SparseRows joints;
  for (std::uint32_t j = 0; j < kJoints; ++j) {
    const Influence influence{j, 1.0f};
    joints.append_row(std::span(&influence, 1));
  }
  const std::uint32_t first_entry = builder.rows_over_joints(joints, BlendMode::kLinear).influences.front().index;
  const Mesh skin = make_points(count, "skin", length);
  MeshBinding binding = bind_to_table(skin, first_entry, spacing, kind, 0.3f);
  if (kind == Graded::kWires) {
    MeshBinding between = bind_to_table(skin, first_entry, spacing, kind, 0.0f);
    MeshBinding last = bind_to_table(skin, first_entry, spacing, kind, -0.6f);
    binding.wires_rows = {std::move(between.rows), std::move(last.rows)};
    binding.wires_rows[0].gradients.clear();
    binding.wires_exponent = 2;
  }
  if (kind == Graded::kOffsets) add_offset_groups(skin, first_entry, binding);
  if (kind == Graded::kDriver || kind == Graded::kOffsetDriver) {
    Mesh driver = make_points(std::max<std::size_t>(count, 2), "driver", length);
    driver.morph_targets = {{"bulge", driver.normals, 0.25f}};
    const auto as_it_is = [](std::span<const glm::vec3> offsets) {
      return std::vector<glm::vec3>(offsets.begin(), offsets.end());
    };
    key_weights::WeightTable weights;
    const auto keyed = must(key_pose::find_offsets({}, true, driver, as_it_is, model, "driver", builder, weights));
    const std::optional<std::uint32_t> offsets = key_pose::add_offsets(weights, keyed, driver, builder);
    EXPECT_TRUE(offsets.has_value());
    MeshBinding moved = bind_to_table(driver, first_entry, spacing, kind, 0.3f);
    if (kind == Graded::kOffsetDriver) add_offset_groups(driver, first_entry, moved);
    const std::size_t control = must(
        builder.add_control_mesh(driver, std::move(moved), "by hand", {.offset_entry = offsets, .source_vertex = {}}));
    const std::uint32_t frames = builder.frame_entries(control);
    binding = {};
    for (std::uint32_t i = 0; i < count; ++i) {
      const auto other = (i + 1) % static_cast<std::uint32_t>(driver.positions.size());
      const Influence row[] = {{frames + i, 0.75f}, {frames + other, 0.25f}};
      binding.rows.append_row(row);
    }
    if (kind == Graded::kOffsetDriver) add_offset_groups(skin, first_entry, binding);
  }
  must(builder.add_skin(skin, std::move(binding), "by hand"));
  return must(build_character(builder));
}

}  // namespace pelt::test
