// SPDX-License-Identifier: MIT
#include <pelt/rig_names.h>
#include <pelt/tools/fields.h>

namespace pelt {
namespace {

class NameVisitor : public Fields {
 public:
  explicit NameVisitor(const VisitName& visit) : visit_(visit) {}

  void visit(const Field&, const Member& member) override {
    if (const auto* text = std::get_if<members::Text>(&member)) visit_text(text->value, text->names);
    const auto* texts = std::get_if<members::Texts>(&member);
    if (texts == nullptr) return;
    for (std::string& value : texts->values) visit_text(value, texts->names);
  }

 private:
  void visit_text(std::string& value, Names names) {
    if (!value.empty() && names != Names::kNothing) visit_(value, names);
  }

  const VisitName& visit_;
};

}  // namespace

void for_each_name(DeformerParameters& parameters, const VisitName& visit) {
  NameVisitor visitor(visit);
  parameters.describe_to(visitor);
}

void for_each_name(const DeformerParameters& parameters, const std::function<void(const std::string&, Names)>& visit) {
  DeformerParameters copy = parameters;
  for_each_name(copy, VisitName(visit));
}

}  // namespace pelt
