// The types of C expressions, as users collect them: "*p", "a[2]@3", "it->next->name", "*(int*)$rsp".
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "converters/tfile/program/type_table.h"

namespace convert::tfile {

// Where an expression stands. Both give null for names that they do not know.
struct ExpressionScope {
  std::function<const Type*(const std::string&)> variable;  // "count", "app::count", "this"
  std::function<const Type*(const std::string&)> type;      // "item", "app::Base", "uint8_t"
  std::size_t pointer_size = 8;
};

// The type of its value; null where it can't be told.
const Type* type_of_expression(std::string_view expression, const ExpressionScope& scope, TypeTable& types);

}  // namespace convert::tfile
