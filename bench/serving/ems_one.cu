// SPDX-License-Identifier: Apache-2.0
// ems with the tasks' own kernels, as one source (-I tasks): what the SIMT machine runs, with --check.
#define solve ems_append
#include "ems_append_kv/baseline.cu"
#undef solve
#define append append_before_attention
#define solve ems_attention
#include "ems_verify_attention/baseline.cu"
#undef solve
#undef append
#define solve ems_accept
#include "ems_accept/baseline.cu"
#undef solve
#include "ems.cu"

void open_arena() {}
void close_arena() {}
