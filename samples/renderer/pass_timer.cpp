// SPDX-License-Identifier: MIT
#include "samples/renderer/pass_timer.h"

#include <pelt/try.h>

namespace pelt::samples {

Result<void> PassTimer::reserve(const runtime::Device& device, std::uint32_t samples,
                                std::span<const DrawnCrowd> crowds) {
  if (!runtime::GpuTimer::supported(device)) return {};
  // Three stamps for each region of a sample and one for each sample; then the beginning, the crowds' end and the end.
  std::size_t wanted = 7 * std::size_t{samples} + 3;
  for (const DrawnCrowd& drawn : crowds) wanted += drawn.crowd->passes().names.size();
  if (wanted <= capacity_) return {};
  PELT_ASSIGN(timer_, runtime::GpuTimer::create(device, static_cast<std::uint32_t>(wanted)));
  capacity_ = static_cast<std::uint32_t>(wanted);
  stamped_.clear();
  return {};
}

void PassTimer::begin(VkCommandBuffer commands) {
  if (timer_) timer_->reset(commands);
  stamped_.clear();
  crowd_passes_.clear();
  stamp(commands, Timed::kBegin);
}

void PassTimer::stamp(VkCommandBuffer commands, Timed what) {
  if (!timer_) return;
  timer_->stamp(commands);
  stamped_.push_back(what);
}

void PassTimer::record(VkCommandBuffer commands, const DrawnCrowd& drawn) {
  runtime::Crowd& crowd = *drawn.crowd;
  list_.clear();
  for (std::uint32_t i = 0; i < crowd.instance_count(); ++i)
    list_.push_back({i, drawn.restart ? shared::kEntryTeleport : 0});
  crowd.record(commands, {.list = list_, .timer = timer_ ? &*timer_ : nullptr});
  if (!timer_) return;
  crowd_passes_.emplace_back(crowd.passes().names.begin(), crowd.passes().names.end());
  stamped_.insert(stamped_.end(), crowd.passes().names.size(), Timed::kCrowd);
}

std::optional<PassSeconds> PassTimer::seconds() const {
  if (!timer_ || stamped_.empty()) return std::nullopt;
  const Result<std::vector<double>> stamps = timer_->seconds();
  if (!stamps) return std::nullopt;
  PassSeconds made;
  std::size_t next = 1;
  const auto take = [&] {
    const double seconds = (*stamps)[next] - (*stamps)[next - 1];
    ++next;
    return seconds;
  };
  for (const std::vector<std::string>& passes : crowd_passes_) {
    std::vector<PassSeconds::Pass>& crowd = made.crowds.emplace_back();
    for (const std::string& name : passes) crowd.push_back({name, take()});
  }
  while (next < stamps->size()) {
    const Timed what = stamped_[next];
    const double seconds = take();
    if (what == Timed::kShadows) made.shadows += seconds;
    if (what == Timed::kSurfaces) made.surfaces += seconds;
    if (what == Timed::kLines) made.lines += seconds;
    if (what == Timed::kDevelopment) made.development += seconds;
  }
  return made;
}

}  // namespace pelt::samples
