// SPDX-License-Identifier: MIT
// Shared by tests of the C API: its handles, and expectations of its calls.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pelt/linear_blend.h>
#include <pelt/pelt.h>
#include <pelt/pelt_file.h>

#include "tests/support/c_handle.h"
#include "tests/support/driven.h"
#include "tests/support/tube.h"

namespace pelt::runtime {

using CharacterHandle = Handle<pelt_character, pelt_character_destroy>;
using ModelHandle = Handle<pelt_model, pelt_model_destroy>;
using RigHandle = Handle<pelt_rig, pelt_rig_destroy>;
using DeviceHandle = Handle<pelt_device, pelt_device_destroy>;
using GpuHandle = Handle<pelt_gpu_characters, pelt_gpu_characters_destroy>;
using EvaluatorHandle = Handle<pelt_evaluator, pelt_evaluator_destroy>;
using CrowdHandle = Handle<pelt_crowd, pelt_crowd_destroy>;

#define ASSERT_OK(call) ASSERT_EQ(call, PELT_OK) << pelt_last_error()
#define EXPECT_OK(call) EXPECT_EQ(call, PELT_OK) << pelt_last_error()

// Expects that a call is refused, and why; the message begins with the library's function.
#define EXPECT_REFUSED(call, result, why)                                  \
  do {                                                                     \
    EXPECT_EQ(call, result) << #call;                                      \
    EXPECT_THAT(pelt_last_error(), testing::StartsWith("pelt_")) << #call; \
    EXPECT_THAT(pelt_last_error(), testing::HasSubstr(why)) << #call;      \
  } while (false)
#define EXPECT_INVALID(call, why) EXPECT_REFUSED(call, PELT_ERROR_INVALID_ARGUMENT, why)

// Returns what a function makes of these arguments.
template <class Made, class... Parameters, class... Arguments>
Made make_handle(pelt_result (*function)(Parameters...), Arguments... arguments) {
  typename Made::pointer made = nullptr;
  EXPECT_OK(function(arguments..., &made));
  return Made(made);
}

template <class T>
T sized() {
  T made{};
  made.struct_size = sizeof(T);
  return made;
}

// Returns the struct that a function fills.
template <class Info, class... Parameters, class... Arguments>
Info got(pelt_result (*function)(Parameters...), Arguments... arguments) {
  auto info = sized<Info>();
  EXPECT_OK(function(arguments..., &info));
  return info;
}

// A tube in a streamed cage, a second one by a cage with a morph target, and a clip that moves a joint and the target.
inline Character make_caged() {
  Model model = test::make_tubes_in_two_cages();
  model.clips = {
      {.name = "nod",
       .duration = 2,
       .channels = {{.joint = 1, .path = ChannelPath::kTranslation, .times = {0, 2}, .values = {4, 0, 0, 4, 1, 0}}},
       .morph_channels = {{.mesh = "morphed", .target = 0, .times = {0, 2}, .values = {0, 3}}}}};
  return test::bound(model, test::two_cages()).character;
}

// Makes another character, by linear blend.
inline Character make_linear() {
  return test::bound(test::make_tube(), test::rig_of(LinearBlendParameters{})).character;
}

inline CharacterHandle in_c(const Character& character) {
  const std::vector<std::byte> bytes = serialize(character);
  return make_handle<CharacterHandle>(pelt_character_load_memory, bytes.data(), bytes.size(), "test");
}

}  // namespace pelt::runtime
