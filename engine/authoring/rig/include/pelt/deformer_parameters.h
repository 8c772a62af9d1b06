// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <memory>
#include <string_view>
#include <utility>

namespace pelt {

class Fields;

// A deformer's parameters: a struct with the deformer's name and a describe function for its members
// (pelt/tools/fields.h).
template <class P>
concept Parameters = requires {
  { P::kName } -> std::convertible_to<std::string_view>;
}
&&std::copyable<P>&& std::equality_comparable<P>&& requires(Fields& fields, P& parameters) {
  describe(fields, parameters);
};

// The parameters of any one deformer: a value that copies and compares like the struct inside.
class DeformerParameters {
 public:
  DeformerParameters() = default;  // holds no parameters
  template <Parameters P>
  DeformerParameters(P parameters) : held_(std::make_unique<Held<P>>(std::move(parameters))) {}
  DeformerParameters(const DeformerParameters& other) : held_(other.held_ ? other.held_->copy() : nullptr) {}
  DeformerParameters(DeformerParameters&&) = default;
  DeformerParameters& operator=(DeformerParameters other) {
    held_ = std::move(other.held_);
    return *this;
  }
  ~DeformerParameters() = default;

  // Returns the deformer's name as in rig files; "" without parameters.
  std::string_view name() const { return held_ ? held_->name() : std::string_view(); }

  // Returns the struct, or nullptr if the parameters are of another deformer.
  template <Parameters P>
  P* get_if() {
    auto* held = dynamic_cast<Held<P>*>(held_.get());
    return held == nullptr ? nullptr : &held->parameters;
  }
  template <Parameters P>
  const P* get_if() const {
    const auto* held = dynamic_cast<const Held<P>*>(held_.get());
    return held == nullptr ? nullptr : &held->parameters;
  }

  // Precondition: the parameters are of that deformer.
  template <Parameters P>
  P& get() {
    return *get_if<P>();
  }
  template <Parameters P>
  const P& get() const {
    return *get_if<P>();
  }

  // Calls describe(fields, struct); for constant parameters with a copy, for fields that only read.
  void describe_to(Fields& fields) {
    if (held_) held_->describe_to(fields);
  }
  void describe_to(Fields& fields) const { DeformerParameters(*this).describe_to(fields); }

  friend bool operator==(const DeformerParameters& a, const DeformerParameters& b) {
    return a.held_ && b.held_ ? a.held_->equals(*b.held_) : a.held_ == b.held_;
  }

 private:
  struct Holder {
    virtual ~Holder() = default;
    virtual std::unique_ptr<Holder> copy() const = 0;
    virtual bool equals(const Holder& other) const = 0;
    virtual std::string_view name() const = 0;
    virtual void describe_to(Fields& fields) = 0;
  };
  template <class P>
  struct Held final : Holder {
    explicit Held(P p) : parameters(std::move(p)) {}
    std::unique_ptr<Holder> copy() const override { return std::make_unique<Held>(parameters); }
    bool equals(const Holder& other) const override {
      const auto* same = dynamic_cast<const Held*>(&other);
      return same != nullptr && same->parameters == parameters;
    }
    std::string_view name() const override { return P::kName; }
    void describe_to(Fields& fields) override { describe(fields, parameters); }

    P parameters;
  };

  std::unique_ptr<Holder> held_;
};

}  // namespace pelt
