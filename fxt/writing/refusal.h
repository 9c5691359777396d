// How a Writer takes faults: a WriterError, unless no reader that counts minds or the fault is allowed.
// Internal to the Writer.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "fxt/checking/value_rules.h"
#include "fxt/writer.h"

namespace fxt {

inline bool is_refused(const WriterOptions& options, Fault fault) {
  if (options.allow.contains(fault)) return false;
  if (is_about_order(fault)) return true;  // whoever reads: the Writer follows the order of events
  // Release builds of Tracy read bools.
  return fault != Fault::BoolArgument && !cost_of(fault, options.readers).readers.empty();
}

class Refusal final : public FaultSink {
 public:
  // Of a record of this kind and, if it has one, this name.
  Refusal(const WriterOptions& options, std::string_view kind, std::string_view name)
      : options_(&options), kind_(kind), name_(name), is_named_(true) {}
  Refusal(const WriterOptions& options, std::string_view kind) : options_(&options), kind_(kind) {}

  void fault(Fault fault, std::string problem) override {
    if (!is_refused(*options_, fault)) return;
    const FaultCost cost = cost_of(fault, options_->readers);
    throw WriterError(about() + problem + ": " +
                      (cost.effect.empty() ? cost_of(fault, KnownReaders::all()).effect : cost.effect) +
                      "; WriterOptions::allow takes Fault::" + std::string(name_of(fault)));
  }

  void thread(const Thread& thread) {
    if (thread.storage == Storage::Missing) fault(Fault::UnknownThread, "its thread was never registered");
    check_thread(thread, *this);
  }
  void arguments(const Arguments& arguments) {
    if (arguments.size() > kMaxArguments)
      throw WriterError(about() + std::to_string(arguments.size()) + " arguments: a record takes 15");
    for (const Argument& argument : arguments)
      if (std::holds_alternative<UnknownValue>(argument.value))
        fault(Fault::UnknownArgument, "argument " + quoted(argument.name.text) + " is of unknown type");
    check_arguments(arguments, *this);
  }

 private:
  std::string about() const { return std::string(kind_) + (is_named_ ? ' ' + quoted(name_) : "") + ": "; }

  const WriterOptions* options_;
  std::string_view kind_, name_;
  bool is_named_ = false;
};

}  // namespace fxt
