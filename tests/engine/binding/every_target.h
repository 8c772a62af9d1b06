// SPDX-License-Identifier: MIT
// Tests of kernels with vector instructions, run with every instruction set of this machine.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>
#include <vector>

namespace pelt {

// The parameter is the instruction set that the kernels run with.
class EveryTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { choose(GetParam()); }
  void TearDown() override { choose(0); }

 private:
  // 0: every instruction set of the processor.
  static void choose(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

// The kernels are not compiled for the targets without vectors: their lowest target would run twice.
inline std::vector<std::int64_t> targets_of_kernels() {
  std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
  std::erase_if(targets, [](std::int64_t target) { return target == HWY_SCALAR || target == HWY_EMU128; });
  return targets;
}

inline std::string target_name(const testing::TestParamInfo<std::int64_t>& target) {
  return hwy::TargetName(target.param);
}

}  // namespace pelt
