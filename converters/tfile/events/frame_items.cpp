#include "converters/tfile/events/frame_items.h"

#include <algorithm>

#include "converters/model/reading/text.h"

namespace convert::tfile {
namespace {

bool mentions(std::string_view expression, std::string_view name) {
  for (std::size_t at = expression.find(name); at != std::string_view::npos;
       at = expression.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool begins = at == 0 || !is_word_character(expression[at - 1]);
    if (begins && (end == expression.size() || !is_word_character(expression[end]))) return true;
  }
  return false;
}

}  // namespace

bool FrameItems::start(std::int16_t tracepoint, std::uint64_t address, const FrameContext& context,
                       const ExpectedBlocks& expected, fxt::Budget& work) {
  const CodeScope* const scope = symbols_ != nullptr ? symbols_->scope_at(address) : nullptr;
  if (!proof_.start(expected, scope, work)) return false;
  is_contradicted_.assign(expected.items.size(), false);
  contradicted_texts_.clear();
  has_scope_ = proof_.scope() != nullptr;
  is_elsewhere_ = context.is_step && context.pc;
  if (!has_scope_) return true;
  // Without a pc, the place in the code is unknown. Therefore, registers and constants have no known values.
  if (!context.pc)
    for (auto& values : proof_.values())
      for (ItemValue& item : values)
        if (item.value.storage.kind == Storage::Kind::Bytes) item.value.type = nullptr;
  if (!is_elsewhere_) proof_.prove();
  for (std::size_t i = 0; i < expected.items.size(); ++i) {
    const std::string& text = expected.items[i].text;
    if (is_elsewhere_) {
      is_contradicted_[i] = !contradicted_.empty() && contradicted_.contains({tracepoint, text});
    } else if (proof_.is_contradicted(i)) {
      is_contradicted_[i] = true;
      contradicted_.emplace(tracepoint, text);
    }
    if (is_contradicted_[i]) contradicted_texts_.insert(text);
  }
  return true;
}

bool FrameItems::is_named(std::string_view name) const {
  return std::ranges::any_of(proof_.values(), [name](const auto& values) {
    return std::ranges::any_of(
        values, [name](const ItemValue& item) { return !item.is_hidden && mentions(item.text, name); });
  });
}

FrameBytes FrameItems::recorded(std::uint64_t address, std::uint64_t size) {
  if (!is_elsewhere_ && !proof_.has_recorded(address, size)) return {};
  return memory_.bytes(address, size);
}

}  // namespace convert::tfile
