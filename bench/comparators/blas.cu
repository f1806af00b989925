// SPDX-License-Identifier: Apache-2.0
// Tasks that cuBLAS and cuSOLVER do: products, transposition, least squares, attention's matrix part.
#include <cublas_v2.h>
#include <cusolverDn.h>

#include <cmath>
#include <memory>

#include "harness.h"

namespace comparators {

namespace {

constexpr std::size_t kWorkspaceBytes = std::size_t{64} << 20;

bool capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  return cudaStreamIsCapturing(stream, &status) != cudaSuccess ||
         status != cudaStreamCaptureStatusNone;
}

/// While a graph is captured, a refusal only means that there will be none.
template <class Status>
void check(Status status, cudaStream_t stream, const char* what) {
  if (static_cast<int>(status) != 0 && !capturing(stream)) {
    give_up(std::string(what) + " failed with status " + std::to_string(static_cast<int>(status)));
  }
}

/// One handle per task and size, with memory of its own so that calls can be captured.
class Blas {
 public:
  explicit Blas(Arena& arena) : workspace_(arena.bytes(kWorkspaceBytes)) {
    check(cublasCreate(&handle_), nullptr, "cublasCreate");
    check(cublasSetMathMode(handle_, CUBLAS_PEDANTIC_MATH), nullptr, "cublasSetMathMode");
  }
  Blas(const Blas&) = delete;
  Blas& operator=(const Blas&) = delete;
  ~Blas() { cublasDestroy(handle_); }
  cublasHandle_t on(cudaStream_t stream) {
    check(cublasSetStream(handle_, stream), stream, "cublasSetStream");
    check(cublasSetWorkspace(handle_, workspace_, kWorkspaceBytes), stream, "cublasSetWorkspace");
    return handle_;
  }

 private:
  cublasHandle_t handle_ = nullptr;
  void* workspace_;
};

const float kOne = 1, kZero = 0;

/// Row-major C = A B is column-major C' = B' A'.
void product(Blas& blas, cudaStream_t s, cublasComputeType_t type, int m, int n, int k,
             const float* a, const float* b, float* c) {
  check(cublasGemmEx(blas.on(s), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k, &kOne, b, CUDA_R_32F, n, a,
                     CUDA_R_32F, k, &kZero, c, CUDA_R_32F, n, type, CUBLAS_GEMM_DEFAULT),
        s, "cublasGemmEx");
}

/// Of some entries all over C.
double product_error(int m, int n, int k, const float* a, const float* b, const float* c) {
  const auto ha = download(a, std::size_t(m) * k), hb = download(b, std::size_t(k) * n),
             hc = download(c, std::size_t(m) * n);
  std::vector<double> got, expected;
  for (int i = 0; i < 64; ++i) {
    const std::size_t row = std::size_t(i) * 2654435761u % m, col = std::size_t(i) * 40503u % n;
    double sum = 0;
    for (int x = 0; x < k; ++x) sum += double(ha[row * k + x]) * hb[std::size_t(x) * n + col];
    got.push_back(hc[row * n + col]);
    expected.push_back(sum);
  }
  return relative_error(got, expected);
}

std::vector<Op> matmul(const Values& v, Arena& arena) {
  const int m = int(v.at("M")), n = int(v.at("N")), k = int(v.at("K"));
  float* a = arena.make<float>(std::size_t(m) * k);
  float* b = arena.make<float>(std::size_t(k) * n);
  float* c = arena.make<float>(std::size_t(m) * n);
  fill_normal(a, std::size_t(m) * k, 0, 1, 1);
  fill_normal(b, std::size_t(k) * n, 0, 1, 2);
  const auto blas = std::make_shared<Blas>(arena);
  const auto op = [=](const char* name, const char* apart, cublasComputeType_t type) {
    Op made;
    made.name = name;
    made.apart = apart;
    made.run = [=](cudaStream_t s) { product(*blas, s, type, m, n, k, a, b, c); };
    made.error = [=] { return product_error(m, n, k, a, b, c); };
    return made;
  };
  return {op("cublas.sgemm", "", CUBLAS_COMPUTE_32F_PEDANTIC),
          op("cublas.gemm_tf32", "tf32", CUBLAS_COMPUTE_32F_FAST_TF32)};
}

std::vector<Op> transpose(const Values& v, Arena& arena) {
  const int rows = int(v.at("rows")), cols = int(v.at("cols"));
  const std::size_t n = std::size_t(rows) * cols;
  float* in = arena.make<float>(n);
  float* out = arena.make<float>(n);
  fill_normal(in, n, 0, 1, 1);
  const auto blas = std::make_shared<Blas>(arena);
  Op op;
  op.name = "cublas.sgeam";
  op.note = "reals instead of random bits: geam multiplies by 1";
  op.run = [=](cudaStream_t s) {
    check(cublasSgeam(blas->on(s), CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &kOne, in, cols, &kZero,
                      out, rows, out, rows),
          s, "cublasSgeam");
  };
  op.error = [=] {
    const auto from = download(in, n), to = download(out, n);
    std::vector<double> got, expected;
    for (int r = 0; r < rows; ++r) {
      for (int c = 0; c < cols; ++c) {
        got.push_back(to[std::size_t(c) * rows + r]);
        expected.push_back(from[std::size_t(r) * cols + c]);
      }
    }
    return relative_error(got, expected);
  };
  return {op};
}

std::vector<Op> dot(const Values& v, Arena& arena) {
  const int n = int(v.at("N"));
  float* a = arena.make<float>(n);
  float* b = arena.make<float>(n);
  float* result = arena.make<float>(1);
  fill_uniform(a, n, 0.5, 1.5, 1);
  drift(a, n, 0.5, 1.5);
  fill_normal(b, n, 0.25, 1, 2);
  const auto blas = std::make_shared<Blas>(arena);
  Op op;
  op.name = "cublas.sdot";
  op.run = [=](cudaStream_t s) {
    cublasHandle_t handle = blas->on(s);
    check(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE), s, "cublasSetPointerMode");
    check(cublasSdot(handle, n, a, 1, b, 1, result), s, "cublasSdot");
  };
  op.error = [=] {
    const auto ha = download(a, n), hb = download(b, n);
    double sum = 0;
    for (int i = 0; i < n; ++i) sum += double(ha[i]) * hb[i];
    return relative_error({download(result, 1)[0]}, {sum});
  };
  return {op};
}

