// SPDX-License-Identifier: MIT
// Moves points while the character stays bound.
#include <imgui.h>

#include <utility>

#include <pelt/move_bound.h>
#include <pelt/rig_json.h>

#include "samples/viewer/app/app_state.h"

namespace pelt::viewer {

// Remembers the rig of the new subject: the document may have changed since the bind began.
void App::State::remember_rig() {
  shown_rig.reset();
  Result<Rig> rig = parse_rig(stage->subject()->character->rig, "the character");
  if (!rig) return;
  rig->directory = document->rig().directory;
  rig->files = document->rig().files;
  shown_rig = std::move(*rig);
}

// Moves points without a bind, which would take longer than a frame of a drag. Cancels a bind that this replaces.
bool App::State::move_points() {
  const Actor* subject = stage->subject();
  if (subject == nullptr || !shown_rig) return false;
  std::optional<Character> moved = move_bound(subject->character, subject->report, *shown_rig, document->rig());
  if (!moved) return false;
  Result<Newcomer> newcomer =
      make_newcomer(*device, kSubject, {std::move(*moved), subject->report}, subject->bind_seconds);
  if (!newcomer) return false;
  binder.cancel(kSubject);
  stage->show(std::move(*newcomer), ImGui::IsAnyMouseDown());
  ++shown_count;
  requested[kSubject] = document->revision();
  shown_rig = document->rig();
  return true;
}

}  // namespace pelt::viewer
