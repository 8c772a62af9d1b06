// SPDX-License-Identifier: MIT
// Tests the palette entries of control points and of samples between them.
#include "engine/authoring/rows/table_writer.h"
#include "shaders/chain/pose.h"
#include "shaders/mos/point_pose.h"
#include "shaders/mos/table_pose.h"
#include "tests/engine/character/kernels/point_scene.h"

namespace pelt::mos {
namespace {

// A pass of each kernel, with points on both sides of every joint, and the parts of the passes.
struct Passes {
  explicit Passes(const Scene& scene, MosFrames frames = MosFrames::kRelative) {
    MosTable table = scene.table(frames);
    chain = table.put_chain(scene.limb.curve.chain);
    for (std::uint32_t far = 0; far < 4; ++far) {
      if (far == scene.limb.curve.chain.top) continue;
      for (const float part : {0.25f, 0.75f}) {
        const std::size_t near = scene.upper(far);
        points.push_back({.joint = static_cast<std::uint32_t>(near),
                          .position = glm::mix(kPlaces[near], kPlaces[far], double{part}),
                          .turn = scene.turn_of(far, 0.5f * part, part, true)});
        words.push_back(table.put_point(points.back(), std::array{chain}));
      }
    }
    const std::vector<glm::mat4> bind(scene.limb.at_bind().begin(), scene.limb.at_bind().end());
    anchors = table.anchor_pass();
    const std::uint32_t first_point = anchors.record_count * shared::kAnchorBlock;
    in_windows.kernel = PoseKernel::kMosWindowPoint;
    in_windows.stage = 1;
    in_windows.first_entry = first_point;
    for (const std::uint32_t word : words) append_record(in_windows.records, shared::MosPointRecord{word});
    in_windows.record_count = static_cast<std::uint32_t>(words.size());
    in_windows.table = table.words();
    along.kernel = PoseKernel::kMosTable;
    along.stage = 2;
    along.first_entry = first_point + in_windows.record_count * shared::kMosPointEntries;
    TableWriter samples;
    for (std::size_t w = 0; w + 3 < words.size(); ++w) {
      const std::array window{words[w], words[w + 1], words[w + 2], words[w + 3]};
      const shared::MosWindow rest = PosedPoints(table, bind, kNoTwists).window(window);
      shared::MosTableRecord record{{}, samples.size()};
      for (std::uint32_t k = 0; k < shared::kMosWindow; ++k) {
        record.points[k] = first_point + (static_cast<std::uint32_t>(w) + k) * shared::kMosPointEntries;
      }
      for (std::uint32_t k = 0; k < shared::kMosEntries; ++k) {
        const float u = static_cast<float>(k) / (shared::kMosEntries - 1);
        samples.put_number(u);
        samples.put_inverse(shared::mos_window_frame(rest, u));
      }
      append_record(along.records, record);
      ++along.record_count;
    }
    along.table = samples.take_words();
  }
  // Returns the entries of a pass, once those before it are posed.
  std::vector<Affine> palette(const PalettePass& pass, const Scene& scene) const {
    std::vector<Affine> whole(along.first_entry + std::size_t{along.record_count} * shared::kMosEntries);
    for (const PalettePass* posed : {&anchors, &in_windows, &pass}) {
      pose_kernel(posed->kernel).pose(*posed, 0, posed->record_count, {scene.joints, {}, scene.twists, whole});
    }
    const auto first = whole.begin() + pass.first_entry;
    return {first, first + pass.record_count * pose_kernel(pass.kernel).entries_per_record};
  }
  std::uint32_t chain = 0;
  std::vector<ControlPoint> points;
  std::vector<std::uint32_t> words;
  PalettePass anchors, in_windows, along;
};

TEST(MosEntries, OfASampleAreTheBlendOfTheWindow) {
  for (const std::size_t top : {0, 2}) {
    for (const MosFrames frames : {MosFrames::kRelative, MosFrames::kJoint}) {
      const Scene scene(top);
      const Passes passes(scene, frames);
      Scene bind(top);
      bind.pose_at_bind();
      const auto blend = [&](const Scene& pose, std::size_t window, double u) {
        const std::array<double, 4> weights{(1 - u) * (1 - u) * (1 - u) / 6, (3 * u * u * u - 6 * u * u + 4) / 6,
                                            (-3 * u * u * u + 3 * u * u + 3 * u + 1) / 6, u * u * u / 6};
        std::vector<Expected> points;
        double theta = 0;
        for (std::size_t k = 0; k < 4; ++k) {
          points.push_back(expected(pose, passes.points[window + k]));
          theta += weights[k] * points[k].angle;
        }
        Frame result{glm::dmat3(0.0), glm::dvec3(0.0)};
        for (std::size_t k = 0; k < 4; ++k) {
          const std::uint32_t joint = passes.points[window + k].joint;
          const Frame frame =
              points[k].frame(frames == MosFrames::kJoint ? pose.bind_axes(joint) : glm::dmat3(1.0), theta);
          result.axes += weights[k] * frame.axes;
          result.origin += weights[k] * frame.origin;
        }
        return result;
      };
      const std::vector<Affine> palette = passes.palette(passes.along, scene);
      for (std::size_t w = 0; w < passes.along.record_count; ++w) {
        for (std::size_t k = 0; k < shared::kMosEntries; ++k) {
          const double u = static_cast<double>(k) / (shared::kMosEntries - 1);
          const Frame posed = blend(scene, w, u);
          const Frame rest = blend(bind, w, u);
          const glm::dmat3 axes = posed.axes * glm::inverse(rest.axes);
          EXPECT_LT(distance({axes, posed.origin - axes * rest.origin}, palette[w * shared::kMosEntries + k]), 2e-4)
              << w << ", " << k;
        }
      }
    }
  }
}

}  // namespace
}  // namespace pelt::mos
