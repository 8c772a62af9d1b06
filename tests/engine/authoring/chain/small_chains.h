// SPDX-License-Identifier: MIT
// Chains of small skeletons.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <numeric>
#include <set>

#include "engine/authoring/chain/chains.h"
#include "tests/support/skeleton.h"

namespace pelt::chain {

// Adds points to the mesh of the model that follow `joint` wholly.
inline void add_skin(Model& model, std::uint32_t joint, const glm::vec3& origin, const std::vector<glm::vec3>& points) {
  if (model.meshes.empty()) model.meshes.emplace_back().name = "skin";
  Mesh& mesh = model.meshes.front();
  const auto column = static_cast<std::uint32_t>(model.bound_joints.size());
  model.bound_joints.push_back({joint, glm::translate(glm::mat4(1.0f), -origin)});
  for (const glm::vec3& point : points) {
    mesh.positions.push_back(point);
    mesh.weights.append_row(std::vector<Influence>{{column, 1.0f}});
  }
}

// Checks what holds for the chains of every model.
inline void expect_sound(const Model& model, const Chains& chains) {
  std::set<std::string> seen;
  for (const Chain& chain : chains.chains) {
    EXPECT_TRUE(seen.insert(chain.name).second) << chain.name;
    ASSERT_GE(chain.anchors.size(), 2u) << chain.name;
    ASSERT_LT(chain.top, chain.anchors.size()) << chain.name;
    for (std::size_t a = 0; a < chain.anchors.size(); ++a) {
      ASSERT_LT(chain.anchors[a].joint, model.skeleton.joints.size());
      EXPECT_TRUE(std::isfinite(glm::length(chain.anchors[a].position))) << chain.name;
      if (a > 0) {
        EXPECT_NE(chain.anchors[a].position, chain.anchors[a - 1].position) << chain.name;
      }
    }
  }
  EXPECT_TRUE(std::ranges::is_sorted(chains.joints, {}, &JointLinkage::joint));
  for (const JointLinkage& joint : chains.joints) {
    EXPECT_TRUE(std::ranges::is_sorted(joint.curves));
    for (const std::size_t curve : joint.curves) EXPECT_LT(curve, chains.chains.size());
  }
}

inline Chains chains_of(const Model& model, const ChainOptions& options = {}) {
  std::vector<std::uint32_t> meshes(model.meshes.size());
  std::iota(meshes.begin(), meshes.end(), 0u);
  Result<Chains> chains = find_chains(model, meshes, options);
  EXPECT_TRUE(chains) << chains.error().message;
  if (chains) expect_sound(model, *chains);
  return chains ? *std::move(chains) : Chains{};
}

inline Error error_of(const Model& model, const ChainOptions& options) {
  std::vector<std::uint32_t> meshes(model.meshes.size());
  std::iota(meshes.begin(), meshes.end(), 0u);
  const Result<Chains> chains = find_chains(model, meshes, options);
  EXPECT_FALSE(chains);
  return chains ? Error{ErrorCode::kInvalidArgument, "chains"} : chains.error();
}

inline std::vector<std::string> names(const Chains& chains) {
  std::vector<std::string> result;
  for (const Chain& chain : chains.chains) result.push_back(chain.name);
  return result;
}

inline const Chain& chain_of(const Chains& chains, const std::string& name) {
  const auto found = std::ranges::find(chains.chains, name, &Chain::name);
  EXPECT_NE(found, chains.chains.end()) << name << " of " << testing::PrintToString(names(chains));
  static const Chain none;
  return found == chains.chains.end() ? none : *found;
}

inline const JointLinkage& linkage_of(const Chains& chains, const Model& model, const std::string& joint) {
  const auto found = std::ranges::find(chains.joints, *model.skeleton.find(joint), &JointLinkage::joint);
  EXPECT_NE(found, chains.joints.end()) << joint;
  static const JointLinkage none;
  return found == chains.joints.end() ? none : *found;
}

inline std::vector<std::string> joints_of(const Model& model, const Chain& chain) {
  std::vector<std::string> result;
  for (const Anchor& anchor : chain.anchors) result.push_back(model.skeleton.joints[anchor.joint].name);
  return result;
}

inline Model make_y() {
  return test::skeleton_of({{"root", -1, {0, 0, 0}},
                            {"hip", 0, {0, 1, 0}},
                            {"left", 1, {1, 2, 0}},
                            {"left_end", 2, {2, 3, 0}},
                            {"right", 1, {-1, 2, 0}},
                            {"right_end", 4, {-2, 3, 0}}});
}

inline Model make_cross() {
  return test::skeleton_of({{"trunk", -1, {0, 0, 0}},
                            {"chest", 0, {0, 1, 0}},
                            {"left", 1, {1, 1.5f, 0}},
                            {"head", 1, {0, 2, 0.1f}},
                            {"right", 1, {-1, 1.5f, 0}}});
}

// Returns `arms` links of equal length, evenly round the middle; the first leads to the root.
inline Model make_star(int arms) {
  std::vector<test::Node> nodes{{"arm0", -1, {1, 0, 0}}, {"middle", 0, {0, 0, 0}}};
  for (int a = 1; a < arms; ++a) {
    const float angle = 6.2831853f * static_cast<float>(a) / static_cast<float>(arms);
    nodes.push_back({"arm" + std::to_string(a), 1, {std::cos(angle), std::sin(angle), 0}});
  }
  return test::skeleton_of(nodes);
}

inline Model make_comb(int teeth) {
  std::vector<test::Node> nodes{{"trunk0", -1, {0, 0, 0}}};
  for (int i = 1; i <= teeth; ++i) {
    const auto above = static_cast<std::int32_t>(nodes.size()) - (i == 1 ? 1 : 2);
    nodes.push_back({"trunk" + std::to_string(i), above, {i, 0, 0}});
    nodes.push_back({"tooth" + std::to_string(i), above + (i == 1 ? 1 : 2), {i, 1, 0}});
  }
  const auto last = static_cast<std::int32_t>(nodes.size()) - 2;
  nodes.push_back({"end", last, {teeth + 1, 0, 0}});
  return test::skeleton_of(nodes);
}

}  // namespace pelt::chain
