#include "converters/tfile/actions/collect_items.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>

#include "converters/tfile/actions/bytecode.h"

namespace convert::tfile {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

bool is_word_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// At the commas outside of brackets and quotes.
std::vector<std::string_view> split_items(std::string_view list) {
  std::vector<std::string_view> items;
  int depth = 0;
  char quote = 0;
  std::size_t begin = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const char c = list[i];
    if (quote != 0) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (c == ',' && depth <= 0) {
      items.push_back(trimmed(list.substr(begin, i - begin)));
      begin = i + 1;
    }
  }
  items.push_back(trimmed(list.substr(std::min(begin, list.size()))));
  std::erase(items, std::string_view{});
  return items;
}

using IsName = std::function<bool(std::string_view)>;

// "count", "app::count"
bool is_plain_name(std::string_view text) {
  while (true) {
    const auto* const end = std::ranges::find_if_not(text, is_word_character);
    const auto size = static_cast<std::size_t>(end - text.begin());
    if (size == 0 || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return false;
    text.remove_prefix(size);
    if (text.empty()) return true;
    if (!text.starts_with("::")) return false;
    text.remove_prefix(2);
  }
}

CollectItem::Kind kind_of(std::string_view text, const IsName& is_variable, const IsName& is_register) {
  using Kind = CollectItem::Kind;
  if (is_plain_name(text)) return Kind::Name;
  if (!text.starts_with('$') || !std::ranges::all_of(text.substr(1), is_word_character))
    return Kind::Expression;
  const std::string_view name = text.substr(1);
  if (name.starts_with("reg") || name == "_ret") return Kind::Registers;
  if (name.starts_with("arg") || name.starts_with("loc")) return Kind::Variables;
  if (name == "_sdata") return Kind::StaticData;
  if (is_variable(name)) return Kind::Variable;
  return is_register(name) ? Kind::Registers : Kind::Expression;
}

}  // namespace

CollectItems collect_items(const std::vector<std::string>& commands, const IsName& is_variable,
                           const IsName& is_register) {
  CollectItems items;
  std::vector<CollectItem>* current = &items.hit;
  for (const std::string& command : commands) {
    std::string_view rest = trimmed(command);
    const std::size_t word_end = static_cast<std::size_t>(
        std::ranges::find_if(rest, [](char c) { return c == ' ' || c == '\t' || c == '/'; }) - rest.begin());
    const std::string_view word = rest.substr(0, word_end);
    rest.remove_prefix(word_end);
    if (word == "while-stepping" || word == "stepping" || word == "ws") {
      current = &items.step;
    } else if (word == "end") {
      current = &items.hit;
    } else if (word == "teval") {
      for (const std::string_view text : split_items(rest))
        current->push_back({.kind = CollectItem::Kind::Evaluate, .text = std::string(text)});
    } else if (word == "collect") {
      bool is_string = false;
      if (rest.starts_with("/")) {
        const std::string_view option = rest.substr(0, rest.find_first_of(" \t"));
        is_string = option.starts_with("/s");
        rest.remove_prefix(option.size());
      }
      for (const std::string_view text : split_items(rest))
        current->push_back({.kind = kind_of(text, is_variable, is_register),
                            .text = std::string(text),
                            .is_string = is_string});
    }
  }
  return items;
}

namespace {

using Kind = CollectItem::Kind;

// Finds the cheapest ways to line items up with expressions, both in order, and keeps what all of them agree
// on. Items of `default-collect` are not in the source: expressions without an item are allowed in front.
class Alignment {
 public:
  static constexpr int kImpossible = std::numeric_limits<int>::max() / 4;
  static constexpr std::size_t kMaxCells = std::size_t{1} << 20;

  Alignment(std::span<const CollectItem> items, std::span<const ExpressionShape> shapes, bool has_memory,
            const std::function<std::optional<bool>(const std::string&)>& is_static,
            const std::function<std::string_view(std::uint64_t)>& variable_name)
      : items_(items), shapes_(shapes), has_memory_(has_memory), variable_name_(variable_name) {
    for (const CollectItem& item : items)
      statics_.push_back(item.kind == Kind::Name ? is_static(item.text) : std::nullopt);
  }

