// SPDX-License-Identifier: Apache-2.0
// spans with the tasks' own kernels, as one source (-I tasks): what the SIMT machine runs, with --check.
#define solve span_attention
#include "span_attention/baseline.cu"
#undef solve
#define attend attend_to_all
#define solve decode_attention
#include "decode_attention/baseline.cu"
#undef solve
#undef attend
#include "spans.cu"

void open_arena() {}
void close_arena() {}
