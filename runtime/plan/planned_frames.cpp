// SPDX-License-Identifier: MIT
// Plans the frames of a crowd.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <utility>

#include <pelt/try.h>

#include "engine/character/base/formatted.h"
#include "engine/character/base/invalid.h"
#include "runtime/plan/misuse.h"
#include "runtime/plan/planner.h"

namespace pelt::runtime {

// Writes the header of the table and what changed since the last frame of this copy: locations of instances, the plan,
// and, if the device plans, the table that it plans from.
void CrowdPlanner::State::write_work(const std::optional<std::span<const shared::ListEntry>>& list) {
  if (lists_changed) {
    place_lists(instances_of, plan);
    ++lists_placed;
    lists_changed = false;
  }
  WrittenWork& written = written_work[copy];
  const auto write = [&](FrameBuffer buffer, std::byte* to, std::uint64_t offset, const auto& values) {
    const auto bytes = std::as_bytes(std::span(values));
    if (bytes.empty()) return offset;
    std::memcpy(to + offset, bytes.data(), bytes.size());
    writes.push_back({buffer, offset, bytes.size()});
    return offset + bytes.size();
  };
  std::byte* const work = memory[copy].work;
  const auto byte_of = [](std::uint32_t pair) { return std::uint64_t{pair} * 2 * sizeof(std::uint32_t); };
  write(FrameBuffer::kWork, work, 0,
        std::array{shared::TableHeader{
            .frame = static_cast<std::uint32_t>(frame),
            .slot = static_cast<std::uint32_t>(frame % output_slots()),
            .previous_slot = static_cast<std::uint32_t>((frame + output_slots() - 1) % output_slots()),
            .instance_count = options.capacity.instances}});
  if (written.first_changed < written.end_changed) {
    write(FrameBuffer::kWork, work, byte_of(shared::location_pair(written.first_changed)),
          std::span(locations).subspan(written.first_changed, written.end_changed - written.first_changed));
  }
  if (written.plan != plans_made) write(FrameBuffer::kWork, work, byte_of(plan.first_job), plan.jobs);
  if (options.has_plan_table() && (written.plan != plans_made || written.lists != lists_placed)) {
    std::uint64_t at = 0;
    const auto append = [&](const auto& values) {
      at = write(FrameBuffer::kPlanTable, memory[copy].plan_table, at, values);
    };
    append(plan.table.characters);
    append(plan.table.levels);
    append(plan.table.lists);
    append(plan.table.jobs);
    append(plan.table.steps);
  }
  written = {.plan = plans_made, .lists = lists_placed};
  if (options.host_list) plan_frame(list);
}

// Writes InstanceLocation::state to this frame's table.
void CrowdPlanner::State::write_state(std::uint32_t instance, std::uint32_t state) {
  std::memcpy(memory[copy].work + sizeof(shared::TableHeader) + instance * sizeof(shared::InstanceLocation) +
                  offsetof(shared::InstanceLocation, state),
              &state, sizeof(state));
}

// Entries that the caller must not list are ignored, as on the device.
void CrowdPlanner::State::plan_entry(shared::ListEntry entry, const FrameRules& rules) {
  if (entry.instance >= locations.size() || !has_outputs(entry.instance)) return;
  InstanceState& state = instance_states[entry.instance];
  if (state.memory.shown == rules.frame) return;
  const std::uint32_t character = character_of(entry.instance);
  if (plan.table.characters[character].has_linear_blend == 0) entry.state &= ~shared::kEntryLinearBlend;
  shared::PlannedEntry planned =
      shared::plan_entry(state.memory, entry.state, rules.frame, rules.slots, rules.copies_previous);
  if (has_action && sizes_of(entry.instance).clock_input && shared::state_is_deformed(planned.state) &&
      state.action.pose(clock))
    planned.state |= shared::kEntryRestart;
  state.memory = planned.memory;
  write_state(entry.instance, planned.memory.state);
  if (planned.works) host_plan.add(character, {entry.instance, planned.state});
}

// Without a list, all instances are moved.
void CrowdPlanner::State::plan_frame(const std::optional<std::span<const shared::ListEntry>>& list) {
  host_plan.begin(memory[copy].work);
  const FrameRules rules{frame_number(), slots_of_first_part(), options.host_drawn && copies_previous()};
  if (list) {
    for (const shared::ListEntry& entry : *list) plan_entry(entry, rules);
  } else {
    for (std::uint32_t i = 0; i < locations.size(); ++i) plan_entry({i, 0}, rules);
  }
  host_plan.finish();
  // If the second part has a list of its own, it may show an instance that is not listed, in its last pose.
  for (std::uint32_t i = 0; i < locations.size(); ++i) {
    const shared::InstanceMemory& remembered = instance_states[i].memory;
    if (remembered.shown == rules.frame) continue;
    const bool may_be_drawn = !options.host_drawn && remembered.shown != 0;
    write_state(i,
                may_be_drawn ? shared::kEntryStay | (remembered.state & shared::kEntryLinearBlend) : shared::kNoIndex);
  }
  writes.push_back(
      {FrameBuffer::kWork, sizeof(shared::TableHeader), locations.size() * sizeof(shared::InstanceLocation)});
  const std::uint64_t first = plan.first_start * 2 * sizeof(std::uint32_t);
  writes.push_back({FrameBuffer::kWork, first, plan.end_list * 2 * sizeof(std::uint32_t) - first});
}

void CrowdPlanner::State::write_clock() {
  const float value = clock.value();
  for (std::uint32_t i = 0; i < instance_states.size(); ++i) {
    if (!instance_states[i].taken) continue;
    const std::optional<std::uint32_t> input = sizes_of(i).clock_input;
    if (input && inputs.values(i)[*input] != value) inputs.set(copy, i, *input, std::span(&value, 1));
  }
}

void CrowdPlanner::State::write_inputs() {
  if (options.host_joints) {
    joints.finish(copy);
    writes.push_back({FrameBuffer::kJoints, 0, joints.bytes()});
  }
  if (options.host_inputs && inputs.bytes() > 0) {
    if (has_action) write_clock();
    inputs.finish(copy);
    writes.push_back({FrameBuffer::kInputs, 0, inputs.bytes()});
  }
}

// Writes the constants of the dispatches that plan this frame.
void CrowdPlanner::State::write_plan_constants() {
  std::vector<FrameDispatch>& all = dispatches[next.output_slot];
  for (std::size_t d = plan.steps.size(); d < all.size(); ++d) {
    const bool drawn = all[d].kernel.kind == KernelKind::kDrawnPlan;
    shared::PlanConstants constants{.character_count = static_cast<std::uint32_t>(plan.table.characters.size()),
                                    .levels_count = static_cast<std::uint32_t>(plan.table.levels.size()),
                                    .list_count = static_cast<std::uint32_t>(plan.table.lists.size()),
                                    .job_count = static_cast<std::uint32_t>(plan.table.jobs.size()),
                                    .step_count = static_cast<std::uint32_t>(plan.table.steps.size()),
                                    .first_start = plan.first_start,
                                    .first_count = plan.first_count,
                                    .instance_count = options.capacity.instances,
                                    .most_workgroups = options.most_workgroups,
                                    .frame = frame_number(),
                                    .slots = drawn ? output_slots() : slots_of_first_part()};
    if (drawn || options.host_drawn) constants.flags |= copies_previous() ? shared::kPlanCopies : 0;
    if (!options.host_drawn) constants.flags |= drawn ? shared::kPlanSecondPart : shared::kPlanFirstPart;
    if (drawn) constants.first_step = static_cast<std::uint32_t>(plan.first_drawing);
    std::memcpy(all[d].constants.data(), &constants, sizeof(constants));
  }
}

// Errors: not enough room for a plan with so many instances of each character.
Result<void> CrowdPlanner::State::check_room(const CrowdPlan& made, const std::vector<std::uint32_t>& counts) const {
  const std::uint64_t words = fixed_words(made) + list_words(made, counts);
  const std::uint64_t table = options.has_plan_table() ? table_words(made.table) : 0;
  if (words <= options.capacity.plan_words && table <= options.capacity.table_words) return {};
  return fail(ErrorCode::kUnsupported,
              formatted("the plan of the {} needs {} words and its table {}; there is room for {} and {}",
                        options.label, words, table, options.capacity.plan_words, options.capacity.table_words));
}

namespace {

std::vector<std::optional<CrowdMember>> members_of(const CrowdPlan& plan) {
  std::vector<std::optional<CrowdMember>> members(plan.characters.size());
  for (std::size_t c = 0; c < members.size(); ++c) {
    if (!plan.characters[c]) continue;
    const Character& character = plan.characters[c]->placed->character;
    CrowdMember& member = members[c].emplace(CrowdMember{character, {}, {}});
    for (const ShownMesh& mesh : plan.characters[c]->meshes) {
      const bool is_level = member.mesh_vertices.size() == character->meshes.size();
      (is_level ? member.level_vertices : member.mesh_vertices).push_back(mesh.vertex.value_or(shared::kNoIndex));
    }
  }
  return members;
}

}  // namespace

Result<void> CrowdPlanner::use_characters(const Characters& characters, const Prepare& prepare,
                                          const std::optional<Exchange>& exchange) {
  State& state = *planner_;
  const Options& options = state.options;
  PELT_TRY(need_whole("change its characters"));
  std::vector<std::optional<CrowdCharacter>> sizes(characters.size());
  for (std::size_t c = 0; c < characters.size(); ++c) {
    if (characters[c]) sizes[c].emplace(*characters[c], options.outputs);
  }
  CrowdPlan made = plan_crowd(std::move(sizes), options.outputs, state.bases());
  std::vector<std::uint32_t> counts = state.instances_of;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    const bool stays = c < characters.size() && characters[c];
    if (counts[c] > 0 && !stays && !(exchange && exchange->from == c))
      return invalid("the {} has instances of character {}", options.label, c);
  }
  counts.resize(characters.size());
  if (exchange) counts[exchange->to] += std::exchange(counts[exchange->from], 0);
  PELT_TRY(state.check_room(made, counts));
  std::vector<std::vector<FrameDispatch>> dispatches;
  for (const OutputStreams& streams : options.streams) {
    dispatches.push_back(dispatches_of(made, streams, state.frame_options()));
    PELT_TRY(prepare(dispatches.back()));
  }
  std::vector<std::optional<CrowdMember>> members = members_of(made);
  const bool has_action = std::any_of(made.characters.begin(), made.characters.end(),
                                      [](const auto& planned) { return planned && planned->clock_input; });
  FrameOptions wanted = state.frame_options();
  // Zero means that a mass has not started, and that an instance was never shown.
  if (has_action) wanted.zeroed.push_back(FrameBuffer::kPalettesAndDrivers);
  if (!options.host_list) wanted.zeroed.push_back(FrameBuffer::kMemory);
  if (!options.host_drawn) wanted.zeroed.push_back(FrameBuffer::kDrawnMemory);
  std::array<std::vector<FrameCommand>, kFrameParts> commands;
  for (std::size_t part = 0; part < kFrameParts; ++part)
    commands[part] = commands_of(made, wanted, static_cast<FramePart>(part));
  std::vector<std::string> names;
  for (const FrameCommand& command : commands[static_cast<std::size_t>(FramePart::kWhole)]) {
    if (command.kind == FrameCommand::Kind::kDispatch) names.push_back(dispatches[0][command.dispatch].name);
  }
  state.next_commands.reserve(commands[static_cast<std::size_t>(FramePart::kWhole)].size());
  state.writes.reserve(16);
  HostPlan host_plan;
  host_plan.use(made);
  std::vector<std::uint32_t> exchanged;
  ExchangedValues values;
  if (exchange) {
    for (std::uint32_t i = 0; i < state.locations.size(); ++i) {
      if (state.locations[i].character == exchange->from) exchanged.push_back(i);
    }
    const CharacterData& to = *members[exchange->to]->character;
    values = state.exchanged_values(exchanged, *state.members[exchange->from]->character, to);
    PELT_TRY(state.exchange_room(exchanged, *state.plan.characters[exchange->from], *made.characters[exchange->to],
                                 to.name));
  }
  // From here on nothing fails, or takes memory.
  state.members = std::move(members);
  state.has_action = has_action;
  state.plan = std::move(made);
  state.dispatches = std::move(dispatches);
  state.commands = std::move(commands);
  state.names = std::move(names);
  state.instances_of = std::move(counts);
  state.host_plan = std::move(host_plan);
  state.host_plan.use(state.plan);
  if (exchange) state.exchange(exchanged, exchange->to, values);
  ++state.plans_made;
  state.lists_changed = true;
  for (std::uint32_t i = 0; i < state.locations.size(); ++i) {
    if (!state.has(i)) continue;
    state.locations[i].first_mesh = state.sizes_of(i).first_mesh;
    state.locations[i].mesh_count = static_cast<std::uint32_t>(state.sizes_of(i).meshes.size());
    state.locations[i].anchor_count = state.sizes_of(i).anchors;
    state.location_changed(i);
  }
  return {};
}

