// Tests which variable a name means at different places of traced_names.cpp. Variables with the same
// name have different sizes, so the size shows which variable was found.
#include <bit>
#include <cstdint>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

#include "converters/tfile/program/expression.h"
#include "converters/tfile/program/program.h"
#include "converters/tfile/program/value.h"
#include "tests/tfile/program/traced_program.h"

namespace convert::tfile {
namespace {

class NamesInPlaces : public testing::Test {
 protected:
  NamesInPlaces() { frame_.start({}, false); }

  // Returns the value of the expression at the line with the mark.
  Value value(const char* mark, std::string_view expression, const std::string& file = "traced_names.cpp") {
    const CodeScope* const scope =
        program_.scope_at(program_.line_addresses(file, line_of(mark, file)).at(0));
    EXPECT_NE(scope, nullptr);
    return evaluate(expression, {.scope = *scope, .frame = frame_});
  }
  // Returns the size of the variable in bytes, or 0 if the name is unknown at the mark.
  std::uint64_t size(const char* mark, std::string_view expression,
                     const std::string& file = "traced_names.cpp") {
    const Type* const type = value(mark, expression, file).type;
    return type != nullptr ? type->size : 0;
  }
  std::uint64_t size_in_other(std::string_view expression) {
    return size("of other file", expression, "traced_other_names.cpp");
  }
  std::optional<std::uint64_t> number(const char* mark, std::string_view expression) {
    return integer_of(value(mark, expression), frame_);
  }

  Program program_{TRACED_FIXED, Demangle::Simple};
  FrameMemory frame_{nullptr, std::endian::native};
};

TEST_F(NamesInPlaces, NamespacesHideGlobals) {
  EXPECT_EQ(size("fill", "stock"), 2u);
  EXPECT_EQ(size("fill", "::stock"), 1u);
  EXPECT_EQ(size("borrow", "stock"), 1u);
  EXPECT_EQ(size("borrow", "depot::stock"), 2u);
}

TEST_F(NamesInPlaces, MembersAndThoseOfBasesHideGlobals) {
  EXPECT_EQ(size("fill", "doors"), 8u);
  EXPECT_EQ(size("fill", "load"), 4u);
  EXPECT_EQ(size("plan", "load"), 4u) << "without an object";
  EXPECT_EQ(size("fill", "depot::Hall::load"), 4u);
  EXPECT_EQ(size("fill", "shelf"), 2u);
  EXPECT_EQ(size("fill", "Base::shelf"), 4u);
  EXPECT_EQ(size("plan", "shelf"), 1u) << "there is no object";
}

TEST_F(NamesInPlaces, ClassesAreNotTheirConstructors) {
  EXPECT_EQ(size("count up", "Meter::reading"), 8u);
  EXPECT_EQ(size("count up", "*(Meter*) 64"), 8u);
}

TEST_F(NamesInPlaces, MembersMayBeDefinedBeforeTheirClass) { EXPECT_EQ(size("fill", "Gauge::marks"), 4u); }

// After link-time optimization, one unit describes the variable, and another unit has its address.
TEST_F(NamesInPlaces, VariablesAreAtThePlaceOfAnyUnit) {
  EXPECT_EQ(value("fill", "linked").storage.kind, Storage::Kind::Memory);
  EXPECT_EQ(value("fill", "Gauge::joined").storage.kind, Storage::Kind::Memory);
}

TEST_F(NamesInPlaces, VariablesOfOtherFunctionsBelongToOtherCalls) {
  EXPECT_EQ(value("fill", "plant::pump::moved").storage.missing, Missing::OtherFrame);
  EXPECT_NE(value("pump body", "plant::pump::moved", "traced_program.cpp").storage.missing,
            Missing::OtherFrame);
  EXPECT_EQ(value("fill", "unit_start::tally_of_calls").storage.kind, Storage::Kind::Memory);
}

TEST_F(NamesInPlaces, DeclarationsInBlocksMeanDefinitionsElsewhere) {
  EXPECT_EQ(value("plan", "stock").storage.address, program_.object("depot::stock")->address);
}

// GDB searches imported names only if it finds no other meaning of the name.
TEST_F(NamesInPlaces, ImportedNamesAreFound) {
  EXPECT_EQ(size("borrow", "price"), 4u);
  EXPECT_EQ(size("borrow", "depth"), 4u);
  EXPECT_EQ(size("fill", "price"), 1u);
  EXPECT_EQ(size("fill", "ramp"), 2u);
  EXPECT_EQ(size("fill", "pallet"), 1u);
  EXPECT_EQ(size("fill", "depot::pallet"), 2u);
  EXPECT_EQ(size("fill", "vault::price"), 4u);
}

TEST_F(NamesInPlaces, TypesAndEnumeratorsAreFoundLikeVariables) {
  EXPECT_EQ(size("fill", "(amount) 1"), 4u);
  EXPECT_EQ(size("borrow", "(amount) 1"), 8u);
  EXPECT_EQ(size("of file", "(amount) 1"), 1u);
  EXPECT_EQ(size_in_other("(amount) 1"), 2u);
  EXPECT_EQ(size("fill", "*(Crate*) 64"), 2u);
  EXPECT_EQ(size("borrow", "*(struct Crate*) 64"), 8u);
  EXPECT_EQ(size("of file", "*(Crate*) 64"), 1u);
  EXPECT_EQ(number("fill", "+CRATES"), 200u);
  EXPECT_EQ(number("borrow", "+CRATES"), 300u);
  EXPECT_EQ(number("of file", "+CRATES"), 100u);
}

TEST_F(NamesInPlaces, FilesHaveLocalNames) {
  EXPECT_EQ(size("of file", "queue"), 1u);
  EXPECT_EQ(size_in_other("queue"), 2u);
  EXPECT_EQ(size("of file", "'traced_other_names.cpp'::queue"), 2u);
  EXPECT_EQ(size("of file", "turn"), 1u);
  EXPECT_EQ(size_in_other("turn"), 2u);
  EXPECT_EQ(size("of file", "of_file::calls"), 1u);
  EXPECT_EQ(size_in_other("of_file::calls"), 2u);
  EXPECT_EQ(size("of file", "'traced_other_names.cpp'::of_file::calls"), 2u);
  EXPECT_EQ(size("of file", "*(Ticket*) 64"), 1u);
  EXPECT_EQ(size_in_other("*(Ticket*) 64"), 4u);
}

TEST_F(NamesInPlaces, NamesInOtherFilesMustBeUnique) {
  const auto in_expressions = [&](std::string_view expression) {
    return size("expressions", expression, "traced_expressions.cpp");
  };
  EXPECT_EQ(in_expressions("turn_of_other"), 2u);
  EXPECT_EQ(in_expressions("::turn_of_other"), 2u);
  for (const char* const ambiguous : {"turn", "queue", "of_file::calls", "(amount) 1", "*(Ticket*) 64"})
    EXPECT_EQ(in_expressions(ambiguous), 0u) << ambiguous;
  EXPECT_EQ(size("of file", "::turn"), 0u) << "GDB takes any";
}

}  // namespace
}  // namespace convert::tfile
