// zoo: task=copy rules=strict device=simt expect=ok class=honest
// Bulk copies of Hopper: one thread asks for 4 KB to shared memory, an mbarrier counts the bytes
// in, and a bulk group carries them out again.
#include <cuda_runtime.h>

constexpr int kThreads = 32, kBytes = 4096;

__global__ void __launch_bounds__(kThreads) copy(const char* a, char* b, long long bytes) {
  __shared__ __align__(128) char tile[kBytes];
  __shared__ __align__(8) unsigned long long barrier;
  const unsigned at = (unsigned)__cvta_generic_to_shared(tile);
  const unsigned bar = (unsigned)__cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(bar) : "memory");
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  unsigned parity = 0;
  for (long long from = (long long)blockIdx.x * kBytes; from < bytes;
       from += (long long)gridDim.x * kBytes) {
    const long long left = bytes - from;
    const unsigned size = left < kBytes ? (unsigned)(left / 16 * 16) : kBytes;
    if (threadIdx.x == 0 && size > 0) {
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(bar), "r"(size)
                   : "memory");
      asm volatile(
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
              "r"(at),
          "l"(a + from), "r"(size), "r"(bar)
          : "memory");
    }
    if (size > 0) {
      unsigned done = 0;
      while (done == 0)
        asm volatile(
            "{\n\t.reg .pred p;\n\tmbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
            "selp.u32 %0, 1, 0, p;\n\t}"
            : "=r"(done)
            : "r"(bar), "r"(parity)
            : "memory");
      parity ^= 1;
      if (threadIdx.x == 0) {
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(b + from),
                     "r"(at), "r"(size)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
      }
      __syncthreads();
    }
    // What is left of the last tile is less than 16 bytes.
    if (left < kBytes) {
      for (long long i = from + size + threadIdx.x; i < bytes; i += kThreads) b[i] = a[i];
    }
  }
}

extern "C" void solve(const float* A, float* B, int N) {
  const long long bytes = (long long)N * N * 4;
  const long long tiles = (bytes + kBytes - 1) / kBytes;
  copy<<<(unsigned)(tiles > 2112 ? 2112 : tiles), kThreads>>>((const char*)A, (char*)B, bytes);
}
