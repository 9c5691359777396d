#include "converters/uftrace/kernel/print_format.h"

#include <cstdlib>
#include <optional>
#include <set>
#include <string_view>
#include <traceevent/event-parse.h>
#include <utility>

#include "converters/model/reading/text.h"

namespace convert::uftrace {
namespace {

// Formats of kernels are shorter: others are not handed to the library.
constexpr std::size_t kMaxFormat = std::size_t{64} << 10;
constexpr int kMaxDepth = 200;  // of an expression

std::optional<std::uint64_t> number(const char* text) {
  if (text == nullptr || *text == '\0') return std::nullopt;
  char* end = nullptr;
  const std::uint64_t value = std::strtoull(text, &end, 0);
  while (*end == 'U' || *end == 'L' || *end == 'u' || *end == 'l') ++end;
  if (*end != '\0') return std::nullopt;
  return value;
}

// From the library's tree. Of what it does not say, nothing is made.
class Translation {
 public:
  explicit Translation(const EventFormat& format) : format_(format) {}

  PrintExpression expression(const tep_print_arg* arg, int depth = 0) const {
    using What = PrintExpression::What;
    if (arg == nullptr || depth > kMaxDepth) return {};
    switch (arg->type) {
      case TEP_PRINT_ATOM:
        if (const auto value = number(arg->atom.atom)) return {.what = What::Number, .number = *value};
        return {.what = What::Text, .text = arg->atom.atom != nullptr ? arg->atom.atom : ""};
      case TEP_PRINT_FIELD:
        return field(arg->field.name);
      case TEP_PRINT_TYPE:
        return expression(arg->typecast.item, depth + 1);
      case TEP_PRINT_OP:
        return operation(arg->op, depth);
      case TEP_PRINT_FLAGS:
        return {.what = What::Flags,
                .text = arg->flags.delim != nullptr ? arg->flags.delim : "",
                .names = names(arg->flags.flags),
                .operands = {expression(arg->flags.field, depth + 1)}};
      case TEP_PRINT_SYMBOL:
        return {.what = What::Choice,
                .names = names(arg->symbol.symbols),
                .operands = {expression(arg->symbol.field, depth + 1)}};
      default:
        return {};
    }
  }

  // The fields that it is made of.
  void add_fields(const tep_print_arg* arg, std::set<std::string>& fields, int depth = 0) const {
    if (arg == nullptr || depth > kMaxDepth) return;
    switch (arg->type) {
      case TEP_PRINT_FIELD:
        if (arg->field.name != nullptr) fields.insert(arg->field.name);
        return;
      case TEP_PRINT_TYPE:
        return add_fields(arg->typecast.item, fields, depth + 1);
      case TEP_PRINT_OP:
        add_fields(arg->op.left, fields, depth + 1);
        return add_fields(arg->op.right, fields, depth + 1);
      case TEP_PRINT_FLAGS:
        return add_fields(arg->flags.field, fields, depth + 1);
      case TEP_PRINT_SYMBOL:
        return add_fields(arg->symbol.field, fields, depth + 1);
      default:
        return;
    }
  }

 private:
  PrintExpression field(const char* name) const {
    const EventField* const found = name != nullptr ? format_.find(name) : nullptr;
    if (found == nullptr) return {};
    return {
        .what = PrintExpression::What::Field, .place = number_place(*found), .is_signed = found->is_signed};
  }
  static IntegerField number_place(const EventField& field) {
    const bool is_number = !field.is_array && field.where == EventField::Where::Here &&
                           std::has_single_bit(field.size) && field.size <= 8 &&
                           std::in_range<std::uint32_t>(field.offset);
    if (!is_number) return {};
    return {.offset = static_cast<std::uint32_t>(field.offset),
            .size = static_cast<std::uint8_t>(field.size)};
  }

  PrintExpression operation(const tep_print_arg_op& op, int depth) const {
    const std::string_view sign = op.op != nullptr ? op.op : "";
    PrintExpression result{.what = PrintExpression::What::Operation, .text = std::string(sign)};
    const bool is_unary = op.left == nullptr || op.left->type == TEP_PRINT_NULL;
    if (!is_unary) result.operands.push_back(expression(op.left, depth + 1));
    if (sign == "?") {  // what may come is an operation, too: <yes> : <no>
      const tep_print_arg* const both = op.right;
      if (is_unary || both == nullptr || both->type != TEP_PRINT_OP || both->op.op == nullptr ||
          std::string_view(both->op.op) != ":")
        return {};
      result.text = "?:";
      result.operands.push_back(expression(both->op.left, depth + 1));
      result.operands.push_back(expression(both->op.right, depth + 1));
      return result;
    }
    result.operands.push_back(expression(op.right, depth + 1));
    return result;
  }

