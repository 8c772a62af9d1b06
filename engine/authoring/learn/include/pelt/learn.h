// SPDX-License-Identifier: MIT
// Learns how the skins of a model move from cached vertices, and certifies how well (docs/learn.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <pelt/bind.h>
#include <pelt/result.h>
#include <pelt/tools/bind_model.h>

namespace pelt {

// Cached vertices, and the poses that they show.
struct CachedPoses {
  std::string cache;  // a PC2: the vertices of all skins in the model's order, one mesh after the other, model space
  // A clip of the model, of which sample k shows the frame start + k * rate of the cache; or a .json: sample k shows
  // the k-th pose of a list, each {joint: [x, y, z]}, degrees from rest about the joint's own axes, x first; or {joint:
  // [x, y, z, w]}, the rotation in its parent. Joints that a pose does not name rest.
  std::string poses;
};

struct LearnOptions {
  std::vector<CachedPoses> sequences;
  double fps = 24;               // of the frames of caches
  std::optional<double> within;  // the error to reach, metres; none: 1/2000 of the character's size
  // Most bytes that weights and shapes add, without levels and the certificate; 0: a quarter of the base's or 256 kB.
  std::uint64_t budget = 0;
  bool weights = true;  // whether weights of a base by linear blend may change
};

inline constexpr std::size_t kMaxLearntPoses = 512;  // of more, evenly spaced ones are used

struct LearntModel {
  BoundModel model;         // its model has the fitted weights and its rig the shapes, unlike the text in the character
  std::string certificate;  // CharacterData::certificate
};

// Binds a model as bind_model does, fits the weights of linear blend (smooth skinning decomposition, Le & Deng 2012),
// and adds correctives with which it reproduces cached vertices: offsets of the skin before it is deformed, weighted by
// functions of joint angles (pose-space deformation, Lewis et al. 2000). Which joints, which of their axes and which
// angles are chosen by cross-validation; the shapes are ridge regressions. The rig gives this character again with
// LearntModel::model's weights, or with any if LearnOptions::weights is false. The result does not depend on
// BindOptions::threads. Errors: those of bind_model and load_pc2; kNotFound for a clip, joint or file that does not
// exist; kInvalidArgument for caches that do not fit the model or its poses.
Result<LearntModel> learn_model(const std::string& model, const Binding& binding, const LearnOptions& learn,
                                const BindOptions& options = {});

}  // namespace pelt
