// SPDX-License-Identifier: MIT
// From a skeleton to the curves that are laid over it: Yang, Somasekharan & Zhang 2006, section "Curve Skeleton"
// (linear, bifurcation and cross linkage), docs/mathematics.md section 2 "Linkages".
#pragma once

#include <cstddef>
#include <cstdint>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include <pelt/model.h>
#include <pelt/result.h>

namespace pelt::chain {

// A point that a curve runs through: it moves rigidly with a joint, beside which it may stand where limbs branch: where
// the way from neighbour to neighbour is nearest to it, if that bends the curve less sharply. Model space at bind
// (Mesh), metres.
struct Anchor {
  std::uint32_t joint = 0;
  glm::vec3 position{0.0f};
  bool is_branch = false;  // other limbs leave here
};

// A curve's anchors in order. The line from one to the next is a bone.
struct Chain {
  std::string name;             // unique: what the rig calls it, or "first..last" by the joints at its ends
  std::vector<Anchor> anchors;  // at least two, neighbours never at the same place
  std::size_t top = 0;  // the anchor whose joint is nearest the root: a limb-to-limb curve runs up to it and down again
};

// By the number of links of a joint: the bones to its parent and to its children.
enum class Linkage {
  kEnd,          // 1 or none: curves end here
  kTwo,          // one curve through
  kBifurcation,  // 3: trunk to each limb, limb to limb
  kCross,        // 4: two curves
  kMore,         // pairs by straightness
};

// Of the bone that leaves anchor i away from the top; at an end, of the one that arrives there. Unit.
glm::dvec3 direction_away(const Chain& chain, std::size_t i);

struct JointLinkage {
  std::uint32_t joint = 0;
  Linkage linkage = Linkage::kEnd;
  std::vector<std::size_t> curves;  // in Chains::chains, ascending: those that run through its place
};

struct Chains {
  std::vector<Chain> chains;
  std::vector<JointLinkage> joints;  // ascending
  std::vector<std::string> notes;    // one sentence each: what was decided that a rigger may want to know
};

// What the rig says of curves.
struct ChainOptions {
  struct Named {
    std::string name;
    std::vector<std::string> joints;  // in order; one need not be the parent of the next
    glm::vec3 offset{0.0f};           // metres, model space at bind: displaces all anchors, which move with the joints
  };
  std::vector<std::string> split;   // joints at which automatic curves end
  std::vector<std::string> remove;  // names of automatic curves that are left out
  std::vector<Named> curves;        // added; one with the name of an automatic curve replaces it
  bool automatic = true;
};

// The curves of the skeleton that moves `meshes` (indices in Model::meshes).
//
// Joints: those that weights of these meshes use, and those between them up to their common ancestor; where none of the
// meshes has weights, those of the model's other meshes, then all joints that skins name, then all that have a parent
// or a child. A common ancestor that no weights use and that the skin does not enclose (a scene's root on the ground)
// is no joint of the body, and what hangs on it is taken apart. Nor are the joints of a face (patch_joints): their skin
// counts as that of the joint they hang on.
// A joint at the place of its parent or of a sibling becomes one anchor with it, carried in each curve by the joint
// that turns the bone below; where the curve ends, by the lowest. A joint that lies on the bone from its parent to a
// sibling and leads to no others than such (a twist helper) is an anchor of that bone.
//
// Tips: a curve takes its last direction from its last bone, so a joint without children gets a bone of its own, along
// the skin that follows it, as long as that skin, or to an unweighted child that stands about there. It never points
// back along the bone before it. No skin, no tip. A joint whose skin reaches beyond all of several joints below it (a
// skull with eyes and a jaw) gets such a bone too.
//
// Pairings of the links of a joint: three, all of them; four and more, the parent with the child that continues it most
// straightly, then the straightest of the rest, and so on, but limbs that are each other's mirror image go together.
// Limbs that go apart by less than 60 degrees are not paired, nor, at joints of more than three links, two that lead
// away from the joint above and go apart by less than 120, as fingers do, nor two that are named as of one side; but
// limbs that are named as each other's mirror image are from 5 degrees on. A link left over goes with the straightest
// partner that is in fewer than three pairs there, or starts at the joint, as fingers do beside the one that leads the
// arm on. A curve follows pairs, at each joint the link's first, so that their number does not multiply; a curve of
// pairs that are not both links' first goes on beyond the next branch only along bones in fewer than three curves.
// Curves that lie wholly in another are left out. The total is linear in the number of joints; the order is that of the
// topmost joints.
//
// Errors: kNotFound for joints and curves that do not exist, with the nearest name; kInvalidArgument for named curves
// that are no curves (fewer than two places, a joint twice, a name twice or empty, an offset that is not finite) and
// for a skeleton on which no curve can be laid.
Result<Chains> find_chains(const Model& model, std::span<const std::uint32_t> meshes, const ChainOptions& options);

// The joint of this name. Errors begin with `what`: kNotFound, with the nearest name.
Result<std::uint32_t> find_joint(const Model& model, const std::string& what, const std::string& name);

// Model space from joint space at bind, for every joint of the model, as the skins of `meshes` say: an anchor moves by
// matrix_of(joint) * inverse(matrices_at_bind[joint]). The rest transform serves joints that no skin names, relative to
// the nearest that one does; where it leads beyond kFarthest, or nowhere, the joint stands where its parent does.
std::vector<glm::dmat4> matrices_at_bind(const Model& model, std::span<const std::uint32_t> meshes);

}  // namespace pelt::chain
