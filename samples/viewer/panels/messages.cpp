// SPDX-License-Identifier: MIT
#include <algorithm>

#include "samples/viewer/panels/context.h"

namespace pelt::viewer {
namespace {

constexpr double kNoteSeconds = 6;
constexpr std::size_t kMaxMessages = 20;

}  // namespace

void Messages::error(std::string text) {
  ++error_count_;
  last_error_ = text;
  add({true, std::move(text), 0});
}

void Messages::add(Message message) {
  if (!shown_.empty() && shown_.back().text == message.text) {
    shown_.back().since = 0;
    return;
  }
  shown_.push_back(std::move(message));
  if (shown_.size() > kMaxMessages) shown_.erase(shown_.begin());
}

std::vector<Message>& Messages::shown(double now) {
  for (Message& message : shown_) message.since = message.since == 0 ? now : message.since;
  std::erase_if(shown_, [&](const Message& m) { return !m.error && now - m.since > kNoteSeconds; });
  return shown_;
}

bool Messages::has_notes() const {
  return std::any_of(shown_.begin(), shown_.end(), [](const Message& message) { return !message.error; });
}

}  // namespace pelt::viewer
