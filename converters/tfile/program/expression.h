// Finds the types of collected C expressions: "*p", "a[2]@3", "it->next->name", "*(int*)$rsp".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "converters/tfile/program/type_table.h"

namespace convert::tfile {

// The scope of an expression. Both functions return null for unknown names.
struct ExpressionScope {
  std::function<const Type*(const std::string&)> variable;  // "count", "app::count", "this"
  std::function<const Type*(const std::string&)> type;      // "item", "app::Base", "uint8_t"
  std::size_t pointer_size = 8;
};

// The type of the expression's value; null if unknown.
const Type* type_of_expression(std::string_view expression, const ExpressionScope& scope, TypeTable& types);

}  // namespace convert::tfile
