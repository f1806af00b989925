// SPDX-License-Identifier: Apache-2.0
// toy_lm with the tasks' own kernels, as one source (-I tasks): what the SIMT machine runs.
#ifdef BFLOAT
#define solve ems_attention
#include "ems_verify_attention_bf16/baseline.cu"
#undef solve
#define solve ems_accept
#include "ems_accept_bf16/baseline.cu"
#undef solve
#else
#define solve ems_attention
#include "ems_verify_attention/baseline.cu"
#undef solve
#define solve ems_accept
#include "ems_accept/baseline.cu"
#undef solve
#endif
#include "toy_lm.cu"