  static std::vector<PrintExpression::Name> names(const tep_print_flag_sym* list) {
    std::vector<PrintExpression::Name> result;
    for (; list != nullptr; list = list->next)
      if (const auto value = number(list->value))
        result.push_back({*value, list->str != nullptr ? list->str : ""});
    return result;
  }

  const EventFormat& format_;
};

// One conversion of a print fmt: "%s", and what stands before it.
struct Conversion {
  std::string_view before;
  std::size_t arguments = 1;  // more with each '*'
  char kind = 0;
  char behind = 0;
};

// The next conversion of `text`, which loses it.
std::optional<Conversion> next_conversion(std::string_view& text) {
  const std::string_view all = text;
  for (std::size_t at = 0; at < all.size(); ++at) {
    if (all[at] != '%') continue;
    if (at + 1 < all.size() && all[at + 1] == '%') {
      ++at;
      continue;
    }
    Conversion found{.before = all.substr(0, at)};
    std::size_t end = at + 1;
    for (; end < all.size() &&
           std::string_view("-+ #0123456789.*hlLzjt").find(all[end]) != std::string_view::npos;
         ++end)
      if (all[end] == '*') ++found.arguments;
    if (end == all.size()) return std::nullopt;
    found.kind = all[end];
    found.behind = end + 1 < all.size() ? all[end + 1] : '\0';
    text = all.substr(end + 1);
    return found;
  }
  return std::nullopt;
}

// "name" of "…, name=".
std::string_view name_before(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  if (text.empty() || (text.back() != '=' && text.back() != ':')) return {};
  text.remove_suffix(1);
  std::size_t begin = text.size();
  while (begin > 0 && is_word_character(text[begin - 1])) --begin;
  return text.substr(begin);
}

std::map<std::string, PrintedField> fields_in(const EventFormat& format, const tep_print_fmt& print) {
  std::map<std::string, PrintedField> fields;
  const Translation translation(format);
  std::string_view text = print.format;
  std::string latest;  // the field that the conversion before was about
  const tep_print_arg* arg = print.args;
  while (const auto conversion = next_conversion(text)) {
    for (std::size_t i = 1; i < conversion->arguments && arg != nullptr; ++i) arg = arg->next;
    if (arg == nullptr) break;
    std::set<std::string> used;
    translation.add_fields(arg, used);
    std::string field(name_before(conversion->before));
    if (conversion->before.empty() && !latest.empty()) field = latest;
    if (format.find(field) == nullptr) field = used.size() == 1 ? *used.begin() : std::string();
    latest = field;
    if (!field.empty() && conversion->kind == 's') {
      PrintExpression part = translation.expression(arg);
      if (part.gives_text()) fields[field].parts.push_back(std::move(part));
    } else if (conversion->kind == 'p' && used.size() == 1) {
      const bool is_symbol = std::string_view("sSfFB").find(conversion->behind) != std::string_view::npos &&
                             conversion->behind != '\0';
      (is_symbol ? fields[*used.begin()].is_symbol : fields[*used.begin()].is_pointer) = true;
    }
    arg = arg->next;
  }
  return fields;
}

}  // namespace

PrintFormats::PrintFormats(const PageLayout& pages) : tep_(tep_alloc()) {
  tep_set_loglevel(TEP_LOG_NONE);  // what it can't understand is shown as numbers
  if (tep_ == nullptr) return;
  tep_set_file_bigendian(tep_, pages.order == std::endian::big ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
  tep_set_long_size(tep_, static_cast<int>(pages.long_bytes));
}

PrintFormats::~PrintFormats() {
  if (tep_ != nullptr) tep_free(tep_);
}

std::map<std::string, PrintedField> PrintFormats::fields_of(const EventFormat& format) {
  if (tep_ == nullptr || format.text.size() > kMaxFormat) return {};
  tep_event* event = nullptr;
  const tep_errno error =
      tep_parse_format(tep_, &event, format.text.data(), format.text.size(), format.system.c_str());
  std::map<std::string, PrintedField> fields;
  if (error == TEP_ERRNO__SUCCESS && event != nullptr && event->print_fmt.format != nullptr)
    fields = fields_in(format, event->print_fmt);
  return fields;  // the event is the handle's
}

}  // namespace convert::uftrace
