// SPDX-License-Identifier: MIT
#include "samples/viewer/panels/rig_changes.h"

#include <algorithm>
#include <utility>

#include "samples/viewer/schema.h"

namespace pelt::viewer {
namespace {

using Json = nlohmann::json;

// Returns the schema of a value; nullptr below a union.
const Schema* schema_at(const Json& rig, const std::string& pointer) {
  const Schema* schema = &rig_schema();
  const Json* value = &rig;
  std::size_t at = 0;
  while (schema != nullptr && at < pointer.size()) {
    const std::size_t end = std::min(pointer.find('/', at + 1), pointer.size());
    const std::string token = pointer.substr(at + 1, end - at - 1);
    at = end;
    if (value->is_array()) {
      const std::size_t i = std::stoul(token);
      schema = schema->kind == Schema::Kind::kArray ? &schema->item(i) : nullptr;
      value = &(*value)[i];
    } else {
      schema = schema->find(token, *value);
      value = &(*value)[token];
    }
  }
  return schema;
}

}  // namespace

void RigChanges::change(const std::string& pointer, const std::string& key, const std::function<void(Json&)>& make) {
  Change changed{rig_, key};
  make(changed.rig[Json::json_pointer(pointer)]);
  // Apply the rules of the value itself, and of the objects around it.
  for (std::string place = pointer;; place.erase(place.rfind('/'))) {
    const Schema* schema = schema_at(changed.rig, place);
    Json& object = changed.rig[Json::json_pointer(place)];
    if (schema != nullptr && object.is_object()) obey_rules(*schema, object);
    if (place.empty()) break;
  }
  change_ = std::move(changed);
}

void RigChanges::set(const std::string& pointer, Json value, const std::string& key) {
  change(pointer, key, [&](Json& place) { place = std::move(value); });
}

void RigChanges::erase(const std::string& object, const std::string& name) {
  change(object, "", [&](Json& place) { place.erase(name); });
}

void RigChanges::choose(const std::string& name, const Json& choice, const std::string& pointer) {
  const bool named_so = name == "deformer" && rig_["layers"].size() == 1 &&
                        Json(rig_.value("name", std::string())) == rig_[Json::json_pointer(pointer)];
  set(pointer, choice);
  if (named_so) change_->rig["name"] = choice;
  const std::string object = pointer.substr(0, pointer.rfind('/'));
  const Schema* holder = schema_at(change_->rig, object);
  if (holder == nullptr) return;
  for (const Schema::Variant& variant : holder->variants) {
    if (variant.key == name) change_->rig[Json::json_pointer(object)][variant.property] = Json::object();
  }
}

void RigChanges::move_item(const char* button, std::size_t i, std::size_t count, const std::string& pointer) {
  if (button == nullptr) return;
  change(pointer, "", [&](Json& list) {
    const auto at = list.begin() + static_cast<std::ptrdiff_t>(i);
    if (*button == 'x') list.erase(at);
    if (*button == '^' && i > 0) std::swap(list[i], list[i - 1]);
    if (*button == 'v' && i + 1 < count) std::swap(list[i], list[i + 1]);
    if (*button == '=') {
      Json copy = *at;
      if (copy.is_object() && copy.contains("name") && copy["name"] != "") {
        copy["name"] = copy["name"].get<std::string>() + " copy";
      }
      list.insert(at + 1, std::move(copy));
    }
  });
}

void RigChanges::apply() {
  if (change_) {
    const Result<void> edited = document_.edit(change_->rig, change_->key);
    if (edited) {
      state_.draft.reset();
    } else {
      state_.draft = {std::move(change_->rig), edited.error().message, document_.revision()};
    }
  }
  if (dropped_) state_.draft.reset();
  if (ended_) document_.end_edit();
}

}  // namespace pelt::viewer
