// SPDX-License-Identifier: MIT
// A program without a device, outside of Pelt's build: loads a character and moves it.
#include <cstdio>
#include <vector>

#include <pelt/evaluate.h>
#include <pelt/pelt_file.h>
#include <pelt/pose.h>
#include <pelt/version.h>

static_assert(PELT_VERSION >= 100);

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  const pelt::Result<pelt::Character> character = pelt::load_pelt(argv[1]);
  if (!character) {
    std::fprintf(stderr, "%s\n", character.error().message.c_str());
    return 1;
  }
  const pelt::Skeleton& skeleton = (*character)->skeleton;
  std::vector<pelt::Transform> local(skeleton.joints.size());
  std::vector<glm::mat4> joints(skeleton.joints.size());
  pelt::rest_pose(skeleton, local);
  pelt::model_matrices(skeleton, local, joints);
  pelt::Evaluator evaluator(*character);
  evaluator.pose(joints);
  evaluator.evaluate();
  std::printf("%zu joints move %zu vertices\n", joints.size(), evaluator.positions().size());
  return joints.empty() ? 1 : 0;
}
