// SPDX-License-Identifier: Apache-2.0
// Library calls and approximate instructions against the host, in units of the last place.
#include <gtest/gtest.h>

#include <cmath>

#include "simt/launcher.h"

namespace warpwright::simt {
namespace {

std::string call_kernel(const std::string& body) {
  return ".version 8.3\n.target sm_80\n.address_size 64\n"
         ".extern .func (.param .b32 r) FUNCTION(.param .b32 a);\n"
         ".visible .entry k(.param .u64 p)\n{\n.reg .b32 %i;\n.reg .b64 %d<4>;\n.reg .f32 %f<4>;\n"
         "mov.u32 %i, %tid.x;\nld.param.u64 %d0, [p];\nmul.wide.u32 %d1, %i, 4;\nadd.u64 %d2, %d0, "
         "%d1;\n"
         "ld.global.f32 %f1, [%d2];\n" +
         body + "\nst.global.f32 [%d2], %f2;\nret;\n}\n";
}

std::vector<float> run_math(const std::string& ptx, const std::vector<float>& in) {
  Launcher l(ptx);
  const Address a = l.put(in, "x");
  const LaunchReport r = l.run("k", {1}, {static_cast<std::uint32_t>(in.size())}, Params().add(a));
  EXPECT_TRUE(r.clean());
  return l.get<float>(a, in.size());
}

std::vector<float> call(const std::string& name, const std::vector<float>& in) {
  std::string ptx = call_kernel(
      "{\n.param .b32 q;\n.param .b32 s;\nst.param.f32 [q], %f1;\ncall.uni (s), FUNCTION, "
      "(q);\nld.param.f32 %f2, [s];\n}");
  for (std::size_t at; (at = ptx.find("FUNCTION")) != std::string::npos;) ptx.replace(at, 8, name);
  return run_math(ptx, in);
}

double ulps(float got, double want) {
  if (std::isnan(want)) return std::isnan(got) ? 0 : 1e9;
  if (std::isinf(want) || std::fabs(want) > 3.4028235e38) return std::isinf(got) ? 0 : 1e9;
  const float near = static_cast<float>(want);
  const double unit =
      static_cast<double>(std::nextafter(std::fabs(near), INFINITY)) - std::fabs(near);
  return std::fabs(got - want) / unit;
}

struct Function {
  const char* name;
  double (*reference)(double);
  float low, high;
};

TEST(MathCalls, stay_within_one_unit) {
  const Function functions[] = {
      {"__nv_expf", std::exp, -90, 90},     {"__nv_logf", std::log, 1e-6f, 1e6f},
      {"__nv_sinf", std::sin, -1e4f, 1e4f}, {"__nv_cosf", std::cos, -1e4f, 1e4f},
      {"__nv_tanhf", std::tanh, -10, 10},   {"__nv_erff", std::erf, -4, 4},
      {"__nv_sqrtf", std::sqrt, 0, 1e9f},   {"__nv_log1pf", std::log1p, -0.9f, 5},
      {"__nv_expm1f", std::expm1, -5, 5},   {"__nv_atanf", std::atan, -50, 50},
      {"__nv_exp2f", std::exp2, -120, 120}, {"__nv_cbrtf", std::cbrt, -1e6f, 1e6f}};
  for (const Function& f : functions) {
    std::vector<float> in;
    for (int i = 0; i < 512; ++i)
      in.push_back(f.low + (f.high - f.low) * static_cast<float>(i) / 511);
    const std::vector<float> out = call(f.name, in);
    for (std::size_t i = 0; i < in.size(); ++i)
      ASSERT_LE(ulps(out[i], f.reference(in[i])), 1.0) << f.name << "(" << in[i] << ")";
  }
}

TEST(MathCalls, an_unknown_function_is_refused_by_name) {
  std::string ptx = call_kernel(
      "{\n.param .b32 q;\n.param .b32 s;\nst.param.f32 [q], %f1;\ncall.uni (s), FUNCTION, "
      "(q);\nld.param.f32 %f2, [s];\n}");
  const Result<Module> m = load(ptx);
  ASSERT_FALSE(m.ok());
  EXPECT_NE(m.error().message.find("not supported: call of 'FUNCTION'"), std::string::npos);
}

TEST(ApproximateInstructions, stay_within_what_ptx_promises) {
  std::vector<float> in;
  for (int i = 1; i <= 512; ++i) in.push_back(static_cast<float>(i) * 0.37f);
  const auto run = [&](const std::string& op) {
    return run_math(call_kernel(op + " %f2, %f1;"), in);
  };
  const auto reciprocal = run("rcp.approx.ftz.f32"), root = run("rsqrt.approx.f32"),
             logarithm = run("lg2.approx.f32");
  for (std::size_t i = 0; i < in.size(); ++i) {
    EXPECT_LE(ulps(reciprocal[i], 1.0 / in[i]), 1.0);
    EXPECT_LE(ulps(root[i], 1 / std::sqrt(static_cast<double>(in[i]))), 2.0);
    EXPECT_LE(ulps(logarithm[i], std::log2(static_cast<double>(in[i]))), 2.0);
  }
}

}  // namespace
}  // namespace warpwright::simt