  ItemMatch match() {
    ItemMatch result;
    result.expressions.resize(shapes_.size());
    if ((items_.size() + 1) * (shapes_.size() + 1) > kMaxCells) return result;
    const int best = fill();
    if (best >= kImpossible) return result;

    std::vector<bool> is_ambiguous(shapes_.size()), was_seen(shapes_.size());
    std::vector<bool> can_skip(items_.size()), can_take(items_.size());
    for (std::size_t i = 0; i <= items_.size(); ++i) {
      for (std::size_t j = 0; j <= shapes_.size(); ++j) {
        const auto is_best = [&](int cost, std::size_t to_i, std::size_t to_j) {
          return ahead(i, j) + cost + behind(to_i, to_j) == best;
        };
        const auto take = [&](const CollectItem* item) {
          if (was_seen[j] && result.expressions[j] != item) is_ambiguous[j] = true;
          was_seen[j] = true;
          result.expressions[j] = item;
        };
        if (i == 0 && j < shapes_.size() && is_best(kStrange, 0, j + 1)) take(nullptr);
        if (i == items_.size()) continue;
        if (is_best(skip_cost(i), i + 1, j)) can_skip[i] = true;
        if (j == shapes_.size()) continue;
        if (is_best(take_cost(i, j), i + 1, j + 1)) {
          take(&items_[i]);
          can_take[i] = true;
        }
        if (items_[i].kind == Kind::Variables && is_best(take_cost(i, j), i, j + 1)) take(&items_[i]);
      }
    }
    for (std::size_t j = 0; j < shapes_.size(); ++j)
      if (is_ambiguous[j]) result.expressions[j] = nullptr;
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].kind == Kind::Name && can_skip[i] && !can_take[i]) result.memory.push_back(&items_[i]);
    return result;
  }

 private:
  static constexpr int kStrange = 4;    // possible, but something else is likelier
  static constexpr int kUnlikely = 16;  // against what is known

  // An item without an expression of its own.
  int skip_cost(std::size_t i) const {
    switch (items_[i].kind) {
      case Kind::Registers:
      case Kind::Variables:
      case Kind::StaticData:
        return 0;
      case Kind::Name:
        if (statics_[i]) return *statics_[i] ? 0 : kUnlikely;
        return has_memory_ ? 0 : kStrange;
      case Kind::Expression:
        return kUnlikely;
      default:
        return kImpossible;
    }
  }

  int take_cost(std::size_t i, std::size_t j) const {
    const ExpressionShape& shape = shapes_[j];
    switch (items_[i].kind) {
      case Kind::Variable:
        return shape.only_variable && variable_name_(*shape.only_variable) == items_[i].text.substr(1)
                   ? 0
                   : kImpossible;
      case Kind::Evaluate:
        return shape.records ? kImpossible : 0;
      case Kind::Name:
        if (shape.only_variable) return kImpossible;
        if (statics_[i] && *statics_[i]) return kUnlikely;
        return form_cost(items_[i], shape);
      case Kind::Variables:
      case Kind::Expression:
        if (shape.only_variable) return kImpossible;
        return form_cost(items_[i], shape);
      default:
        return kImpossible;
    }
  }

  // Values that were optimized away record nothing; arrays are recorded whole, as strings too.
  static int form_cost(const CollectItem& item, const ExpressionShape& shape) {
    if (shape.records_string && !item.is_string) return kUnlikely;
    return shape.records && shape.records_string == item.is_string ? 0 : 1;
  }

  int& ahead(std::size_t i, std::size_t j) { return ahead_[i * (shapes_.size() + 1) + j]; }
  int& behind(std::size_t i, std::size_t j) { return behind_[i * (shapes_.size() + 1) + j]; }

  // The cheapest cost from the start to each point, and from each point to the end.
  int fill() {
    const std::size_t cells = (items_.size() + 1) * (shapes_.size() + 1);
    ahead_.assign(cells, kImpossible);
    behind_.assign(cells, kImpossible);
    ahead(0, 0) = 0;
    behind(items_.size(), shapes_.size()) = 0;
    for (std::size_t i = 0; i <= items_.size(); ++i)
      for (std::size_t j = 0; j <= shapes_.size(); ++j)
        for_each_step(i, j, [&](int cost, std::size_t to_i, std::size_t to_j) {
          ahead(to_i, to_j) = std::min(ahead(to_i, to_j), sum(ahead(i, j), cost));
        });
    for (std::size_t i = items_.size() + 1; i-- > 0;)
      for (std::size_t j = shapes_.size() + 1; j-- > 0;)
        for_each_step(i, j, [&](int cost, std::size_t to_i, std::size_t to_j) {
          behind(i, j) = std::min(behind(i, j), sum(behind(to_i, to_j), cost));
        });
    return ahead(items_.size(), shapes_.size());
  }

  static int sum(int a, int b) { return std::min(a + b, kImpossible); }

  template <typename Step>
  void for_each_step(std::size_t i, std::size_t j, Step&& step) const {
    if (i == 0 && j < shapes_.size()) step(kStrange, i, j + 1);
    if (i == items_.size()) return;
    step(skip_cost(i), i + 1, j);
    if (j == shapes_.size()) return;
    step(take_cost(i, j), i + 1, j + 1);
    if (items_[i].kind == Kind::Variables) step(take_cost(i, j), i, j + 1);
  }

  std::span<const CollectItem> items_;
  std::span<const ExpressionShape> shapes_;
  bool has_memory_;
  const std::function<std::string_view(std::uint64_t)>& variable_name_;
  std::vector<std::optional<bool>> statics_;
  std::vector<int> ahead_, behind_;
};

}  // namespace

ItemMatch match_items(std::span<const CollectItem> items, std::span<const Action> actions,
                      const std::function<std::optional<bool>(const std::string&)>& is_static,
                      const std::function<std::string_view(std::uint64_t)>& variable_name) {
  std::vector<ExpressionShape> shapes;
  std::size_t memory_actions = 0;
  for (const Action& action : actions) {
    if (action.kind == Action::Kind::Expression) shapes.push_back(shape_of(action.code));
    if (action.kind == Action::Kind::Memory) ++memory_actions;
  }
  ItemMatch match = Alignment(items, shapes, memory_actions > 0, is_static, variable_name).match();
  // Ranges are sorted by address and joined: only a single one for a single name is certain.
  const bool is_certain = match.memory.size() == 1 && memory_actions == 1;
  const CollectItem* only = is_certain ? match.memory.front() : nullptr;
  match.memory.assign(memory_actions, only);
  return match;
}

}  // namespace convert::tfile
