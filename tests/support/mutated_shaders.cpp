// SPDX-License-Identifier: MIT
#include "tests/support/mutated_shaders.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

#include "tests/support/vulkan_mask.h"

namespace pelt::test {

std::function<void(std::vector<std::uint32_t>& words)> mutate_module;

namespace {

PFN_vkCreateShaderModule create_module = nullptr;  // of the last device that requested it

std::vector<std::uint32_t> words_of(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  std::vector<std::uint32_t> words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

VkResult VKAPI_CALL create_mutated(VkDevice device, const VkShaderModuleCreateInfo* info,
                                   const VkAllocationCallbacks* callbacks, VkShaderModule* module) {
  VkShaderModuleCreateInfo changed = *info;
  std::vector<std::uint32_t> mutant;
  if (mutate_module) {
    mutant.assign(info->pCode, info->pCode + info->codeSize / sizeof(std::uint32_t));
    mutate_module(mutant);
    changed.pCode = mutant.data();
    return create_module(device, &changed, callbacks, module);
  }
  const char* folder = std::getenv("PELT_MUTANTS");
  if (folder == nullptr) return VK_ERROR_INITIALIZATION_FAILED;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    if (file.path().extension() != ".was") continue;
    const std::vector<std::uint32_t> was = words_of(file.path());
    if (!std::equal(was.begin(), was.end(), info->pCode, info->pCode + info->codeSize / sizeof(std::uint32_t)))
      continue;
    mutant = words_of(std::filesystem::path(file.path()).replace_extension(".is"));
    changed.pCode = mutant.data();
    changed.codeSize = mutant.size() * sizeof(std::uint32_t);
  }
  return create_module(device, &changed, callbacks, module);
}

struct Mutated {
  static PFN_vkVoidFunction masked(std::string_view name, PFN_vkVoidFunction found) {
    if (name != "vkCreateShaderModule") return found;
    create_module = reinterpret_cast<PFN_vkCreateShaderModule>(found);
    return untyped(create_mutated);
  }
};

}  // namespace

PFN_vkVoidFunction VKAPI_CALL mutated_entry_point(VkInstance instance, const char* name) {
  return MaskedVulkan<Mutated>::entry_point(instance, name);
}

}  // namespace pelt::test
