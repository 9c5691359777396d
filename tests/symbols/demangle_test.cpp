#include "converters/symbols/demangle.h"

#include <cstddef>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>

namespace convert {
namespace {

struct Name {
  std::string_view symbol;
  std::string_view shown;
};
std::ostream& operator<<(std::ostream& out, const Name& name) { return out << name.symbol; }

class SimpleName : public testing::TestWithParam<Name> {};
TEST_P(SimpleName, EqualsTheNameInUftrace) {
  EXPECT_EQ(demangle(GetParam().symbol, Demangle::Simple), GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(Plain, SimpleName,
                         testing::Values(Name{"main", "main"}, Name{"", ""}, Name{"foo.part.0", "foo.part.0"},
                                         Name{"__main__.<module>", "__main__.<module>"},
                                         Name{"_GLOBAL__sub_I_main", "_GLOBAL__sub_I_main"}));

INSTANTIATE_TEST_SUITE_P(
    Cpp, SimpleName,
    testing::Values(
        Name{"_Z3foov", "foo"}, Name{"_ZN2ns3foo3barEi", "ns::foo::bar"}, Name{"_ZNK3foo3barEv", "foo::bar"},
        Name{"_ZN3FooC1Ei", "Foo::Foo"}, Name{"_ZN3FooD0Ev", "Foo::~Foo"},
        Name{"_ZN1AIiE1BIdED2Ev", "A::B::~B"}, Name{"_ZN3FooCI23BarEi", "Foo::Foo"},
        Name{"_ZN2ns3FooIiECI13BarEi", "ns::Foo::Foo"},
        Name{"_ZZ3foovEN12_GLOBAL__N_14LateCI24BaseEi", "foo::_GLOBAL__N_1::Late::Late"},
        Name{"_ZN7PCI2Bus4initEv", "PCI2Bus::init"}, Name{"_ZNSaIcED1Ev", "std::allocator::~allocator"},
        Name{"_ZNSsC1Ev", "std::basic_string<>::basic_string<>"},
        Name{"_ZNSolsEi", "std::basic_ostream::operator<<"},
        Name{"_ZNSt6vectorISt10unique_ptrIN2ns5ShapeESt14default_deleteIS2_EESaIS5_EE9push_backEOS5_",
             "std::vector::push_back"},
        Name{"_ZSt4moveIRiEONSt16remove_referenceIT_E4typeEOS2_", "std::move"}, Name{"_Znwm", "operator new"},
        Name{"_ZdaPvm", "operator delete[]"}, Name{"_ZN3FooclEv", "Foo::operator()"},
        Name{"_ZN3FooptEv", "Foo::operator->"}, Name{"_Zli2_xy", "operator\"\""},
        Name{"_ZN3FoossERKS_", "Foo::operator<=>"}, Name{"_ZZ4mainENKUlvE_clEv", "main::$_0::operator()"},
        Name{"_ZZ3fooiENUliE_D1Ev", "foo::$_0::~$_0"},
        Name{"_ZZ4mainENKUliiE0_clEii", "main::$_1::operator()"},
        Name{"_ZZZN1A3fooEvENKUlvE_clEvENKUlvE0_clEv", "A::foo::$_0::operator()::$_1::operator()"},
        Name{"_Z5twiceIZ4mainEUlvE_EDaT_", "twice"}, Name{"_ZZ3foovENUt_1gEv", "foo::g"},
        Name{"_ZZ4mainE1x_0", "main::x"}, Name{"_ZZ3fooiEd0_NKUlvE_clEv", "foo::$_0::operator()"},
        Name{"_ZN2ns12_GLOBAL__N_13Foo3barEv", "ns::_GLOBAL__N_1::Foo::bar"},
        Name{"_GLOBAL__sub_I__ZN2nsltERKNS_2SqES2_", "_GLOBAL__sub_I_ns::operator<"},
        Name{"_Z41__static_initialization_and_destruction_0ii", "__static_initialization_and_destruction_0"},
        Name{"_ZN3foo3barEv.constprop.0", "foo::bar"}, Name{"_ZN3foo3barEv@@GLIBCXX_3.4", "foo::bar"},
        Name{"_ZThn16_N3Foo3barEv", "Foo::bar"}, Name{"_ZTv0_n24_N3Foo3barEv", "Foo::bar"},
        Name{"_ZTch0_v0_n24_N1A1fEv", "A::f"}, Name{"_ZGTtN1A1fEv", "A::f"},
        Name{"_ZTW3foo", "TLS_wrap::foo"}, Name{"_ZGVZ4mainE1x", "__guard_variable__main::x"},
        Name{"_ZTV3Foo", "__vtable__Foo"}));

INSTANTIATE_TEST_SUITE_P(
    Conversions, SimpleName,
    testing::Values(Name{"_ZNK3FoocvbEv", "Foo::operator(cast)"},
                    Name{"_ZN3FoocvT_IiEEv", "Foo::operator(cast)"},
                    Name{"_ZNK3FoocvPFvvEEv", "Foo::operator(cast)"},
                    Name{"_ZNK3FoocvbB3tagEv.part.0", "Foo::operator(cast)"},
                    Name{"_ZZNK3FoocvbEvENKUlvE_clEv", "Foo::operator(cast)::$_0::operator()"},
                    // The operator casts to Bar<T>. T is the template argument of the operator itself.
                    Name{"_ZNK3FooIcEcv3BarIT_EIiEEv", "Foo::operator(cast)"},
                    Name{"_ZNKSt3AnyIZNK3FooIcEcv3BarIT_EIiEEvEUlvE_E6accessEv", "std::Any::access"},
                    Name{"_ZNK2CoIiEcvbEvQ8integralIT_E", "Co::operator(cast)"}));

// An ABI tag shows how a function was compiled, and is not part of the name.
INSTANTIATE_TEST_SUITE_P(AbiTags, SimpleName,
                         testing::Values(Name{"_ZNKSt6locale4nameB5cxx11Ev", "std::locale::name"},
                                         Name{"_ZNSt8ios_base7failureB5cxx11D2Ev",
                                              "std::ios_base::failure::~failure"},
                                         Name{"_Z3barB5cxx11B3abcv", "bar"}));

INSTANTIATE_TEST_SUITE_P(
    CppTypesAndExpressions, SimpleName,
    testing::Values(Name{"_ZZ3fooPFvvERA3_iM1AKFivEDnDv4_fCdU8__vectoriE1x", "foo::x"},
                    Name{"_ZZ3fooPDoFvvEPDO1AEFvvEDF16_E1x", "foo::x"},
                    Name{"_Z3fooIXadL_Z3barvEEEvv", "foo"}, Name{"_Z3fooIJidELi5ELin5ELb1ELDnEEvv", "foo"},
                    Name{"_ZZ3fooIiEDTcl3barfp_spcl7forwardIT0_Efp1_EEET_E1x", "foo::x"},
                    Name{"_ZZ3fooIiENSt9enable_ifIXntsr3std7is_voidIT_EE5valueEiE4typeES1_E1x", "foo::x"},
                    Name{"_ZN4llvmlsINS_18OptimizationRemarkEEERT_OS2_NSt9enable_ifIXsr3std10is_base_ofINS_"
                         "30DiagnosticInfoOptimizationBaseES2_EE5valueENS6_8ArgumentEE4typeE",
                         "llvm::operator<<"},
                    Name{"_ZSt3powIidEN9__gnu_cxx11__promote_2IT_T0_NS0_9__promoteIS2_XsrSt12__is_integerIS2_"
                         "E7__valueEE6__"
                         "typeENS4_IS3_XsrS5_IS3_E7__valueEE6__typeEE6__typeES2_S3_",
                         "std::pow"},
                    Name{"_ZZ1fIXtl1ALi1EEEEvDTgsnw_iilLi1EEEE1x", "f::x"},
                    Name{"_ZZ4mainENKUlTyTniT_E_clIiLi1EEEDaS_", "main::$_0::operator()"}));

INSTANTIATE_TEST_SUITE_P(
    OlderRust, SimpleName,
    testing::Values(
        Name{"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str"},
        Name{"_ZN3std2io5stdio6_print17h0123456789abcdefE.llvm.1234", "std::io::stdio::_print"},
        Name{"_ZN2rs4main17g0123456789abcdefE", "rs::main::g0123456789abcdef"},
        Name{"_ZN5alloc3vec12Vec$LT$T$GT$4push17h0123456789abcdefE", "alloc::vec::Vec<T>::push"},
        Name{"_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE",
             "_<alloc::string::String>::fmt"},
        Name{"_ZN3std2rt10lang_start28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE",
             "std::rt::lang_start::_{{closure}}"},
        Name{"_ZN8$BP$test3fooE", "*test::foo"},
        Name{"_ZN35Bar$LT$$u5b$u32$u3b$$u20$4$u5d$$GT$E", "Bar<[u32; 4]>"},
        Name{"_ZN5$odd$3fooE", "$odd$::foo"}));

INSTANTIATE_TEST_SUITE_P(
    RustV0, SimpleName,
    testing::Values(
        Name{"_RNvCsfYvT7YoHI8d_2rs4main", "rs::main"},
        Name{"_RNvCseulmdZsCeCG_7___rustc12___rust_alloc", "__rustc::__rust_alloc"},
        Name{"_RNCINvNtCsi4IsKQVxMg0_3std2rt10lang_startuE0CsfYvT7YoHI8d_2rs",
             "std::rt::lang_start<()>::{closure}"},
        Name{"_RINvNtNtCsi4IsKQVxMg0_3std3sys9backtrace28___rust_begin_short_backtraceFEuuECsfYvT7YoHI8d_2rs",
             "std::sys::backtrace::__rust_begin_short_backtrace<fn(),()>"},
        Name{"_RNvXCsfYvT7YoHI8d_2rsINtB2_1SmENtB2_1T2go", "<rs::S<u32>>::go"},
        Name{"_RNvXs1g_NtCs8NwYtU1Mohg_4core3fmtRRlNtB6_5Debug3fmtCsfYvT7YoHI8d_2rs", "<&&i32>fmt"},
        Name{"_RINvYNtNtNtCsi4IsKQVxMg0_3std4hash6random11RandomStateNtNtCs8NwYtU1Mohg_"
             "4core4hash11BuildHasher8hash_"
             "oneRReECsfYvT7YoHI8d_2rs",
             "<std::hash::random::RandomState>::hash_one<&&str>"},
        Name{"_RINvCs7qp2U7fqm6G_7mycrate7exampleAtj8_EB2_", "mycrate::example<[u16;8]>"},
        Name{"_RNvNvMCsd9PVOYlP1UU_7mycrateINtB4_7ExamplepKpE3foo14EXAMPLE_STATIC",
             "<mycrate::Example<_,_>>::foo::EXAMPLE_STATIC"},
        Name{"_RINvCs7qp2U7fqm6G_7mycrate7exampleTRShQxPaObEKlna_E",
             "mycrate::example<(&[u8],&mut_i64,*const_i8,*mut_bool),-10>"},
        Name{"_RNvMC1aAtj8_1f", "<[u16;8]>f"},
        Name{"_RNvMC1aTRShQxPaObFEuE1f", "<(&[u8],&mut_i64,*const_i8,*mut_bool,fn())>f"},
        Name{"_RNCNCNvC1a1f00", "a::f::{closure}::{closure}"}, Name{"_RNCNvC1a1fs_0", "a::f::{closure}"},
        Name{"_RNvNvC1a1fs_1g", "a::f::g"},
        Name{"_RNCINvMs0_NtNtCs89T1blTxxU8_3std4sync4onceNtB8_4Once9call_onceNCNvCsdmFG1u7ySow_"
             "4curl4init0E0B12_."
             "llvm.12688736362657155723",
             "<std::sync::once::Once>::call_once<curl::init::{closure}>::{closure}"}));

INSTANTIATE_TEST_SUITE_P(RustV0BackReferences, SimpleName,
                         testing::Values(Name{"_RINvC1a1fTlmEB7_E", "a::f<(i32,u32),(i32,u32)>"},
                                         Name{"_RNvXC1aTlmEINtC1b1TB4_E1g", "<(i32,u32)>::g"}));

INSTANTIATE_TEST_SUITE_P(
    RustV0TypesAndConstants, SimpleName,
    testing::Values(
        Name{"_RNvXs_C1aDINtC1b2FnTlEEp6OutputNtC1c1DNtC1d4SendEL_NtC1a1T1f",
             "<b::Fn<(i32)>::Output::c::D::d::Send>::f"},
        Name{"_RNvXC1aDNtC1b8Iteratorp4ItemhEL_NtB2_1T1f", "<b::Iterator::Itemu8>::f"},
        Name{"_RNvMC1aINtB2_1PKb1_Kb0_Kc78_Kcf6_Kc27_Kca_Khff_E1f", "<a::P<1,0,120,246,39,10,255>>::f"},
        Name{"_RINvC1a1fFUKCPuEuFUK3syshElE", "a::f<fn(*const_()),fn(u8)>"},
        Name{"_RNvXC1aTNtC1b1BNtC1c1CENtB2_1T1f", "<(b::B,::c::C)>::f"},
        Name{"_RNvXC1aTNtC1b1BNCNvMC1aNtC1c1C1d0ENtB2_1T1f", "<(b::B,::<c::C>::d::{closure})>::f"},
        Name{"_RNvMC1aC3f161f", "<f16>::f"}, Name{"_RNSNvC1a1f6vtable", "a::f::vtable"},
        Name{"_RNvNvC1a1f3KEY$tlv$init", "a::f::KEY"}, Name{"_RC5crate", "crate"},
        Name{"_RINvC1a1fFG_RL0_hERL0_hE", "a::f<fn(&u8)>"}, Name{"_RNvMC1aINtB2_1PL_hE1f", "<a::P<u8>>::f"},
        Name{"_RNvMC1aINtB2_1PL_E1f", "<a::P>::f"}, Name{"_RNvC1au9gre_6ka8i", "a::gr\u00f6\u00dfe"}));

// GCC compiles a coroutine to several functions, whose names differ only in a suffix.
INSTANTIATE_TEST_SUITE_P(
    Coroutines, SimpleName,
    testing::Values(
        Name{"_ZN2ns7counterEi", "ns::counter"},
        Name{"_ZN2ns7counterEPZNS_7counterEiE22_ZN2ns7counterEi.Frame.actor", "ns::counter.actor"},
        Name{"_ZN2ns2tcEPZNS_2tcIlEENS_3GenET_E29_ZN2ns2tcIlEENS_3GenET_.Frame.destroy", "ns::tc.destroy"},
        Name{"_ZN2ns7counterEi.ramp", "ns::counter.ramp"},
        Name{"_ZN2ns7counterEi.actor.cold", "ns::counter.actor"},
        Name{"_ZN2ns7counterEi.actors", "ns::counter"}));

// Older versions of libiberty do not support these symbols of C++20 and C++23.
INSTANTIATE_TEST_SUITE_P(
    Constrained, SimpleName,
    testing::Values(Name{"_Z4halfIiQ8integralIT_EES0_S0_", "half"},
                    Name{"_ZSt4swapIiQaantsr3stdE14is_volatile_vIT_E18move_constructibleIS0_EEvRS0_S1_",
                         "std::swap"},
                    Name{"_ZNH1S4selfIRS_EEiOT_", "S::self"}, Name{"_ZN4halfI", "_ZN4halfI"},
                    Name{"_Z9halfI", "_Z9halfI"}));

INSTANTIATE_TEST_SUITE_P(NotUnderstood, SimpleName,
                         testing::Values(Name{"_Z", "_Z"}, Name{"_ZN", "_ZN"},
                                         Name{"_ZN3foo3bar", "_ZN3foo3bar"}, Name{"_Z10foo", "_Z10foo"},
                                         Name{"_Z0v", "_Z0v"}, Name{"_Zzz", "_Zzz"},
                                         Name{"__Z3foov", "__Z3foov"}, Name{"_R", "_R"}, Name{"_RB_", "_RB_"},
                                         Name{"_ZTIm", "_ZTIm"}, Name{"_ZTSFvvE", "_ZTSFvvE"},
                                         Name{"_ZC1v", "_ZC1v"},
                                         Name{"_Z99999999999999999999foo", "_Z99999999999999999999foo"}));

TEST(FullName, HasParametersAndTemplateArguments) {
  EXPECT_EQ(demangle("_ZNSt6vectorIiSaIiEE9push_backERKi", Demangle::Full),
            "std::vector<int, std::allocator<int> >::push_back(int const&)");
  EXPECT_EQ(demangle("_ZNKSt6locale4nameB5cxx11Ev", Demangle::Full), "std::locale::name[abi:cxx11]() const");
  EXPECT_EQ(demangle("_ZN3foo3barEv@@GLIBCXX_3.4", Demangle::Full), "foo::bar()");
  EXPECT_EQ(demangle("_GLOBAL__sub_I__ZN3foo3barEv", Demangle::Full), "_GLOBAL__sub_I_foo::bar()");
  EXPECT_EQ(demangle("_RNvXs1g_NtCs8NwYtU1Mohg_4core3fmtRRlNtB6_5Debug3fmtCsfYvT7YoHI8d_2rs", Demangle::Full),
            "<&&i32 as core::fmt::Debug>::fmt");
  EXPECT_EQ(demangle("_RINvC1a1fTlmEB7_E", Demangle::Full), "a::f::<(i32, u32), (i32, u32)>");
  EXPECT_EQ(
      demangle("_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdeaE",
               Demangle::Full),
      "<alloc::string::String as core::fmt::Display>::fmt");
  EXPECT_EQ(demangle("main", Demangle::Full), "main");
  EXPECT_EQ(demangle("_Zzz", Demangle::Full), "_Zzz");
}

TEST(NoDemangling, KeepsTheSymbol) { EXPECT_EQ(demangle("_Z3foov", Demangle::No), "_Z3foov"); }

// ---- Hostile names ----

TEST(HostileName, DeepNestingIsNotDemangled) {
  for (const std::string_view level :
       {"P", "N", "I", "X", "Z", "S_I", "NSt", "FK", "A_", "TT", "J", "LZ", "clcl"}) {
    std::string symbol = "_Z1fI";
    for (int i = 0; i < 100'000; ++i) symbol += level;
    EXPECT_EQ(demangle(symbol, Demangle::Simple), symbol) << level;
    EXPECT_EQ(demangle(symbol, Demangle::Full), symbol) << level;
    EXPECT_FALSE(demangle(symbol.substr(0, 1000), Demangle::Full).empty()) << level;
  }
  for (const std::string_view level : {"NC", "I", "R", "T", "A", "X", "Y", "D", "F", "MC1a"}) {
    std::string symbol = "_R";
    for (int i = 0; i < 100'000; ++i) symbol += level;
    EXPECT_EQ(demangle(symbol, Demangle::Simple), symbol) << level;
    EXPECT_EQ(demangle(symbol, Demangle::Full), symbol) << level;
  }
}

TEST(HostileName, DoublingSubstitutionsStayShort) {
  // Each parameter type contains the previous one twice, so the full name has more than 2^38 words.
  const std::string_view digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  for (const std::string_view word : {"1A", "2\xc3\xa9"}) {
    std::string symbol = fmt::format("_Z1f{}IiiE", word);
    for (const char digit : digits) symbol += std::string("S_IS") + digit + "_S" + digit + "_E";
    EXPECT_EQ(demangle(symbol, Demangle::Simple), "f");
    EXPECT_EQ(demangle(symbol, Demangle::Full), "f");
  }
}

TEST(HostileName, DoublingScopesAreNotDemangled) {
  // The name of each parameter type contains the previous name twice, so the full name has 2^30 parts.
  std::string symbol = "_ZZ1f1A";
  std::string before = "S_";
  for (const char digit : std::string_view("0123456789ABCDEFGHIJKLMNOPQRST")) {
    symbol += "ZN" + before + "1gEvEN" + before + "1bE";
    before = std::string("S") + digit + "_";
  }
  symbol += "EN" + before + "1bE";
  EXPECT_EQ(demangle(symbol, Demangle::Simple), symbol);
  EXPECT_EQ(demangle(symbol, Demangle::Full), symbol);
}

TEST(HostileName, NestedConversionsAreNotDemangled) {
  // "T_I" has two meanings. A parser that tries both meanings each time would need 2^60 attempts.
  std::string symbol = "_ZN1a";
  for (int i = 0; i < 60; ++i) symbol += "cvT_IN1a";
  EXPECT_EQ(demangle(symbol, Demangle::Simple), symbol);
  EXPECT_EQ(demangle(symbol, Demangle::Full), symbol);
  EXPECT_EQ(demangle("_ZN1acvT_IiEIS_EEv", Demangle::Simple), "a::operator(cast)");
}

TEST(HostileName, LongNamesAreReadUpToALimit) {
  const auto nested = [](std::size_t scopes) {
    std::string symbol = "_ZN";
    for (std::size_t i = 0; i < scopes; ++i) symbol += "1a";
    return symbol + "1fEv";
  };
  std::string shown;
  for (int i = 0; i < 500; ++i) shown += "a::";
  EXPECT_EQ(demangle(nested(500), Demangle::Simple), shown + "f");
  EXPECT_EQ(demangle(nested(5000), Demangle::Simple), nested(5000));
}

TEST(HostileName, DoublingBackReferencesAreNotDemangled) {
  std::string symbol = "_RINvC1a1f";
  std::string before = "INtC1b1SlE";
  std::size_t position = symbol.size() - 2;
  symbol += before;
  const auto base_62 = [](std::size_t n) -> std::string {
    constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    if (n == 0) return "_";
    std::string text;
    for (--n; text.empty() || n > 0; n /= 62) text.insert(text.begin(), kDigits[n % 62]);
    return text + "_";
  };
  for (int i = 0; i < 60; ++i) {
    const std::string reference = 'B' + base_62(position);
    position = symbol.size() - 2;
    symbol += "INtC1b1S" + reference + reference + "E";
  }
  symbol += "E";
  EXPECT_EQ(demangle(symbol, Demangle::Simple), symbol);
  EXPECT_EQ(demangle(symbol, Demangle::Full), symbol);
}

TEST(HostileName, EveryPrefixAndEveryChangedByteIsAccepted) {
  for (const std::string_view whole :
       {"_ZZN2ns3fooIXadL_Z3barvEEJiDpT_EEEvPFvvERA3_iM1AKFivEENKUlTyT_E0_clB3tagIiEEDav.part.0",
        "_RNCINvXs0_NtNtCs89T1_3std4sync4onceINtB8_4OncelKj8_L_ENtB6_1T9call_onceNCNvC4curl4init0DNtB8_"
        "1Dp1OTlmEEL_"
        "E0B12_.llvm.1",
        "_ZN60_$LT$alloc..string..String$u20$as$u20$core..fmt..Display$GT$3fmt17h0123456789abcdefE"}) {
    for (std::size_t size = 0; size <= whole.size(); ++size) {
      for (const auto mode : {Demangle::Simple, Demangle::Full}) demangle(whole.substr(0, size), mode);
    }
    for (std::size_t at = 0; at < whole.size(); ++at) {
      for (const char c : std::string_view("_0SETIXLNZ$.\xff")) {
        std::string changed(whole);
        changed[at] = c;
        for (const auto mode : {Demangle::Simple, Demangle::Full})
          EXPECT_FALSE(demangle(changed, mode).empty()) << changed;
      }
    }
  }
}

TEST(DName, HasItsParametersIfTheyAreShown) {
  constexpr std::string_view kPut = "_D3app__T3BoxTiZQh3putMFiZv";
  EXPECT_EQ(full_d_name(kPut, Parameters::Shown), "app.Box!(int).Box.put(int)");
  EXPECT_EQ(full_d_name(kPut, Parameters::Hidden), "app.Box!(int).Box.put");
  EXPECT_EQ(full_d_name("_D3app4workFiAyaZi", Parameters::Hidden), "app.work");
  EXPECT_EQ(full_d_name("_Dmain", Parameters::Hidden), "D main");
}

TEST(DName, IsNothingForOtherSymbols) {
  for (const std::string_view symbol : {"_D", "_DYNAMIC", "_D3ap", "work", "_Z4workv"})
    EXPECT_EQ(full_d_name(symbol, Parameters::Shown), std::nullopt) << symbol;
}

// "Qc" refers to the type that starts two letters before it.
TEST(DName, IsNothingWithVeryManyReferencesToTypes) {
  std::string symbol = "_D1a1bFAyaQd";
  for (int i = 1; i < 20; ++i) symbol += "Qc";
  EXPECT_NE(full_d_name(symbol + "Zv", Parameters::Shown), std::nullopt);
  EXPECT_EQ(full_d_name(symbol + "QcZv", Parameters::Shown), std::nullopt);
}

}  // namespace
}  // namespace convert
