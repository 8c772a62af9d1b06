// SPDX-License-Identifier: MIT
// Lays curves over a skeleton: Yang, Somasekharan & Zhang 2006, section "Curve Skeleton" (linear, bifurcation and cross
// linkage); docs/mathematics.md section 2.1.
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

// A point that a curve runs through; it moves rigidly with a joint. At a branch it may lie off its joint, on the
// straight line between its neighbours, if that bends the curve less sharply. Positions are in model space at bind
// (Mesh), metres.
struct Anchor {
  std::uint32_t joint = 0;
  glm::vec3 position{0.0f};
  bool is_branch = false;  // true if other limbs leave the curve here
};

// A curve's anchors in order. The line from one to the next is a bone.
struct Chain {
  std::string name;             // unique: the rig's name, or "first..last" by the joints at the ends
  std::vector<Anchor> anchors;  // at least two; the positions of neighbours differ
  std::size_t top = 0;  // the anchor whose joint is nearest the root: a limb-to-limb curve runs up to it and down again
};

// Returns kUnsupported if a chain has more anchors than can be posed (kMaxAnchors). Errors begin with `what`.
Result<void> check_length(const Chain& chain, const std::string& what);

// Kind of a joint by its number of links, the bones to its parent and to its children.
enum class Linkage {
  kEnd,          // 1 or none: curves end here
  kTwo,          // one curve through
  kBifurcation,  // 3: trunk to each limb, limb to limb
  kCross,        // 4: two curves
  kMore,         // pairs by straightness
};

// Returns the unit direction of the bone that leaves anchor i away from the top; at an end of the chain, of the bone
// that arrives.
glm::dvec3 direction_away(const Chain& chain, std::size_t i);

// Returns true for a tip: an end of a chain that moves with the joint of the next anchor.
bool is_tip(const Chain& chain, std::size_t i);

struct JointLinkage {
  std::uint32_t joint = 0;
  Linkage linkage = Linkage::kEnd;
  std::vector<std::size_t> curves;  // indices in Chains::chains, ascending, of the curves at the joint's position
};

struct Chains {
  std::vector<Chain> chains;
  std::vector<JointLinkage> joints;  // ascending
  std::vector<std::string> notes;    // one sentence per decision that a rigger may want to know
};

// Settings of the rig for laying curves.
struct ChainOptions {
  struct Named {
    std::string name;
    std::vector<std::string> joints;  // in order; one need not be the parent of the next
    glm::vec3 offset{0.0f};           // metres, model space at bind; displaces all anchors, which move with the joints
  };
  std::vector<std::string> split;   // joints at which automatic curves end
  std::vector<std::string> remove;  // names of automatic curves to leave out
  std::vector<Named> curves;        // added; one with the name of an automatic curve replaces it
  bool automatic = true;
};

// Finds the curves of the skeleton that moves `meshes` (indices in Model::meshes).
//
// Joints: a joint counts if weights of these meshes use it, or if it is between such joints, up to their common
// ancestor. If none of the meshes has weights, the model's other meshes decide; without any, all joints in skins count,
// and without skins all joints that have a parent or a child. A common ancestor without weights that the skin does not
// enclose (a scene's root on the ground) does not count; each skeleton below it is handled separately. Facial joints
// (patch_joints) do not count: their skin counts as that of the joint that carries them. A joint at the position of its
// parent or of a sibling becomes one anchor with it. In each curve the joint that turns the bone below carries this
// anchor; at the end of a curve, the lowest joint does. A twist helper is a joint that lies on the bone from its parent
// to a sibling and leads only to other helpers: it is an anchor of that bone.
//
// Tips: a curve takes its last direction from its last bone, so a joint without children receives its own bone. The
// bone follows the skin of the joint to its end, or ends at an unweighted child near the end of the skin. It never
// points back along the bone before it. A joint without skin receives no tip. A joint whose skin reaches beyond all of
// several joints below it (a skull with eyes and a jaw) receives such a bone too.
//
// Pairs: at a joint of three links, all pairs count. At four and more, the parent is paired with the child that
// continues it straightest, then the straightest of the remainder are paired, and so on; but limbs that mirror each
// other stay together. Limbs less than 60 degrees apart are not paired. Two limbs that both lead away from the joint
// above, or from the topmost joint, must be 120 degrees apart, so that fingers are not paired, unless a joint of three
// links forks into two limbs with bones of the same lengths. Limbs with mirrored names need only 5 degrees. At joints
// of three or more links, two limbs whose names have the same side as the joint are not paired. A link that remains
// joins the straightest partner that is in fewer than three pairs there, or starts at the joint, as all fingers do
// except the one that continues the arm.
//
// Curves: a curve continues at each joint by the first pair of its link, so that the number of curves does not
// multiply. A pair that is not the first of both its links makes another curve, which continues beyond the next branch
// only along bones in fewer than three curves. Curves that are part of another are left out. The total is linear in the
// number of joints. The order is that of the topmost joints.
//
// Errors: kNotFound for joints and curves that do not exist, with the nearest name; kInvalidArgument for a named curve
// that is invalid (joints at fewer than two positions, a joint twice, a name twice or empty, an offset that is not
// finite) and for a skeleton on which no curve can be laid.
Result<Chains> find_chains(const Model& model, std::span<const std::uint32_t> meshes, const ChainOptions& options);

// Returns for every joint of the model the matrix from joint space to model space at bind, according to the skins of
// `meshes`: an anchor moves by matrix_of(joint) * inverse(matrices_at_bind[joint]). A joint in no skin derives its
// matrix by rest transforms from the nearest joint that has one; if that leads beyond kMaxCoordinate, or there is no
// such joint, it has the matrix of its parent.
std::vector<glm::dmat4> matrices_at_bind(const Model& model, std::span<const std::uint32_t> meshes);

}  // namespace pelt::chain
