// SPDX-License-Identifier: MIT
#include "tests/runtime/kernel_counts.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <sstream>
#include <string_view>
#include <vector>

#include <pelt/runtime/compute_kernel.h>

#include "runtime/device_internals.h"
#include "tests/support/must.h"
#include "tests/support/vulkan_mask.h"

namespace pelt::test {
namespace {

PFN_vkCreateDevice create_device = nullptr;
PFN_vkCreateComputePipelines create_pipelines = nullptr;
PFN_vkGetDeviceProcAddr device_function = nullptr;

// The last pipeline's.
std::map<std::string, std::uint64_t> statistics;
std::string assembly;

VkResult VKAPI_CALL create_capturing_device(VkPhysicalDevice physical, const VkDeviceCreateInfo* info,
                                            const VkAllocationCallbacks* callbacks, VkDevice* device) {
  VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR capturing{
      .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
      .pNext = const_cast<void*>(info->pNext),
      .pipelineExecutableInfo = VK_TRUE};
  VkDeviceCreateInfo changed = *info;
  changed.pNext = &capturing;
  return create_device(physical, &changed, callbacks, device);
}

void read_statistics(VkDevice device, const VkPipelineExecutableInfoKHR& program) {
  const auto read = reinterpret_cast<PFN_vkGetPipelineExecutableStatisticsKHR>(
      device_function(device, "vkGetPipelineExecutableStatisticsKHR"));
  std::uint32_t count = 0;
  read(device, &program, &count, nullptr);
  std::vector<VkPipelineExecutableStatisticKHR> found(count,
                                                      {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_STATISTIC_KHR});
  read(device, &program, &count, found.data());
  statistics.clear();
  for (const VkPipelineExecutableStatisticKHR& one : found) statistics[one.name] = one.value.u64;
}

void read_assembly(VkDevice device, const VkPipelineExecutableInfoKHR& program) {
  const auto read = reinterpret_cast<PFN_vkGetPipelineExecutableInternalRepresentationsKHR>(
      device_function(device, "vkGetPipelineExecutableInternalRepresentationsKHR"));
  std::uint32_t count = 0;
  read(device, &program, &count, nullptr);
  std::vector<VkPipelineExecutableInternalRepresentationKHR> found(
      count, {.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INTERNAL_REPRESENTATION_KHR});
  read(device, &program, &count, found.data());
  std::vector<std::string> texts;
  for (const auto& one : found) texts.emplace_back(one.dataSize, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) found[i].pData = texts[i].data();
  read(device, &program, &count, found.data());
  assembly.clear();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (std::string_view(found[i].name) == "Assembly") assembly = texts[i].c_str();
  }
}

VkResult VKAPI_CALL create_captured(VkDevice device, VkPipelineCache cache, std::uint32_t count,
                                    const VkComputePipelineCreateInfo* info, const VkAllocationCallbacks* callbacks,
                                    VkPipeline* pipeline) {
  VkComputePipelineCreateInfo changed = *info;
  changed.flags |=
      VK_PIPELINE_CREATE_CAPTURE_STATISTICS_BIT_KHR | VK_PIPELINE_CREATE_CAPTURE_INTERNAL_REPRESENTATIONS_BIT_KHR;
  const VkResult result = create_pipelines(device, cache, count, &changed, callbacks, pipeline);
  if (result != VK_SUCCESS) return result;
  const VkPipelineExecutableInfoKHR program{.sType = VK_STRUCTURE_TYPE_PIPELINE_EXECUTABLE_INFO_KHR,
                                            .pipeline = *pipeline};
  read_statistics(device, program);
  read_assembly(device, program);
  return result;
}

struct Capturing {
  static PFN_vkVoidFunction masked(std::string_view name, PFN_vkVoidFunction found) {
    if (name == "vkGetDeviceProcAddr") device_function = reinterpret_cast<PFN_vkGetDeviceProcAddr>(found);
    if (name == "vkCreateDevice") {
      create_device = reinterpret_cast<PFN_vkCreateDevice>(found);
      return untyped(create_capturing_device);
    }
    if (name == "vkCreateComputePipelines") {
      create_pipelines = reinterpret_cast<PFN_vkCreateComputePipelines>(found);
      return untyped(create_captured);
    }
    return found;
  }
};

bool starts_with_any(std::string_view text, std::span<const std::string_view> beginnings) {
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view beginning) { return text.starts_with(beginning); });
}

