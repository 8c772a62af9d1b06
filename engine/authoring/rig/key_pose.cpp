// SPDX-License-Identifier: MIT
#include <pelt/key_pose.h>
#include <pelt/tools/fields.h>

namespace pelt {
namespace {

constexpr Choice<KeyInterpolation> kInterpolations[] = {{"linear", KeyInterpolation::kLinear},
                                                        {"rbf", KeyInterpolation::kRbf}};

}  // namespace

static void describe(Fields& fields, KeyPose& pose) {
  fields.about("key_pose", "A shape of a mesh at certain angles.");
  fields.numbers({"degrees", "One per angle."}, pose.degrees, kAnyNumber);
  fields.text({"morph_target", "A morph target of the mesh, at full weight."}, pose.morph_target, Names::kMorphTarget);
  fields.offsets({"offsets", "[vertex, x, y, z]: metres, model space at bind; they turn with the limb."}, pose.offsets);
}

void describe(Fields& fields, KeyPoseSet& set) {
  fields.about("key_pose_set", "Poses over the same angles. Rest, all angles 0, is a key without offsets.");
  fields.objects({"angles", "Angles of the keys."}, set.angles);
  fields.choice({"interpolation", "linear: over one angle, constant beyond the last keys; rbf: over up to 8 angles."},
                set.interpolation, kInterpolations);
  fields.objects({"poses", "Shapes at these angles."}, set.poses);
}

void describe(Fields& fields, Corrective& corrective) {
  fields.about("corrective",
               "Shapes of a skin at angles of joints: a muscle that swells, a knee that keeps its form. A pose's morph "
               "target follows the joints instead of the clips; its control adds to that.");
  fields.text({"mesh", "The skin."}, corrective.mesh, Names::kMesh);
  describe(fields, corrective.keys);
}

}  // namespace pelt
