#include "converters/tfile/events/caller_arguments.h"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

#include "converters/tfile/description/argument_name.h"
#include "converters/tfile/description/note_kinds.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMaxCallers = 64, kMaxFunctions = 65536;
constexpr std::string_view kInside = " < ", kMore = "…", kSignalHandler = "<signal handler called>";
constexpr std::string_view kCallerCategory = "caller";

}  // namespace

CallerArguments::CallerArguments(const TraceFile& trace, const ProgramSymbols* symbols, FrameMemory& memory,
                                 ImportContext& import_context)
    : trace_(trace),
      symbols_(symbols),
      names_(import_context.names),
      name_(names_.intern(argument_names::kCallers)),
      signal_(described({std::string(kSignalHandler)})),
      notes_(import_context.timeline.new_notes()),
      memory_(memory) {
  if (symbols != nullptr) tail_calls_.emplace(*symbols);
}

CallerArguments::Function CallerArguments::described(const std::vector<std::string>& functions) {
  Function function{.name = fmt::format("{}", fmt::join(functions, kInside)),
                    .is_main = functions.back() == "main"};
  for (const std::string& name : functions)
    function.calls.push_back(names_.intern_label(kCallerCategory, name));
  return function;
}

const CallerArguments::Function& CallerArguments::function_at(std::uint64_t address) {
  if (const auto found = functions_.find(address); found != functions_.end()) return found->second;
  if (functions_.size() >= kMaxFunctions) functions_.clear();
  CodeInfo code = symbols_->code_at(address);
  if (code.inlined.empty())
    code.inlined.push_back(code.function.empty() ? fmt::format("{:#x}", address) : code.function);
  return functions_.emplace(address, described(code.inlined)).first->second;
}

void CallerArguments::add(RecipeDraft& draft, const Frame& frame, std::uint64_t pc,
                          const ExpectedBlocks& expected, LabelId label) {
  if (symbols_ == nullptr || !expected.records_stack) return;
  const Function& own = function_at(pc);
  // `around` gets the functions into which the shown function is inlined.
  const auto is_shown = [&](LabelId call) { return names_.label(call).name == names_.label(label).name; };
  const auto shown = std::ranges::find_if(own.calls, is_shown);
  const std::span<const LabelId> around(shown == own.calls.end() ? shown : shown + 1, own.calls.end());
  if (own.is_main && around.empty()) return;
  Unwinder unwinder(*symbols_, memory_);
  unwinder.start(pc);
  calls_.clear();
  if (!around.empty()) add_calls(around, unwinder.frame_address());
  std::string text, problem;
  std::size_t calls_with_caller = 0;
  bool is_complete = own.is_main;
  const auto add_function = [&](const Function& function, std::uint64_t address,
                                std::optional<std::uint64_t> frame_address) {
    for (; calls_with_caller < calls_.size(); ++calls_with_caller)
      calls_[calls_with_caller].called_at = address;
    if (!text.empty()) text += kInside;
    text += function.name;
    add_calls(function.calls, frame_address);
    is_complete = function.is_main;
  };
  std::uint64_t called = pc;
  for (std::size_t count = 0; !is_complete; ++count) {
    const auto caller = count < kMaxCallers ? unwinder.next() : std::nullopt;
    if (!caller) {
      problem = count < kMaxCallers ? unwinder.problem()
                                    : fmt::format("there are more than {} callers", kMaxCallers);
      break;
    }
    for (const std::uint64_t jump : tail_calls_->between(caller->address + 1, called))
      add_function(function_at(jump), jump, unwinder.called_frame_address());
    const Function& function = caller->is_signal ? signal_ : function_at(caller->address);
    add_function(function, caller->address, function.calls.empty() ? std::nullopt : unwinder.frame_address());
    called = caller->address;
  }
  draft.set_callers(calls_);
  if (!problem.empty()) {
    if (!text.empty()) (text += kInside) += kMore;
    if (noted_.insert(frame.tracepoint).second)
      notes_.add(kCallersUnknown, Location::file(trace_.path),
                 fmt::format("tracepoint {}, frame {}: {}", frame.tracepoint, frame.number, problem));
  }
  if (!text.empty()) draft.add({name_, text});
}

void CallerArguments::add_calls(std::span<const LabelId> calls, std::optional<std::uint64_t> frame_address) {
  for (const LabelId call : calls) calls_.push_back({.label = call, .frame_address = frame_address});
}

}  // namespace convert::tfile
