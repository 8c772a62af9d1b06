// SPDX-License-Identifier: MIT
// Every deformer in every configuration: what the property suite, the comparison of GPU and CPU and the file's round
// trip run over.
#pragma once

#include <functional>
#include <iosfwd>
#include <vector>

#include <pelt/model.h>
#include <pelt/rig.h>

namespace pelt::test {

// The motions of all controls that move the skin by the same.
enum class Follows {
  kRigid,       // frames of triangles and of patches: their third axis keeps unit length (equation 2)
  kSimilarity,  // estimated frames, curves
  kAffine,
};

struct Deformer {
  const char* name;
  DeformerParameters parameters;
  bool is_local = true;  // far controls change nothing
  Follows follows = Follows::kAffine;
  // What belongs to it beside one layer of the parameters: groups, other layers, what drivers have.
  std::function<void(Model&, Rig&)> change = [](Model&, Rig&) {};
};

void PrintTo(const Deformer& deformer, std::ostream* out);

// A new deformer is one more line here.
const std::vector<Deformer>& deformers();

struct Subject {
  Model model;
  Rig rig;
};

// Mesh 0 of `model`, moved by the deformer. `cage` drives it as "cage" where it needs a driver, and is a second skin
// otherwise.
Subject make_subject(const Deformer& deformer, Model model, Mesh cage);

}  // namespace pelt::test