Result<void> CrowdPlanner::plan_ahead(std::span<const Character> characters, const Prepare& prepare) const {
  // A blend's pipeline depends on all characters that it moves, so the crowd's are included.
  std::vector<Character> all(characters.begin(), characters.end());
  for (const std::optional<CrowdMember>& member : planner_->members) {
    if (member) all.push_back(member->character);
  }
  const CrowdPlan plan = runtime::plan_ahead(all, planner_->options.outputs, planner_->bases());
  for (const OutputStreams& streams : planner_->options.streams)
    PELT_TRY(prepare(dispatches_of(plan, streams, planner_->frame_options())));
  return {};
}

const CrowdFrame* CrowdPlanner::next_frame(FramePart part,
                                           const std::optional<std::span<const shared::ListEntry>>& list) {
  State& state = *planner_;
  if (part == FramePart::kBlend && !state.is_posed) {
    report_misuse("record", "the first part of the frame of the {} is not recorded", state.options.label);
    return nullptr;
  }
  if (part != FramePart::kBlend && !state.expect_whole("record")) return nullptr;
  if (list && part == FramePart::kBlend) {
    report_misuse("record", "the list of the {} belongs to the first part of the frame", state.options.label);
    return nullptr;
  }
  if (list && !state.options.host_list) {
    report_misuse("record", "a buffer of the caller's has the list of the {}", state.options.label);
    return nullptr;
  }
  state.writes.clear();
  state.next = {.number = state.frame, .frame_copy = state.copy};
  state.next.output_slot = static_cast<std::uint32_t>(state.frame % state.output_slots());
  if (part != FramePart::kBlend) {
    state.write_inputs();
    state.write_work(list);
  }
  if (state.options.has_plan_table()) state.write_plan_constants();
  state.next_commands.clear();
  for (FrameCommand command : state.commands[static_cast<std::size_t>(part)]) {
    if (command.kind == FrameCommand::Kind::kZero && state.frame > 0) continue;
    command.after_zero = command.after_zero && state.frame == 0;
    if (command.kind == FrameCommand::Kind::kDispatch && !command.indirect) {
      const bool plans = command.dispatch >= state.plan.steps.size();
      command.workgroups = plans ? 1 : state.host_plan.workgroups(command.dispatch);
    }
    state.next_commands.push_back(command);
  }
  state.next.writes = state.writes;
  state.next.commands = state.next_commands;
  state.next.dispatches = state.dispatches[state.next.output_slot];
  return &state.next;
}

