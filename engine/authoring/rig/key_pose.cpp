// SPDX-License-Identifier: MIT
#include <pelt/key_pose.h>
#include <pelt/tools/fields.h>

namespace pelt {
namespace {

constexpr Choice<KeyInterpolation> kInterpolations[] = {{"linear", KeyInterpolation::kLinear},
                                                        {"rbf", KeyInterpolation::kRbf}};

}  // namespace

static void describe(Fields& fields, KeyPose& pose) {
  fields.about("key_pose", "A shape of a mesh at certain angles, or at a value.");
  fields.numbers({"degrees", "One per angle."}, pose.degrees, kAnyNumber);
  fields.number({"at", "Without angles: the control, not 0, or the muscle's length over that at bind, not 1."}, pose.at,
                kAnyNumber);
  fields.text({"morph_target", "A morph target of the mesh, at full weight."}, pose.morph_target, Names::kMorphTarget);
  fields.offsets({"offsets", "[vertex, x, y, z]: metres, model space at bind; they turn with the limb."}, pose.offsets);
  fields.offsets({"turns",
                  "For drivers, [vertex, x, y, z]: turns the vertex's frame, about this axis by its length in degrees, "
                  "less than 90, instead of as the offsets tilt the surface. The skin round it turns."},
                 pose.turns);
}

void describe(Fields& fields, KeyPoseSet& set) {
  fields.about("key_pose_set",
               "Poses over the same angles, a control or a muscle's stretch. Rest (angles and control 0, stretch 1) is "
               "a key without offsets.");
  fields.objects({"angles", "Angles of the keys."}, set.angles);
  fields.text({"control",
               "Instead of angles, for drivers: a control, DRIVER/NAME, which the game sets each frame; linear "
               "between keys."},
              set.control);
  fields.text({"muscle", "Instead of angles, for drivers: the muscle whose stretch is keyed; linear between keys."},
              set.muscle);
  fields.at_most_one(
      {{"angles", !set.angles.empty()}, {"control", !set.control.empty()}, {"muscle", !set.muscle.empty()}},
      "key poses are over one of angles, control and muscle");
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
