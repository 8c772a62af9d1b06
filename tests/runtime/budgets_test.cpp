// SPDX-License-Identifier: MIT
// The committed counts of every pipeline of a crowd: shaders/budgets.txt.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include <pelt/anchor.h>

#include "engine/character/base/formatted.h"
#include "runtime/plan/frame.h"
#include "shaders/anchor/anchor.h"
#include "tests/runtime/kernel_counts.h"
#include "tests/support/deformer_list.h"
#include "tests/support/driven.h"
#include "tests/support/morphs.h"
#include "tests/support/must.h"
#include "tests/support/program.h"
#include "tests/support/shared_files.h"
#include "tests/support/tube.h"

namespace pelt::runtime {
namespace {

constexpr const char* kFile = PELT_SOURCE "/shaders/budgets.txt";
constexpr const char* kFamilies[] = {"NAVI21", "GFX1100", "VANGOGH"};
constexpr const char* kHead =
    "# Counts of every pipeline of a crowd by Mesa's compiler for AMD cards; `./run check budgets rewrite` writes "
    "them:\n"
    "# registers, spills, scratch, waves, instructions, slots, latency (tests/runtime/kernel_counts.h), family,\n"
    "# pipeline. After a blend's name: formats of normals, tangents, positions and previous positions, and what it "
    "has\n"
    "# (shaders/blend/blend.h), as after that of anchors; after that of bounds, kinds of records "
    "(shaders/bounds/bounds.h).\n";

using Streams = std::vector<OutputStreams>;

OutputStreams streams(StreamFormat normals, StreamFormat tangents, StreamFormat positions, StreamFormat previous) {
  return {.positions = {.format = positions},
          .normals = {.format = normals},
          .tangents = {.format = tangents},
          .previous_positions = {.format = previous}};
}

// A crowd's own outputs.
OutputStreams own_streams() {
  return streams(StreamFormat::kOctahedral16Both, StreamFormat::kNone, StreamFormat::kFloatTight, StreamFormat::kNone);
}

Streams all_streams() {
  using enum StreamFormat;
  return {own_streams(),
          streams(kNone, kNone, kFloatTight, kNone),
          streams(kOctahedral16, kNone, kFloatTight, kNone),
          streams(kOctahedral16, kOctahedral16, kFloat, kNone),
          streams(kFloat, kFloat, kFloat, kNone),
          streams(kOctahedral16Both, kNone, kFloatTight, kFloatTight),
          streams(kOctahedral16Both, kNone, kFloat, kFloat)};
}

std::string name_of(const Kernel& kernel) {
  constexpr const char* kContents[] = {"linear",  "dual-quaternion", "wires",   "offsets", "gradients", "key-poses",
                                       "painted", "drivers",         "outputs", "morphs",  "over-2",    "over-4"};
  const bool anchors = kernel.kind == KernelKind::kAnchors;
  const bool blends = anchors || kernel.kind == KernelKind::kDrivers || kernel.kind == KernelKind::kSkins;
  std::string numbers;
  std::string words;
  for (std::size_t c = 0; c < kernel.specialization.size(); ++c) {
    const std::uint32_t value = kernel.specialization[c];
    if (!blends || c != (anchors ? shared::kAnchorSpecContents : shared::kSpecContents)) {
      numbers += formatted("{}{}", numbers.empty() ? " " : ",", value);
      continue;
    }
    for (std::size_t bit = 0; bit < 32; ++bit) {
      if ((value >> bit & 1u) != 0) words += formatted(" {}", bit < std::size(kContents) ? kContents[bit] : "other");
    }
  }
  return kernel.name + numbers + words;
}

Character bind_tube(const test::Deformer& deformer, bool has_morphs) {
  Model tube = test::make_tube();
  if (has_morphs) test::add_morph_targets(tube.meshes[0], 2);
  const test::Subject subject = test::make_subject(deformer, std::move(tube), test::make_tube_mesh({.radius = 1.1f}));
  const Character bound = test::bound(subject.model, subject.rig).character;
  const auto skin = std::ranges::find(bound->meshes, false, &CharacterMesh::control) - bound->meshes.begin();
  return test::must(with_anchors(bound, {{.name = "anchor", .mesh = static_cast<std::uint32_t>(skin)}}));
}

// Returns, by name, all kernels without constants; those of every deformer in every configuration with a crowd's own
// outputs; with all formats of outputs, and with morph targets, those of some; and those of a crowd of all characters.
std::map<std::string, Kernel> pipelines() {
  std::map<std::string, Kernel> made;
  const auto add = [&](const Kernel& kernel) { made.emplace(name_of(kernel), kernel); };
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.specialization.empty()) add(kernel);
  }
  const auto add_crowd = [&](std::span<const Character> characters, const Streams& outputs) {
    const CrowdPlan plan = plan_ahead(characters, {.bounds = true, .anchors = true}, {});
    for (const OutputStreams& of : outputs) {
      for (const FrameDispatch& dispatch : dispatches_of(plan, of, {})) add(dispatch.kernel);
    }
  };
  std::vector<Character> all;
  const std::set<std::string> typical{"LinearBlend", "DualQuaternion", "SurfaceFfdExtended", "CurveSkeleton"};
  for (const test::Deformer& deformer : test::deformers()) {
    all.push_back(bind_tube(deformer, false));
    const bool is_typical = typical.contains(deformer.name);
    add_crowd({&all.back(), 1}, is_typical ? all_streams() : Streams{own_streams()});
    if (!is_typical) continue;
    all.push_back(bind_tube(deformer, true));
    add_crowd({&all.back(), 1}, {own_streams()});
  }
  add_crowd(all, {own_streams()});
  return made;
}

