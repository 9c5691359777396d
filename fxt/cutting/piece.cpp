#include "fxt/cutting/piece.h"

#include <algorithm>

namespace fxt {
namespace {

constexpr std::string_view kCut = "cut";

WriterOptions options_of(const KnownProviders& providers, const std::string& default_name) {
  // What the trace holds is copied, whatever readers think of it.
  WriterOptions options{.provider_name = default_name,
                        .userspace_objects = true,
                        .blob_arguments = true,
                        .oversized_records = true,
                        .large_blobs_without_metadata = true,
                        .frame_marks = true,
                        .unnamed_threads = true,
                        .perfetto_pieces = true,
                        .long_spans = true,
                        .trust_nesting = true};
  if (!providers.all.empty() && providers.all.front().first != 0) {
    options.provider_id = providers.all.front().first;
    options.provider_name = providers.all.front().second;
  }
  return options;
}

}  // namespace

Piece::Piece(Output& output, const KnownProviders& providers, const std::string& default_name,
             CutCounters& counters)
    : writer_(output, options_of(providers, default_name)), counters_(&counters) {
  for (const auto& [id, name] : providers.all) write(Record(ProviderInfo{.id = id, .name = name}));
  if (!providers.all.empty()) write(Record(ProviderSection{.id = providers.current}));
}

bool Piece::can_say_cut(const Arguments& own, const Arguments& of_begin) {
  const auto is_it = [](const Argument& argument) { return argument.name.text == kCut; };
  return own.size() < kMaxArguments && std::ranges::none_of(own, is_it) &&
         std::ranges::none_of(of_begin, is_it);
}

void Piece::write_cut(const Event& event, Cut cut, const Arguments& of_begin) {
  if (cut == Cut::No || !can_say_cut(event.arguments, of_begin)) {
    write(event);
    return;
  }
  arguments_.assign(event.arguments.begin(), event.arguments.end());
  arguments_.push_back({kCut, String(cut == Cut::Begin ? "begin" : cut == Cut::End ? "end" : "both")});
  Event said = event;
  said.arguments = Arguments(arguments_);
  write(said);
}

}  // namespace fxt