void CrowdPlanner::end_frame(FramePart part) {
  planner_->is_posed = part == FramePart::kPose;
  if (part == FramePart::kPose) return;
  planner_->copy = (planner_->copy + 1) % planner_->options.frames_in_flight;
  ++planner_->frame;
}

std::vector<std::uint32_t> CrowdPlanner::accesses(FramePart part) const {
  const State& state = *planner_;
  std::vector<std::uint32_t> made(static_cast<std::size_t>(FrameBuffer::kCount));
  const std::vector<FrameDispatch>& dispatches = state.dispatches[state.frame % state.output_slots()];
  for (const FrameCommand& command : state.commands[static_cast<std::size_t>(part)]) {
    if (command.kind != FrameCommand::Kind::kDispatch) continue;
    for (const Binding& binding : dispatches[command.dispatch].bindings)
      made[static_cast<std::size_t>(binding.buffer)] |= binding.access;
  }
  return made;
}

bool CrowdPlanner::mesh_appears(std::uint32_t instance, std::uint32_t mesh_vertex,
                                std::optional<std::uint32_t> state) const {
  const State& all = *planner_;
  if (!all.expect_instance(instance, "previous_frame")) return true;
  const shared::InstanceMemory& remembered = all.instance_states[instance].memory;
  if (!state && all.options.host_list && all.options.host_drawn && remembered.shown == all.frame)
    state = remembered.state;
  if (!state || *state == shared::kNoIndex) return false;
  const CrowdCharacter& character = all.sizes_of(instance);
  return std::any_of(character.meshes.begin(), character.meshes.end(), [&](const ShownMesh& mesh) {
    const shared::PlanLevels levels = character.levels[mesh.levels];
    return mesh.vertex == mesh_vertex && shared::entry_appears(*state, levels.first, levels.last);
  });
}

}  // namespace pelt::runtime
