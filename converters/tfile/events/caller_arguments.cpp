#include "converters/tfile/events/caller_arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <optional>
#include <string_view>

#include "converters/tfile/description/collect_items.h"
#include "converters/tfile/description/note_kinds.h"

namespace convert::tfile {
namespace {

constexpr std::size_t kMaxCallers = 64, kMaxFunctions = 65536;
constexpr std::string_view kInside = " < ", kMore = "…";

}  // namespace

CallerArguments::CallerArguments(const TraceFile& trace, const ProgramSymbols* symbols, FrameMemory& memory,
                                 ImportContext& import_context)
    : trace_(trace),
      symbols_(symbols),
      name_(import_context.names.intern(argument_names::kCallers)),
      notes_(import_context.timeline.new_notes()),
      memory_(memory) {}

const CallerArguments::Function& CallerArguments::function_at(std::uint64_t address) {
  if (const auto found = functions_.find(address); found != functions_.end()) return found->second;
  if (functions_.size() >= kMaxFunctions) functions_.clear();
  CodeInfo code = symbols_->code_at(address);
  if (code.inlined.empty())
    code.inlined.push_back(code.function.empty() ? fmt::format("{:#x}", address) : code.function);
  return functions_
      .emplace(address,
               Function{fmt::format("{}", fmt::join(code.inlined, kInside)), code.inlined.back() == "main"})
      .first->second;
}

void CallerArguments::add(RecipeDraft& draft, const Frame& frame, std::uint64_t pc,
                          const ExpectedBlocks& expected) {
  if (symbols_ == nullptr || !expected.records_stack || function_at(pc).is_main) return;
  Unwinder unwinder(*symbols_, memory_);
  unwinder.start(pc);
  std::string text, problem;
  bool is_complete = false;
  for (std::size_t count = 0; !is_complete; ++count) {
    const auto caller = count < kMaxCallers ? unwinder.next() : std::nullopt;
    if (!caller) {
      problem = count < kMaxCallers ? unwinder.problem() : fmt::format("there are more than {}", kMaxCallers);
      break;
    }
    static const Function kSignal{"<signal handler called>"};
    const Function& function = caller->is_signal ? kSignal : function_at(caller->address);
    if (!text.empty()) text += kInside;
    text += function.name;
    is_complete = function.is_main;
  }
  if (!problem.empty()) {
    if (!text.empty()) (text += kInside) += kMore;
    if (noted_.insert(frame.tracepoint).second)
      notes_.add(kCallersUnknown, Location::file(trace_.path),
                 fmt::format("tracepoint {}, frame {}: {}", frame.tracepoint, frame.number, problem));
  }
  if (!text.empty()) draft.add({name_, text});
}

}  // namespace convert::tfile
