// SPDX-License-Identifier: Apache-2.0
// Which bytes does a tensor store of Hopper (cp.async.bulk.tensor, and its sum) write when the tile
// reaches over the edge of the tensor?
//
//   nvcc -arch=sm_90a -std=c++17 -o tma_store_probe bench/tma_store_probe.cu && ./tma_store_probe
//
// A stand-alone program: it needs a GPU with sm_90, and finds the driver's function through the
// runtime. A buffer full of sentinels holds the tensor; one tile is stored, and every byte that
// changed outside of the tensor, or stayed inside of the tile's part of it, is counted by row. One
// line for each case, in columns with tabs; the last line says whether all of them follow the rule
// "a row is written up to the next multiple of 16 bytes behind the tensor's edge, as far as the
// tile reaches, and nowhere else". A store that traps takes its process with it: the program starts
// itself again behind that case.
#include <cuda.h>
#include <cuda_runtime.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int kSharedBytes = 32768, kThreads = 128;
constexpr unsigned char kSentinel = 0x5a, kStored = 0x5b;  // their sum as f32 differs in each byte
constexpr int kBefore = 1024;  // bytes of sentinels in front of the tensor

struct Case {
  const char* type;
  CUtensorMapDataType id;
  int element;             // bytes
  int rank;                // 1 or 2
  int width, rows, pitch;  // of the tensor: elements, rows, bytes from row to row
  int box, box_rows;       // of the tile
  int at, at_row;          // where it begins
  bool sum;                // cp.reduce, .add
};

using Encode = CUresult (*)(CUtensorMap*, CUtensorMapDataType, cuuint32_t, void*, const cuuint64_t*,
                            const cuuint64_t*, const cuuint32_t*, const cuuint32_t*,
                            CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
                            CUtensorMapFloatOOBfill);

void must(cudaError_t error, const char* what) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "tma_store_probe: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

__global__ void store_tile(const __grid_constant__ CUtensorMap to, int rank, int at, int at_row,
                           bool sum) {
  extern __shared__ __align__(128) unsigned char tile[];
  for (int i = threadIdx.x; i < kSharedBytes; i += kThreads) tile[i] = kStored;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x != 0) return;
  const unsigned from = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  if (rank == 1 && !sum)
    asm volatile(
        "cp.async.bulk.tensor.1d.global.shared::cta.tile.bulk_group [%0, {%1}], [%2];" ::"l"(&to),
        "r"(at), "r"(from)
        : "memory");
  if (rank == 2 && !sum)
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(
            &to),
        "r"(at), "r"(at_row), "r"(from)
        : "memory");
  if (rank == 1 && sum)
    asm volatile(
        "cp.reduce.async.bulk.tensor.1d.global.shared::cta.add.tile.bulk_group [%0, {%1}], [%2];" ::
            "l"(&to),
        "r"(at), "r"(from)
        : "memory");
  if (rank == 2 && sum)
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %2}], "
        "[%3];" ::"l"(&to),
        "r"(at), "r"(at_row), "r"(from)
        : "memory");
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

Encode find_encode() {
  void* found = nullptr;
  cudaDriverEntryPointQueryResult status;
#if CUDART_VERSION >= 12050
  must(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &found, 12000, cudaEnableDefault,
                                        &status),
       "cuTensorMapEncodeTiled");
#else
  must(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &found, cudaEnableDefault, &status),
       "cuTensorMapEncodeTiled");
#endif
  if (found == nullptr) std::exit(1);
  return reinterpret_cast<Encode>(found);
}

// Whether the rule says that byte `b` (from the start of a row) is written.
bool by_rule(const Case& c, int row, int b) {
  if (row < c.at_row || row >= c.at_row + c.box_rows || row < 0 || row >= c.rows) return false;
  const int begin = c.at < 0 ? 0 : c.at * c.element, end = (c.at + c.box) * c.element;
  const int edge = (c.width * c.element + 15) / 16 * 16;
  return b >= begin && b < (end < edge ? end : edge) && begin < c.width * c.element;
}

enum class Outcome { by_rule, against, trapped };