std::uint64_t slots_of_instruction(std::string_view name) {
  constexpr std::array<std::string_view, 7> kTranscendental{"v_rcp", "v_rsq", "v_sqrt", "v_exp",
                                                            "v_log", "v_sin", "v_cos"};
  if (!name.starts_with("v_")) return 0;
  return starts_with_any(name, kTranscendental) ? 4 : 1;
}

struct Instruction {
  std::string name;
  std::string target;  // of a branch
};

}  // namespace

std::uint64_t slots_of(const std::string& text, bool has_cold_path) {
  std::vector<Instruction> program;
  std::map<std::string, std::size_t> labels;  // by name: the instruction that follows
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line.substr(0, line.find(';')));
    Instruction instruction;
    words >> instruction.name >> instruction.target;
    if (instruction.name.starts_with("BB") && instruction.name.ends_with(":")) {
      labels[instruction.name.substr(0, instruction.name.size() - 1)] = program.size();
    } else if (line.starts_with("\t") && !instruction.name.empty()) {
      program.push_back(instruction);
    }
  }
  // Ranges that a wave jumps over.
  struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::size_t size() const { return end - begin; }
    bool holds(const Range& other) const { return size() > other.size() && begin <= other.begin && other.end <= end; }
  };
  std::vector<Range> skipped;
  for (std::size_t i = 0; i < program.size() && has_cold_path; ++i) {
    if (program[i].name != "s_cbranch_execz") continue;
    const auto target = labels.find(program[i].target);
    if (target != labels.end() && target->second > i) skipped.push_back({i + 1, target->second});
  }
  Range cold;
  for (const Range& range : skipped) {
    const bool within = std::any_of(skipped.begin(), skipped.end(), [&](const Range& o) { return o.holds(range); });
    if (within && range.size() >= 100 && range.size() > cold.size()) cold = range;
  }
  std::uint64_t slots = 0;
  for (std::size_t i = 0; i < program.size(); ++i) {
    if (i < cold.begin || i >= cold.end) slots += slots_of_instruction(program[i].name);
  }
  return slots;
}

Result<runtime::Device> null_device(const std::string& family) {
  // Mesa reads it when it lists its devices.
  setenv("RADV_FORCE_FAMILY", family.c_str(), 1);
  auto device = runtime::Device::create({.select = "RADV " + family,
                                         .robust_buffer_access = false,  // as in a device of a game's
                                         .device_extensions = {VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME},
                                         .get_instance_proc_addr = MaskedVulkan<Capturing>::entry_point});
  unsetenv("RADV_FORCE_FAMILY");
  return device;
}

KernelCounts counts_of(const runtime::Device& null_device, const runtime::Kernel& kernel) {
  must(runtime::pipeline_of(null_device, kernel));
  const bool blends = kernel.kind == runtime::KernelKind::kDrivers || kernel.kind == runtime::KernelKind::kSkins;
  // Another version of Mesa may lack one: operator[] gives 0.
  return {.registers = statistics["VGPRs"],
          .spills = statistics["Spilled VGPRs"] + statistics["Spilled SGPRs"],
          .scratch = statistics["Scratch size"],
          .waves = statistics["Subgroups per SIMD"],
          .instructions = statistics["Instructions"],
          .slots = slots_of(assembly, blends),
          .latency = statistics["Latency"]};
}

}  // namespace pelt::test
