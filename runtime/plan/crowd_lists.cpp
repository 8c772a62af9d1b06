// SPDX-License-Identifier: MIT
#include <algorithm>

#include <pelt/runtime/crowd_lists.h>

namespace pelt::runtime {

void CrowdLists::Fade::start(std::uint32_t level, std::uint32_t over_frames) {
  if (to == level) return;
  // In steps, one more than frames: a fade that is reversed has done what it had left.
  const std::uint64_t steps = std::uint64_t{frames} + 1;
  const std::uint64_t new_steps = std::uint64_t{over_frames} + 1;
  const std::uint64_t left = from == level ? (steps - done) * new_steps / steps : 0;
  *this = {.from = to, .to = level, .frames = over_frames, .done = static_cast<std::uint32_t>(left)};
}

void CrowdLists::Fade::step() {
  if (from == to) return;
  if (done == frames) {
    from = to;
  } else {
    ++done;
  }
}

void CrowdLists::reset(std::uint32_t instance) {
  if (has(instance)) instances_[instance] = {};
}

void CrowdLists::show(std::uint32_t instance, bool visible) {
  if (!has(instance)) return;
  Instance& one = instances_[instance];
  one.appears = one.appears || (visible && !one.visible);
  one.visible = visible;
}

bool CrowdLists::is_shown(std::uint32_t instance) const { return has(instance) && instances_[instance].visible; }

void CrowdLists::update_every(std::uint32_t instance, std::uint32_t frames) {
  if (has(instance)) instances_[instance].period = frames;
}

void CrowdLists::teleport(std::uint32_t instance) {
  if (has(instance)) instances_[instance].teleports = true;
}

void CrowdLists::detail(std::uint32_t instance, Detail detail) {
  if (has(instance)) instances_[instance].detail = detail;
}

void CrowdLists::level(std::uint32_t instance, std::uint32_t level, std::uint32_t fade_frames) {
  if (!has(instance)) return;
  Instance& one = instances_[instance];
  one.wanted = one.shown;
  one.wanted.start(std::min(level, kMaxLevel), fade_frames);
}

ShownLevels CrowdLists::shown_levels(std::uint32_t instance) const {
  if (!has(instance)) return {};
  const Fade& fade = instances_[instance].shown;
  if (fade.from == fade.to) return {fade.to, fade.to};
  return {fade.from, fade.to, static_cast<float>(fade.done) / static_cast<float>(std::uint64_t{fade.frames} + 1)};
}

std::span<const shared::ListEntry> CrowdLists::next() {
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < instances_.size(); ++i) {
    Instance& one = instances_[i];
    if (!one.visible) continue;
    one.wanted.step();
    one.shown = one.wanted;
    // Most have a period of 1, and a division takes longer than the rest.
    const bool in_turn = one.period == 1 || (one.period != 0 && (lists_ + i) % one.period == 0);
    const bool posed = one.appears || in_turn;
    const bool teleports = one.appears || (posed && one.teleports);
    const std::uint32_t flags = teleports ? shared::kEntryTeleport : posed ? 0 : shared::kEntryStay;
    one.appears = false;
    one.teleports = one.teleports && !posed;
    const std::uint32_t detail = one.detail == Detail::kLinearBlend ? shared::kEntryLinearBlend : 0;
    entries_[count++] = {i, flags | detail | shared::entry_levels(one.shown.from, one.shown.to)};
  }
  ++lists_;
  return std::span(entries_).first(count);
}

}  // namespace pelt::runtime
