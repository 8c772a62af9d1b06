// SPDX-License-Identifier: MIT
// Tests secondary action: masses on rods, and the time in which they swing.
#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <glm/gtc/constants.hpp>
#include <limits>

#include <pelt/evaluate.h>
#include <pelt/tools/inspect.h>

#include "engine/authoring/hierarchical_bspline/action_pull.h"
#include "engine/character/action_clock.h"
#include "shaders/hierarchical_bspline/action_pose.h"
#include "tests/support/driven.h"
#include "tests/support/swinging.h"

namespace pelt::hierarchical_bspline {
namespace {

using test::dancing_joints;
using test::shifted_joints;
using test::swinging_tube;

constexpr float kOneStep = shared::kActionStep;
constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kRod = glm::length(glm::vec3(3, 0, 3.0f / (2 + std::sqrt(0.5f))));  // from joint1 to vertex 64

// Returns settings that give the mass at vertex 64 a stiffness k / m and dampings c / m, for a mass of 1 kg.
SecondaryAction action(float stiffness, float damping, float damping_into, float reach = 0.5f) {
  return {.rigidity = stiffness * kRod * kRod * kRod / 3,
          .mass = 1,
          .damping = damping,
          .damping_into = damping_into,
          .reach = reach,
          .vertices = {}};
}

// The tube, which is moved frame by frame.
class Swing {
 public:
  explicit Swing(Character character) : character_(std::move(character)), evaluator_(character_) {}
  explicit Swing(const SecondaryAction& by) : Swing(swinging_tube(by)) {}

  void frame(float seconds, std::span<const glm::mat4> joints) {
    evaluator_.advance(seconds);
    evaluator_.pose(joints);
    evaluator_.evaluate();
  }
  void frame(float seconds, glm::vec3 shift) { frame(seconds, shifted_joints(shift)); }
  // Begins at rest, unmoved.
  void begin() {
    frame(0, glm::vec3(0));
    frame(kOneStep, glm::vec3(0));
  }

  // Returns the distance of vertex 64's mass from the shifted surface's position of the vertex.
  glm::vec3 displacement(glm::vec3 shift) const {
    const CharacterMesh& mesh = test::mesh_of(character_, "surface swinging");
    return test::positions_of(evaluator_, character_, mesh.name)[0] - vertex() - shift;
  }
  // Returns the position of vertex 64 at bind.
  glm::vec3 vertex() const {
    const CharacterMesh& mesh = test::mesh_of(character_, "surface swinging");
    return mesh.binding.points[std::ranges::find(mesh.source_vertex, 0u) - mesh.source_vertex.begin()];
  }

  Evaluator& evaluator() { return evaluator_; }
  const Character& character() const { return character_; }
  std::vector<glm::vec3> positions() const { return {evaluator_.positions().begin(), evaluator_.positions().end()}; }

