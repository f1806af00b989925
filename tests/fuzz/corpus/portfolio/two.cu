#include <cuda_runtime.h>
#define TILE 32
__global__ void k(int n) {}
extern "C" void solve(int n) { k<<<1, TILE>>>(n); }
#include <cuda_fp16.h>
#if 1
#include "x.h"
#endif
extern "C" void solve(int n) {}
