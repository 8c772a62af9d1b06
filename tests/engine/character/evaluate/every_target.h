// SPDX-License-Identifier: MIT
// Tests of kernels with vector instructions, run with every instruction set of this machine.
#pragma once

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>
#include <string>

#include "tests/support/kernel_targets.h"

namespace pelt {

// The parameter is the instruction set that the kernels run with.
class EveryTarget : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { choose_target(GetParam()); }
  void TearDown() override { choose_target(0); }
};

inline std::string target_name(const testing::TestParamInfo<std::int64_t>& target) {
  return hwy::TargetName(target.param);
}

}  // namespace pelt