std::set<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::set<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.insert(line);
  return lines;
}

TEST(Budgets, AreThoseOfTheCommittedFile) {
  const std::map<std::string, Kernel> kernels = pipelines();
  std::string version;
  bool spill = false;
  std::map<std::string, std::string> rows;  // by pipeline
  for (const char* family : kFamilies) {
    const auto device = test::null_device(family);
    if (!device) PELT_SKIP(device.error().message);
    version = device->description().driver;
    for (const auto& [name, kernel] : kernels) {
      const test::KernelCounts counts = test::counts_of(*device, kernel);
      spill = spill || counts.spills > 0 || counts.scratch > 0;
      std::ostringstream row;
      for (const std::uint64_t count : {counts.registers, counts.spills, counts.scratch, counts.waves,
                                        counts.instructions, counts.slots, counts.latency})
        row << std::setw(6) << count << ' ';
      rows[name] += formatted("{} {} {}\n", row.str(), family, name);
    }
  }
  std::string text = formatted("{}{}\n\n", kHead, version);
  for (const auto& [name, of_families] : rows) text += of_families;
  if (std::getenv("PELT_UPDATE_REFERENCE") != nullptr) std::ofstream(kFile, std::ios::binary) << text;
  const std::set<std::string> expected = lines_of(test::file_text(kFile));
  if (!expected.contains(version)) {
    std::cout << "WARNING: shaders/budgets.txt has no counts of " << version << ": nothing is compared\n";
    return;
  }
  EXPECT_FALSE(spill) << "registers are kept in memory";
  for (const std::string& line : lines_of(text)) EXPECT_TRUE(expected.contains(line)) << "counted: " << line;
  for (const std::string& line : expected) {
    EXPECT_TRUE(lines_of(text).contains(line))
        << "committed: " << line << "\n`./run check budgets rewrite` writes shaders/budgets.txt";
  }
}

// A wave jumps over the outer block and over those within it.
TEST(Budgets, CountTheCommonPath) {
  std::string program = "BB0:\n\tv_mov_b32 v0, 0 ; 01\n\ts_cbranch_execz BB4 ; 02\nBB1:\n\tv_rcp_f32 v1, v0 ; 03\n";
  program += "\ts_cbranch_execz BB3 ; 04\nBB2:\n";
  for (int i = 0; i < 99; ++i) program += "\tv_add_f32 v0, v0, v0 ; 05\n";
  const std::string end = "BB3:\n\tbuffer_load_dword v0, off ; 06\nBB4:\n\ts_endpgm ; 07\n";
  EXPECT_EQ(test::slots_of(program + end, true), 1u + 4 + 99);
  program += "\tv_sqrt_f32 v0, v0 ; 08\n";
  EXPECT_EQ(test::slots_of(program + end, true), 1u + 4);
  EXPECT_EQ(test::slots_of(program + end, false), 1u + 4 + 99 + 4);
}

}  // namespace
}  // namespace pelt::runtime
