// zoo: task=relu rules=strict device=simt expect=ok class=honest
// Tensor maps of Hopper: tiles of 1024 numbers come and go by the asynchronous unit, which knows where
// the tensors end. It stores whole 16 bytes, though: the numbers behind the last four are stored by
// threads.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda_runtime.h>

constexpr int kThreads = 128, kTile = 256, kTiles = 4;

__global__ void __launch_bounds__(kThreads)
    relu(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to,
         float* output, int N) {
  __shared__ __align__(128) float tile[kTiles * kTile];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile);
  const unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier);
  const int first = blockIdx.x * kTiles * kTile;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar),
                 "r"((unsigned)sizeof tile)
                 : "memory");
    for (int k = 0; k < kTiles; ++k)
      asm volatile(
          "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
          " [%0], [%1, {%2}], [%3];" ::"r"(at + k * kTile * 4),
          "l"(&from), "r"(first + k * kTile), "r"(bar)
          : "memory");
  }
  __syncthreads();
  unsigned done = 0;
  while (done == 0)
    asm volatile(
        "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], 0;\n\t"
        "selp.u32 %0, 1, 0, p;\n\t}"
        : "=r"(done)
        : "r"(bar)
        : "memory");
  for (int i = threadIdx.x; i < kTiles * kTile; i += kThreads) tile[i] = fmaxf(tile[i], 0.0f);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  const int whole = N / 4 * 4;
  const int last = whole + threadIdx.x;
  if (last < N && last >= first && last < first + kTiles * kTile) output[last] = tile[last - first];
  if (threadIdx.x == 0) {
    for (int k = 0; k < kTiles && first + k * kTile < whole; ++k)
      asm volatile("cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::
                       "l"(&to),
                   "r"(first + k * kTile), "r"(at + k * kTile * 4)
                   : "memory");
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}

static CUtensorMap map_of(PFN_cuTensorMapEncodeTiled_v12000 encode, const float* data, int count) {
  CUtensorMap map;
  const cuuint64_t sizes[1] = {(cuuint64_t)count};
  const cuuint64_t strides[1] = {0};
  const cuuint32_t box[1] = {kTile}, steps[1] = {1};
  encode(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, (void*)data, sizes, strides, box, steps,
         CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
         CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  return map;
}

extern "C" void solve(const float* input, float* output, int N) {
  void* encode = nullptr;
  cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
  cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault,
                                   &found);
#else
  cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &encode, cudaEnableDefault, &found);
#endif
  const auto made = (PFN_cuTensorMapEncodeTiled_v12000)encode;
  const int blocks = (N + kTiles * kTile - 1) / (kTiles * kTile);
  // A tensor has at least one number; without four of them nothing is stored by its map.
  const int whole = N < 4 ? 4 : N / 4 * 4;
  relu<<<blocks, kThreads>>>(map_of(made, input, N), map_of(made, output, whole), output, N);
}