__global__ void softmax_rows(float* scores, int width) {
  __shared__ float shared[256];
  float* row = scores + std::size_t(blockIdx.x) * width;
  float largest = -INFINITY;
  for (int i = threadIdx.x; i < width; i += blockDim.x) largest = fmaxf(largest, row[i]);
  shared[threadIdx.x] = largest;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
  }
  __syncthreads();
  largest = shared[0];
  __syncthreads();
  float sum = 0;
  for (int i = threadIdx.x; i < width; i += blockDim.x) sum += expf(row[i] - largest);
  shared[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
  }
  __syncthreads();
  sum = shared[0];
  for (int i = threadIdx.x; i < width; i += blockDim.x) row[i] = expf(row[i] - largest) / sum;
}

/// Host attention of a few rows.
double attention_error(int n, int d, int h, const float* q, const float* k, const float* v,
                       const float* out) {
  const std::size_t all = std::size_t(n) * d;
  const auto hq = download(q, all), hk = download(k, all), hv = download(v, all), ho = download(out, all);
  const int width = d / h;
  std::vector<double> got, expected;
  for (int row = 0; row < n; row += 7) {
    for (int head = 0; head < h; ++head) {
      std::vector<double> weight(n);
      double sum = 0;
      for (int j = 0; j < n; ++j) {
        double score = 0;
        for (int x = 0; x < width; ++x) {
          score += double(hq[row * d + head * width + x]) * hk[j * d + head * width + x];
        }
        sum += weight[j] = std::exp(score / std::sqrt(double(width)));
      }
      for (int x = 0; x < width; ++x) {
        double value = 0;
        for (int j = 0; j < n; ++j) value += weight[j] / sum * hv[j * d + head * width + x];
        got.push_back(ho[row * d + head * width + x]);
        expected.push_back(value);
      }
    }
  }
  return relative_error(got, expected);
}

std::vector<Op> mha(const Values& values, Arena& arena) {
  const int n = int(values.at("N")), d = int(values.at("d_model")), h = int(values.at("h"));
  const int width = d / h;
  const std::size_t all = std::size_t(n) * d;
  float* q = arena.make<float>(all);
  float* k = arena.make<float>(all);
  float* v = arena.make<float>(all);
  float* out = arena.make<float>(all);
  float* scores = arena.make<float>(std::size_t(h) * n * n);
  fill_normal(q, all, 0, 1, 1);
  fill_normal(k, all, 0, 1, 2);
  fill_normal(v, all, 0, 1, 3);
  const auto blas = std::make_shared<Blas>(arena);
  const auto scale = std::make_shared<float>(1 / std::sqrt(float(width)));
  const long long square = static_cast<long long>(n) * n;
  Op op;
  op.name = "cublas.batched";
  op.note = "two strided-batched SGEMMs with a plain softmax kernel of ours between them";
  op.run = [=](cudaStream_t s) {
    check(cublasSgemmStridedBatched(blas->on(s), CUBLAS_OP_T, CUBLAS_OP_N, n, n, width, scale.get(),
                                    k, d, width, q, d, width, &kZero, scores, n, square, h),
          s, "cublasSgemmStridedBatched");
    softmax_rows<<<static_cast<unsigned>(n * h), 256, 0, s>>>(scores, n);
    check(cublasSgemmStridedBatched(blas->on(s), CUBLAS_OP_N, CUBLAS_OP_N, width, n, n, &kOne, v, d,
                                    width, scores, n, square, &kZero, out, d, width, h),
          s, "cublasSgemmStridedBatched");
  };
  op.error = [=] { return attention_error(n, d, h, q, k, v, out); };
  return {op};
}