// Runs one case and prints its line. After a trap nothing works any more in this process.
Outcome probe(Encode encode, const Case& c) {
  const int size = kBefore + c.pitch * (c.rows + 1) + 4096;
  unsigned char* memory = nullptr;
  must(cudaMalloc(&memory, size), "cudaMalloc");
  must(cudaMemset(memory, kSentinel, size), "cudaMemset");
  CUtensorMap map;
  const cuuint64_t sizes[2] = {static_cast<cuuint64_t>(c.width), static_cast<cuuint64_t>(c.rows)};
  const cuuint64_t strides[1] = {static_cast<cuuint64_t>(c.pitch)};
  const cuuint32_t box[2] = {static_cast<cuuint32_t>(c.box), static_cast<cuuint32_t>(c.box_rows)};
  const cuuint32_t steps[2] = {1, 1};
  const CUresult made =
      encode(&map, c.id, static_cast<cuuint32_t>(c.rank), memory + kBefore, sizes, strides, box,
             steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  std::printf("%s\t%s\t%d\t%dx%d\tpitch %d\tbox %dx%d\tat %d,%d\t", c.sum ? "sum" : "store", c.type,
              c.rank, c.width, c.rows, c.pitch, c.box, c.box_rows, c.at, c.at_row);
  if (made != CUDA_SUCCESS) {
    std::printf("no tensor map: error %d\n", static_cast<int>(made));
    must(cudaFree(memory), "cudaFree");
    return Outcome::by_rule;
  }
  store_tile<<<1, kThreads, kSharedBytes>>>(map, c.rank, c.at, c.at_row, c.sum);
  const cudaError_t ran = cudaDeviceSynchronize();
  if (ran != cudaSuccess) {
    std::printf("the kernel failed: %s\n", cudaGetErrorString(ran));
    return Outcome::trapped;
  }
  std::vector<unsigned char> now(size);
  must(cudaMemcpy(now.data(), memory, size, cudaMemcpyDeviceToHost), "cudaMemcpy");
  must(cudaFree(memory), "cudaFree");
  int inside = 0, behind = 0, elsewhere = 0, against = 0, last = -1;
  for (int i = 0; i < size; ++i) {
    const bool written = now[i] != kSentinel;
    const int from = i - kBefore;
    const int row = from < 0      ? -1
                    : c.rank == 1 ? 0
                                  : from / c.pitch,
              b = from < 0 ? -1 : from - row * c.pitch;
    if (written && b >= 0 && row < c.rows && b < c.width * c.element)
      ++inside;
    else if (written && b >= 0 && row < c.rows && b < c.width * c.element + 16)
      ++behind, last = b;
    else if (written)
      ++elsewhere, last = b;
    if (written != (from >= 0 && by_rule(c, row, b))) ++against;
  }
  std::printf(
      "inside %d\tbehind the edge %d\telsewhere %d\tlast byte of a row %d\tagainst the rule %d\n",
      inside, behind, elsewhere, last, against);
  return against == 0 ? Outcome::by_rule : Outcome::against;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  const auto f32 = CU_TENSOR_MAP_DATA_TYPE_FLOAT32;
  for (int n = 1; n <= 40; ++n) cases.push_back({"f32", f32, 4, 1, n, 1, 4096, 64, 1, 0, 0, false});
  for (int n = 1; n <= 40; ++n) cases.push_back({"f32", f32, 4, 2, n, 3, 256, 64, 5, 0, 0, false});
  for (int n = 1; n <= 20; ++n)
    cases.push_back({"u8", CU_TENSOR_MAP_DATA_TYPE_UINT8, 1, 1, n, 1, 4096, 64, 1, 0, 0, false});
  for (int n = 1; n <= 20; ++n)
    cases.push_back({"f16", CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, 2, n, 3, 128, 64, 4, 0, 0, false});
  // The tile begins in front of the tensor, in the middle of 16 bytes, or ends within the tensor.
  for (int at = -7; at <= 7; ++at)
    cases.push_back({"f32", f32, 4, 1, 30, 1, 4096, 8, 1, at, 0, false});
  for (int at = 20; at <= 32; ++at)
    cases.push_back({"f32", f32, 4, 1, 30, 1, 4096, 8, 1, at, 0, false});
  for (int at = -2; at <= 4; ++at)
    cases.push_back({"f32", f32, 4, 2, 13, 4, 64, 8, 2, 7, at, false});
  // In front of the tensor by whole and by broken 16 bytes, by rows, and wholly outside.
  for (int at : {-4, -8, -12, -1, -64})
    cases.push_back({"f32", f32, 4, 2, 30, 4, 256, 32, 2, at, 1, false});
  for (int at : {-1, -2, -3, 4, 5})
    cases.push_back({"f32", f32, 4, 2, 30, 4, 256, 32, 2, 0, at, false});
  for (int at : {-4, -8}) cases.push_back({"f32", f32, 4, 1, 30, 1, 4096, 32, 1, at, 0, false});
  for (int at : {30, 32, 64}) cases.push_back({"f32", f32, 4, 1, 30, 1, 4096, 32, 1, at, 0, false});
  // A tile that is smaller than what the last 16 bytes have left.
  for (int at = 25; at <= 29; ++at)
    cases.push_back({"f32", f32, 4, 1, 29, 1, 4096, 4, 1, at, 0, false});
  for (int n = 1; n <= 12; ++n) cases.push_back({"f32", f32, 4, 1, n, 1, 4096, 64, 1, 0, 0, true});
  for (int n = 1; n <= 12; ++n) cases.push_back({"f32", f32, 4, 2, n, 3, 256, 64, 5, 0, 0, true});
  return cases;
}

// The same program behind a case that trapped.
void start_again(const char* program, std::size_t next, int against, int trapped) {
  std::fflush(stdout);
  const std::string words[] = {std::to_string(next), std::to_string(against),
                               std::to_string(trapped)};
  execl("/proc/self/exe", program, words[0].c_str(), words[1].c_str(), words[2].c_str(), nullptr);
  std::perror("tma_store_probe: cannot start again");
  std::exit(1);
}

}  // namespace

int main(int count, char** words) {
  const auto given = [&](int i) { return count > i ? std::atoi(words[i]) : 0; };
  const Encode encode = find_encode();
  const std::vector<Case> cases = all_cases();
  int against = given(2), trapped = given(3);
  for (std::size_t i = given(1); i < cases.size(); ++i) {
    const Outcome outcome = probe(encode, cases[i]);
    if (outcome == Outcome::against) ++against;
    if (outcome == Outcome::trapped) start_again(words[0], i + 1, against, trapped + 1);
  }
  std::printf("%d of %zu cases follow the rule, %d trapped\n",
              static_cast<int>(cases.size()) - against - trapped, cases.size(), trapped);
  return 0;
}
