// SPDX-License-Identifier: MIT
#include "engine/authoring/bind/bind_progress.h"

#include <algorithm>
#include <utility>

#include "engine/authoring/core/stop.h"

namespace pelt {

BindProgress::BindProgress(const Show& show, std::vector<BindStage> stages, double spent)
    : show_(show), stages_(std::move(stages)), spent_(spent) {
  for (const BindStage& stage : stages_) expected_ += stage.seconds;
}

void BindProgress::begin(std::size_t stage) {
  if (begun_) done_ += stages_[current_].seconds;
  begun_ = true;
  current_ = stage;
  show_part(0);
}

void BindProgress::show_part(double fraction) {
  const BindStage& current = stages_[current_];
  const double by_now = done_ + std::min(fraction, 1.0) * current.seconds;
  const double done = std::max(by_now, 0.0);
  const double left = expected_ - by_now;
  const double passed = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  // How slow this machine is, as far as what is done shows it.
  const double trusted = 0.1 * expected_;
  const double slow = (passed + trusted) / (done + trusted);
  const double all = spent_ + passed + slow * left;
  show(all > 0 ? (spent_ + passed) / all : 0.0, current.name);
}

void BindProgress::end() { show(1, "done"); }

void BindProgress::show(double fraction, const std::string& what) {
  shown_ = std::clamp(fraction, shown_, 1.0);
  if (show_) show_(shown_, what);
  stop_if_asked();
}

}  // namespace pelt
