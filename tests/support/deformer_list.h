// SPDX-License-Identifier: MIT
// Every deformer in every configuration, for the property suite, the comparison of GPU and CPU and the file's round
// trip.
#pragma once

#include <functional>
#include <iosfwd>
#include <vector>

#include <pelt/model.h>
#include <pelt/rig.h>

#include "tests/support/tube.h"

namespace pelt::test {

// The class of motions that, applied to all controls, move the skin by the same motion.
enum class Follows {
  kRigid,       // frames of triangles and of patches: their third axis keeps unit length (equation 2)
  kSimilarity,  // estimated frames, curves
  kAffine,
};

struct Deformer {
  const char* name;
  DeformerParameters parameters;
  bool is_local = true;  // true: far controls have no influence
  Follows follows = Follows::kAffine;
  // Adds the parts of the configuration besides its one layer: groups, other layers, properties of drivers.
  std::function<void(Model&, Rig&)> change = [](Model&, Rig&) {};
  bool rests = true;  // false: bind itself already moves the skin
};

void PrintTo(const Deformer& deformer, std::ostream* out);

// Lists the deformers; a new one is one more line here.
const std::vector<Deformer>& deformers();

struct Subject {
  Model model;
  Rig rig;
};

// Returns mesh 0 of `model` moved by the deformer. If the deformer needs a driver, `cage` is its driver "cage";
// otherwise it is a second skin.
Subject make_subject(const Deformer& deformer, Model model, Mesh cage);

// Does that with a tube in another tube.
Subject make_subject(const Deformer& deformer, const TubeOptions& tube = {.around = 3, .along = 4},
                     const TubeOptions& cage = {.around = 8, .along = 12, .radius = 1.1f});

}  // namespace pelt::test
