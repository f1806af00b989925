// SPDX-License-Identifier: Apache-2.0
#include "build/cluster_dims.h"

#include <gtest/gtest.h>

#include "ptx/entries.h"

namespace warpwright::build {
namespace {

constexpr std::string_view kLlvm =
    "@.str = private unnamed_addr constant [16 x i8] c\"ww_cluster_dims\\00\", section \"x\"\n"
    "@.str1 = private unnamed_addr constant [5 x i8] c\"a.cu\\00\", section \"x\"\n"
    "@.str2 = private unnamed_addr constant [5 x i8] c\"else\\00\", section \"x\"\n"
    "@.args = private unnamed_addr constant { i32 } { i32 4 }, section \"x\"\n"
    "@.args2 = private unnamed_addr constant { i32, i32, i32 } { i32 8, i32 2, i32 1 }, section "
    "\"x\"\n"
    "@llvm.global.annotations = appending global [3 x { ptr, ptr, ptr, i32, ptr }] [{ ptr, ptr, "
    "ptr, i32, ptr } { ptr @one, ptr @.str, ptr @.str1, i32 5, ptr @.args }, { ptr, ptr, ptr, i32, "
    "ptr } { ptr @_Z3twoILb1EEvPi, ptr @.str, ptr @.str1, i32 4, ptr @.args2 }, { ptr, ptr, ptr, "
    "i32, ptr } { ptr @three, ptr @.str2, ptr @.str1, i32 4, ptr @.args2 }], section \"x\"\n";

TEST(ClusterDims, NotesBecomeNumbersByKernel) {
  const auto dims = find_cluster_dims(kLlvm);
  ASSERT_EQ(dims.size(), 2u);
  EXPECT_EQ(dims.at("one"), "4, 1, 1");
  EXPECT_EQ(dims.at("_Z3twoILb1EEvPi"), "8, 2, 1");
}

TEST(ClusterDims, DirectivesStandBeforeTheBodyOfTheirKernelAlone) {
  const std::string ptx =
      ".visible .entry one(\n\t.param .u64 one_param_0\n)\n.maxntid 128, 1, 1\n{\n\tret;\n}\n"
      ".visible .entry onemore()\n{\n\tret;\n}\n";
  EXPECT_EQ(with_cluster_dims(ptx, {{"one", "4, 1, 1"}}),
            ".visible .entry one(\n\t.param .u64 one_param_0\n)\n.maxntid 128, 1, 1\n"
            ".explicitcluster\n.reqnctapercluster 4, 1, 1\n{\n\tret;\n}\n"
            ".visible .entry onemore()\n{\n\tret;\n}\n");
}

// clang declares a kernel with a note before it defines any.
TEST(ClusterDims, ADeclaredKernelGetsItsDirectivesWhereItIsDefined) {
  const std::string ptx =
      ".address_size 64\n.visible .entry one\n(\n\t.param .u64 one_param_0\n)\n;\n"
      ".visible .entry other()\n{\n\tret;\n}\n"
      ".visible .entry one(\n\t.param .u64 one_param_0\n)\n{\n\tret;\n}\n";
  const std::string made = with_cluster_dims(ptx, {{"one", "4, 1, 1"}});
  EXPECT_EQ(made,
            ".address_size 64\n\n"
            ".visible .entry other()\n{\n\tret;\n}\n"
            ".visible .entry one(\n\t.param .u64 one_param_0\n)\n"
            ".explicitcluster\n.reqnctapercluster 4, 1, 1\n{\n\tret;\n}\n");
  // Readers see a declared kernel once, too.
  const auto entries = ptx::entries_of(ptx);
  ASSERT_TRUE(entries.ok());
  EXPECT_EQ(entries->size(), 2U);
}

TEST(ClusterDims, TextsWithoutNotesStayAsTheyAre) {
  EXPECT_TRUE(find_cluster_dims("").empty());
  EXPECT_TRUE(find_cluster_dims("@llvm.global.annotations = ptr @a, ptr @").empty());
  EXPECT_EQ(with_cluster_dims(".entry one() { ret; }", {}), ".entry one() { ret; }");
}

}  // namespace
}  // namespace warpwright::build
