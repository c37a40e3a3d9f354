#include "cornet/io/scene/expression.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace cornet {
namespace {

double valueOf(std::string_view text, const Variables& variables = {}) {
  return Expression(text).evaluate(variables);
}

std::string faultOf(std::string_view text, const Variables& variables = {}) {
  try {
    valueOf(text, variables);
  } catch (const ExpressionError& error) {
    return std::to_string(error.at()) + ": " + error.what() + " / " + error.help();
  }
  return "none";
}

TEST(Expression, FollowsTheRulesOfArithmetic) {
  EXPECT_EQ(valueOf("2 + 3*4"), 14.0);
  EXPECT_EQ(valueOf("(2 + 3)*4"), 20.0);
  EXPECT_EQ(valueOf("7 - 2 - 1"), 4.0);
  EXPECT_EQ(valueOf("8 / 4 / 2"), 1.0);
  EXPECT_EQ(valueOf("-2^2"), -4.0);
  EXPECT_EQ(valueOf("2^3^2"), 512.0);
  EXPECT_EQ(valueOf("2^-1"), 0.5);
  EXPECT_EQ(valueOf("--3"), 3.0);
  EXPECT_EQ(valueOf("1e-3 * .5"), 0.5e-3);
}

TEST(Expression, KnowsNamesAndFunctions) {
  const Variables variables = {{"mu", 0.5}, {"v_0", 3.0}};
  EXPECT_DOUBLE_EQ(valueOf("v_0^2/(2*$mu*9.81)", variables), 9.0 / 9.81);
  EXPECT_EQ(valueOf("pi"), std::numbers::pi);
  EXPECT_DOUBLE_EQ(valueOf("sin(90*deg)"), 1.0);
  EXPECT_EQ(valueOf("max(1, min(5, 3))"), 3.0);
  EXPECT_EQ(valueOf("sqrt(abs(-16))"), 4.0);
  EXPECT_DOUBLE_EQ(valueOf("atan(1)+asin(1)+acos(1)+log(exp(1))+tan(0)+cos(0)"),
                   std::numbers::pi * 0.75 + 2.0);
  EXPECT_TRUE(Expression("1 + t").uses("t"));
  EXPECT_FALSE(Expression("1 + tt").uses("t"));
}

TEST(Expression, SaysWhereAndWhatIsWrong) {
  EXPECT_EQ(faultOf(""), "0: the formula ends too early / expected a number, a name or \"(\"");
  EXPECT_EQ(faultOf("2 +"), "3: the formula ends too early / expected a number, a name or \"(\"");
  EXPECT_EQ(faultOf("2 % 3"), "2: '%' is not expected here / expected an operator or the end");
  EXPECT_EQ(faultOf("* 3"), "0: '*' is not expected here / expected a number, a name or \"(\"");
  EXPECT_EQ(faultOf("(2"), "2: a parenthesis is not closed / add \")\"");
  EXPECT_EQ(faultOf("sinus(2)"), "0: there is no function \"sinus\" / known: sqrt, sin, cos, tan, asin, acos, "
                                 "atan, exp, log, abs, min, max");
  EXPECT_EQ(faultOf("min(2)"), "5: min takes 2 arguments / add \",\"");
  EXPECT_EQ(faultOf("2*muu", {{"mu", 1.0}}), "2: there is no parameter \"muu\" / did you mean \"mu\"?");
  EXPECT_EQ(faultOf("2*x"), "2: there is no parameter \"x\" / add a [[parameter]] with name = \"x\"");
  EXPECT_EQ(faultOf(std::string(1000, '(')), "32: the formula is nested too deeply / use parameters for its parts");
  std::string deep(1000, '-');
  deep += '1';
  EXPECT_EQ(faultOf(deep).substr(0, 40), "63: the formula is nested too deeply / u");
}

}  // namespace
}  // namespace cornet