/// The normal equations in double, solved by elimination.
double ols_error(std::size_t n, int p, const float* x, const float* y, const float* beta) {
  const auto hx = download(x, n * p), hy = download(y, n), hb = download(beta, std::size_t(p));
  const int width = p + 1;
  std::vector<double> m(std::size_t(p) * width, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    for (int a = 0; a < p; ++a) {
      for (int b = 0; b < p; ++b) m[a * width + b] += double(hx[i * p + a]) * hx[i * p + b];
      m[a * width + p] += double(hx[i * p + a]) * hy[i];
    }
  }
  for (int a = 0; a < p; ++a) {
    for (int row = 0; row < p; ++row) {
      if (row == a) continue;
      const double factor = m[row * width + a] / m[a * width + a];
      for (int b = a; b < width; ++b) m[row * width + b] -= factor * m[a * width + b];
    }
  }
  std::vector<double> got, expected;
  for (int a = 0; a < p; ++a) {
    got.push_back(hb[a]);
    expected.push_back(m[a * width + p] / m[a * width + a]);
  }
  return relative_error(got, expected);
}

class Solver {
 public:
  Solver(int p, float* gram, Arena& arena) : flag_(arena.make<int>(1)) {
    check(cusolverDnCreate(&handle_), nullptr, "cusolverDnCreate");
    check(cusolverDnSpotrf_bufferSize(handle_, CUBLAS_FILL_MODE_LOWER, p, gram, p, &count_), nullptr,
          "cusolverDnSpotrf_bufferSize");
    work_ = arena.make<float>(std::size_t(count_));
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;
  ~Solver() { cusolverDnDestroy(handle_); }
  void solve(cudaStream_t s, int p, float* gram, float* right) {
    check(cusolverDnSetStream(handle_, s), s, "cusolverDnSetStream");
    check(cusolverDnSpotrf(handle_, CUBLAS_FILL_MODE_LOWER, p, gram, p, work_, count_, flag_), s,
          "cusolverDnSpotrf");
    check(cusolverDnSpotrs(handle_, CUBLAS_FILL_MODE_LOWER, p, 1, gram, p, right, p, flag_), s,
          "cusolverDnSpotrs");
  }

 private:
  cusolverDnHandle_t handle_ = nullptr;
  int count_ = 0;
  float* work_ = nullptr;
  int* flag_;
};

std::vector<Op> ols(const Values& v, Arena& arena) {
  const int n = int(v.at("n_samples")), p = int(v.at("n_features"));
  float* x = arena.make<float>(std::size_t(n) * p);
  float* y = arena.make<float>(n);
  float* beta = arena.make<float>(p);
  float* gram = arena.make<float>(std::size_t(p) * p);
  fill_normal(x, std::size_t(n) * p, 0, 1, 1);
  fill_linear(y, x, n, p, 2);
  const auto blas = std::make_shared<Blas>(arena);
  const auto solver = std::make_shared<Solver>(p, gram, arena);
  Op op;
  op.name = "cublas.syrk+cusolver.potrf";
  op.capturable = false;
  op.run = [=](cudaStream_t s) {
    check(cublasSsyrk(blas->on(s), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, p, n, &kOne, x, p, &kZero,
                      gram, p),
          s, "cublasSsyrk");
    check(cublasSgemv(blas->on(s), CUBLAS_OP_N, p, n, &kOne, x, p, y, 1, &kZero, beta, 1), s,
          "cublasSgemv");
    solver->solve(s, p, gram, beta);
  };
  op.error = [=] { return ols_error(std::size_t(n), p, x, y, beta); };
  return {op};
}

}  // namespace

std::vector<TaskRow> blas_rows() {
  return {{"matmul", matmul}, {"transpose", transpose}, {"dot", dot}, {"mha", mha}, {"ols", ols}};
}

}  // namespace comparators
