// SPDX-License-Identifier: MIT
#include <pelt/runtime/crowd_lists.h>

#include "engine/character/base/formatted.h"
#include "runtime/c/handles.h"
#include "runtime/c/support.h"

using namespace pelt::c;

struct pelt_crowd_lists {
  pelt::runtime::CrowdLists lists;
  std::uint32_t instances = 0;
};

pelt_result pelt_crowd_lists_create(uint32_t instances, pelt_crowd_lists** out) {
  return guarded(__func__, [&] {
    constexpr std::uint32_t kMost = 1u << 24;
    if (instances > kMost) refuse(pelt::formatted("lists of {} instances: there are at most {}", instances, kMost));
    need(out, "out") = new pelt_crowd_lists{pelt::runtime::CrowdLists(instances), instances};
  });
}

void pelt_crowd_lists_destroy(pelt_crowd_lists* lists) { delete lists; }

pelt_result pelt_crowd_lists_set(pelt_crowd_lists* lists, uint32_t instance, const pelt_shown* shown) {
  return guarded(__func__, [&] {
    need_index("instance", instance, need(lists, "lists").instances);
    const pelt_shown given = read_struct(shown, "shown");
    const pelt::Detail detail = to_detail(given.detail);
    pelt::runtime::CrowdLists& to = lists->lists;
    if (given.begins != 0) to.reset(instance);
    to.show(instance, given.hidden == 0);
    to.update_every(instance, given.stays != 0 ? 0 : given.update_every == 0 ? 1 : given.update_every);
    to.detail(instance, detail);
    to.level(instance, given.level, given.fade_frames);
    if (given.teleports != 0) to.teleport(instance);
  });
}

pelt_result pelt_crowd_lists_next(pelt_crowd_lists* lists, const pelt_list_entry** entries, uint32_t* count) {
  return guarded(__func__, [&] {
    need(lists, "lists");
    const pelt_list_entry*& made = need(entries, "entries");
    std::uint32_t& length = need(count, "count");
    const auto list = lists->lists.next();
    made = reinterpret_cast<const pelt_list_entry*>(list.data());
    length = static_cast<std::uint32_t>(list.size());
  });
}

pelt_result pelt_crowd_lists_get_levels(const pelt_crowd_lists* lists, uint32_t instance, uint32_t* from, uint32_t* to,
                                        float* share) {
  return guarded(__func__, [&] {
    need_index("instance", instance, need(lists, "lists").instances);
    const pelt::runtime::ShownLevels shown = lists->lists.shown_levels(instance);
    need(from, "from");
    need(to, "to");
    need(share, "share") = shown.share;
    *from = shown.from;
    *to = shown.to;
  });
}