 private:
  Character character_;
  Evaluator evaluator_;
};

float farthest_from_rest(const Swing& swing, glm::vec3 shift) {
  const std::vector<glm::vec3> all = swing.positions();
  float most = 0;
  for (const CharacterMesh& mesh : swing.character()->meshes) {
    const auto posed = std::span(all).subspan(mesh.first_vertex, mesh.vertex_count());
    for (std::uint32_t v = 0; v < mesh.vertex_count(); ++v) {
      most = std::max(most, glm::distance(posed[v], mesh.binding.points[v] + shift));
    }
  }
  return most;
}

// Tests the clock.

TEST(ActionClock, KeepsWhatIsLessThanAPart) {
  ActionClock clock;
  for (int frame = 0; frame < 1440000; ++frame) clock.advance(1.0f / 144);  // 10,000 s
  EXPECT_NEAR(static_cast<double>(clock.parts()) / 61440, 1440000 * double{1.0f / 144}, 1e-3);
  EXPECT_EQ(clock.value(), static_cast<float>(clock.parts() % (65536 * 256)) / 256);
  EXPECT_LT(clock.value(), shared::kActionClock);
}

TEST(ActionClock, TakesNoTimeThatIsNone) {
  ActionClock clock;
  for (const float seconds : {-1.0f, -kInfinity, kInfinity, std::nanf("")}) clock.advance(seconds);
  EXPECT_EQ(clock.parts(), 0u);
  clock.advance(std::numeric_limits<float>::max());
  clock.advance(1.0f / 60);
  EXPECT_LT(clock.value(), shared::kActionClock);
}

// Tests the pull against the damped oscillator: displacements at steps obey r(n+1) = (z1 + z2) r(n) - z1 z2 r(n-1).
TEST(ActionPull, HasTheDecayAndFrequencyOfTheOscillator) {
  for (const double stiffness : {0.0, 1.0, 100.0, 4000.0, 50000.0}) {
    for (const double damping : {0.0, 1.0, 20.0, 1000.0}) {
      const ActionPull pull = action_pull(stiffness, damping);
      const double h = double{kOneStep};
      const std::complex<double> root = std::sqrt(std::complex<double>(damping * damping / 4 - stiffness));
      const std::complex<double> z1 = std::exp((-damping / 2 + root) * h);
      const std::complex<double> z2 = std::exp((-damping / 2 - root) * h);
      EXPECT_NEAR(double{pull.kept}, (z1 * z2).real(), 1e-6) << stiffness << ' ' << damping;
      EXPECT_NEAR(1 + double{pull.kept} - h * double{pull.pull}, (z1 + z2).real(), 1e-6) << stiffness << ' ' << damping;
    }
  }
}

// Tests a mass that is released next to its vertex: the vertex goes 1 cm along the surface, across the rod, in one
// step.
TEST(SecondaryActions, SwingAtTheFrequencyOfTheDampedOscillator) {
  for (const float stiffness : {60.0f, 400.0f, 2000.0f}) {
    for (const float damping : {0.5f, 3.0f}) {
      Swing swing(action(stiffness, damping, 40));
      swing.begin();
      const glm::vec3 shift(0, 0, 0.01f);
      std::vector<double> crossings;
      std::vector<double> peaks;
      double before = 0;
      double peak = 0;
      for (int step = 0; step < 1200; ++step) {
        swing.frame(kOneStep, shift);
        const double now = double{swing.displacement(shift).z};
        if (step > 0 && before * now < 0) {
          crossings.push_back(step - now / (now - before));
          peaks.push_back(peak);
          peak = 0;
        }
        peak = std::max(peak, std::abs(now));
        before = now;
      }
      const double turn = std::sqrt(double{stiffness} - double{damping * damping} / 4);
      const double half_period = glm::pi<double>() / turn;
      ASSERT_GT(crossings.size(), 4u);
      for (std::size_t i = 1; i < 5; ++i) {
        EXPECT_NEAR((crossings[i] - crossings[i - 1]) * double{kOneStep} / half_period, 1, 0.01) << stiffness;
      }
      // The sampled peaks of stiff rods miss the true ones.
      EXPECT_NEAR(peaks[3] / peaks[1], std::exp(-double{damping} * half_period), 0.03) << stiffness << ' ' << damping;
    }
  }
}

// Tests masses that start next to an evenly moving vertex, and masses that it has carried along for long.
TEST(SecondaryActions, DoNotSwingBehindAnEvenMotion) {
  for (const float rate : {30.0f, 60.0f, 144.0f, 500.0f}) {
    Swing swing(action(200, 2, 8));
    for (int frame = 0; frame < 200; ++frame) {
      const glm::vec3 shift(0, 0, static_cast<float>(frame) / rate);
      swing.frame(1 / rate, shift);
      ASSERT_LT(glm::length(swing.displacement(shift)), 1e-4f) << "frame " << frame << " at " << rate << " Hz";
    }
  }
}

// Tests frame rates on a path that all of them see alike: even from one sixth of a second to the next.
TEST(SecondaryActions, SwingAlikeAtAnyFrameRate) {
  constexpr int kSixths = 12;
  const auto corner = [](int sixth) {
    const auto number = static_cast<float>(sixth);
    return glm::vec3(0.05f * std::sin(3 * number), 0.1f * std::cos(2 * number), 0.1f * std::sin(number));
  };
  // Runs to the end in frames that divide each sixth: `divide(sixth, frame)` returns the share of one.
  const auto run = [&](const auto& divide) {
    Swing swing(action(300, 3, 20));
    swing.frame(0, corner(0));
    for (int sixth = 0; sixth < kSixths; ++sixth) {
      float last = 0;
      for (int frame = 0; last < 1; ++frame) {
        const float share = std::min(last + divide(sixth, frame), 1.0f);
        const float end = share > 0.999f ? 1.0f : share;
        swing.frame((end - last) / 6, glm::mix(corner(sixth), corner(sixth + 1), end));
        last = end;
      }
    }
    return swing;
  };
  const Swing whole = run([](int, int) { return 1.0f / 40; });  // 240 Hz: one step a frame
  EXPECT_GT(glm::length(whole.displacement(corner(kSixths))), 0.02f) << "it swings";
  for (const int frames : {5, 10, 24}) {  // 30, 60, 144 Hz
    const Swing swing = run([&](int, int) { return 1.0f / static_cast<float>(frames); });
    EXPECT_LT(test::farthest(swing.positions(), whole.positions()), 2e-4f) << 6 * frames << " Hz";
  }
  const Swing irregular =
      run([](int sixth, int frame) { return 0.02f + 0.13f * static_cast<float>((7 * sixth + 5 * frame) % 11) / 11; });
  EXPECT_LT(test::farthest(irregular.positions(), whole.positions()), 2e-4f);
}

TEST(SecondaryActions, AreDampedMoreIntoTheSurface) {
  const auto swings = [](glm::vec3 shift) {
    Swing swing(action(300, 1, 30));
    swing.begin();
    swing.frame(kOneStep, shift);
    float most = 0;
    for (int step = 0; step < 600; ++step) {
      swing.frame(kOneStep, shift);
      if (step > 120) most = std::max(most, glm::length(swing.displacement(shift)));
    }
    return most / glm::length(shift);
  };
  const float along = swings({0, 0, 0.01f});
  const float into = swings({0, 0.01f, 0});
  EXPECT_GT(along, 0.5f);
  EXPECT_LT(into, 0.05f);
}

// Tests that only k / m and c / m count.
TEST(SecondaryActions, SwingAlikeWhereAllIsHeavier) {
  SecondaryAction by = action(300, 3, 20);
  Swing light(by);
  for (float* each : {&by.rigidity, &by.mass, &by.damping, &by.damping_into}) *each *= 5;
  Swing heavy(by);
  for (int frame = 0; frame < 30; ++frame) {
    for (Swing* each : {&light, &heavy}) each->frame(1.0f / 60, dancing_joints(frame / 60.0));
  }
  EXPECT_LT(test::farthest(light.positions(), heavy.positions()), 1e-5f);
}

// Tests a mass that floats while its vertex goes far across the rod: it hangs back by its reach, a part of the rod.
TEST(SecondaryActions, ReachAPartOfTheirRods) {
  for (const float reach : {0.1f, 0.25f, 1.0f}) {
    Swing swing(action(1e-3f, 0, 0, reach));
    swing.begin();
    const glm::vec3 there(0, 0, 10 * kRod);
    swing.frame(10 * kOneStep, there);
    EXPECT_NEAR(glm::length(swing.displacement(there)), 2 * std::sin(std::atan(reach) / 2) * kRod, 1e-4f) << reach;
  }
}

// Tests a mass that is led along the surface: it goes as far as on its arc, less what that leads into the surface.
TEST(SecondaryActions, KeepTheirHeightOverTheSurface) {
  SecondaryAction by = action(1e-3f, 0, 0, 0.5f);
  const glm::vec3 there(0, 0, 10 * kRod);
  std::array<glm::vec3, 2> shifts;
  for (const bool along : {false, true}) {
    by.along = along;
    Swing swing(by);
    swing.begin();
    swing.frame(10 * kOneStep, there);
    shifts[along ? 1 : 0] = swing.displacement(there);
  }
  EXPECT_GT(std::abs(shifts[0].y), 0.02f * kRod) << "the normal at vertex 64 is along y";
  EXPECT_LT(glm::distance(shifts[1], shifts[0] * glm::vec3(1, 0, 1)), 1e-4f);
}

// Tests numbers that are as large and as small as rigs may have them, and joints that are thrown about.
TEST(SecondaryActions, StayWithinTheirReach) {
  for (const float rigidity : {1e-20f, 1.0f, 1e20f}) {
    for (const float mass : {1e-10f, 1.0f, 1e10f}) {
      for (const float damping : {0.0f, 1.0f, 1e20f}) {
        Swing swing({.rigidity = rigidity, .mass = mass, .damping = damping, .damping_into = damping, .vertices = {}});
        swing.begin();
        for (int frame = 0; frame < 40; ++frame) {
          const float far = frame % 7 == 3 ? 1e5f : frame % 5 == 0 ? 10.0f : 0.1f;
          const glm::vec3 shift(0, far * std::sin(static_cast<float>(frame)),
                                far * std::cos(2.0f * static_cast<float>(frame)));
          swing.frame(static_cast<float>(frame % 4) / 100, shift);
          ASSERT_LT(glm::length(swing.displacement(shift)), 0.51f * kRod + 1e-6f * far)
              << rigidity << ' ' << mass << ' ' << damping << " frame " << frame;
        }
      }
    }
  }
}

TEST(SecondaryActions, RecoverFromJointsThatWereNoNumbers) {
  for (const float bad : {std::nanf(""), kInfinity, 1e30f, 1e9f}) {
    Swing swing(swinging_tube());
    swing.begin();
    swing.frame(1.0f / 60, glm::vec3(0, 0, 0.2f));
    swing.frame(1.0f / 60, glm::vec3(0, bad, bad));
    for (int frame = 0; frame < 3; ++frame) swing.frame(1.0f / 60, glm::vec3(0));
    EXPECT_LT(farthest_from_rest(swing, glm::vec3(0)), 1e-5f) << bad;
  }
}

TEST(SecondaryActions, StartAtRestAfterATeleport) {
  const glm::vec3 there(0, 1, 2);
  for (const bool teleported : {false, true}) {
    Swing swing(swinging_tube());
    swing.begin();
    for (int frame = 0; frame < 10; ++frame) {
      swing.frame(1.0f / 60, glm::vec3(0, 0, 0.02f * static_cast<float>(frame)));
    }
    EXPECT_GT(farthest_from_rest(swing, glm::vec3(0, 0, 0.18f)), 1e-3f) << "it swings";
    if (teleported) swing.evaluator().teleport();
    for (int frame = 0; frame < 5; ++frame) {
      swing.frame(1.0f / 60, there);
      EXPECT_EQ(farthest_from_rest(swing, there) < 1e-5f, teleported) << "frame " << frame;
    }
  }
}

// Tests copies that are evaluated seldom: their motion in between takes all of the time.
TEST(SecondaryActions, CatchUpAfterMissedFrames) {
  for (const int missed : {2, 10, 15, 16, 40}) {
    Swing seldom(action(300, 3, 20));
    Swing often(action(300, 3, 20));
    seldom.begin();
    often.begin();
    const glm::vec3 there(0, 0, 0.1f);
    for (int frame = 1; frame <= missed; ++frame) {
      often.frame(1.0f / 60, there * (static_cast<float>(frame) / static_cast<float>(missed)));
      seldom.evaluator().advance(1.0f / 60);
    }
    seldom.frame(0, there);
    if (static_cast<float>(missed) * 4 <= shared::kMaxActionSteps) {
      EXPECT_LT(test::farthest(seldom.positions(), often.positions()), 1e-4f) << missed;
    } else {
      EXPECT_LT(farthest_from_rest(seldom, there), 1e-5f) << missed;
    }
  }
  // The clock has gone round in between.
  Swing swing(action(300, 3, 20));
  swing.begin();
  swing.frame(65536 * kOneStep, glm::vec3(0, 0, 0.1f));
  EXPECT_LT(farthest_from_rest(swing, glm::vec3(0, 0, 0.1f)), 1e-5f);
}

// Tests that motion continues when the clock restarts.
TEST(SecondaryActions, GoOnAsTheClockGoesRound) {
  const auto end = [](float start) {
    Swing swing(action(300, 3, 20));
    swing.evaluator().advance(start);
    swing.begin();
    for (int frame = 0; frame < 20; ++frame) {
      swing.frame(1.0f / 60, glm::vec3(0, 0, 0.1f * std::sin(static_cast<float>(frame))));
    }
    return swing.positions();
  };
  EXPECT_LT(test::farthest(end((65536 - 20) * kOneStep), end(0)), 1e-4f);
}

TEST(SecondaryActions, KeepTheirTimeWhateverInputsSay) {
  Swing swing(swinging_tube());
  Swing disturbed(swinging_tube());
  std::vector<float> inputs(disturbed.character()->input_count);
  for (int frame = 0; frame < 20; ++frame) {
    for (Swing* each : {&swing, &disturbed}) {
      if (each == &disturbed) {
        std::fill(inputs.begin(), inputs.end(), static_cast<float>(1000 * frame));
        disturbed.evaluator().inputs(inputs);
        disturbed.evaluator().control(*disturbed.character()->find_control("clock"), std::nanf(""));
      }
      each->frame(1.0f / 60, dancing_joints(frame / 60.0));
    }
  }
  EXPECT_EQ(swing.positions(), disturbed.positions());
}

// Tests that the shift follows the vertex, and that nothing can follow the state stored next to it.
TEST(SecondaryActions, ShowTheirShiftAlone) {
  const Character character = swinging_tube();
  const auto pass = std::ranges::find(character->passes, PoseKernel::kSecondaryAction, &PalettePass::kernel);
  EXPECT_EQ(entry_sources(*character, pass->first_entry).size(), 1u);
  EXPECT_TRUE(entry_sources(*character, pass->first_entry + 1).empty());
}

// Tests a copy that was moved by linear blend, which has no masses.
TEST(SecondaryActions, StartAtRestAfterLinearBlend) {
  Swing swing(swinging_tube());
  swing.begin();
  swing.frame(1.0f / 60, glm::vec3(0, 0, 0.2f));
  swing.evaluator().set_detail(Detail::kLinearBlend);
  swing.evaluator().teleport();
  swing.frame(1.0f / 60, glm::vec3(0, 0, 0.4f));
  swing.evaluator().set_detail(Detail::kFull);
  swing.frame(1.0f / 60, glm::vec3(0, 0, 0.6f));
  EXPECT_LT(farthest_from_rest(swing, glm::vec3(0, 0, 0.6f)), 1e-5f);
}

}  // namespace
}  // namespace pelt::hierarchical_bspline
