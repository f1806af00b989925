// SPDX-License-Identifier: Apache-2.0
// The convolution by cuFFT, and by cuDNN where its header was found; cuDNN's activations.
#include <cufft.h>

#include <cmath>
#include <memory>

#if defined(COMPARATORS_WITH_CUDNN)
#include <cudnn.h>
#endif

#include "harness.h"

namespace comparators {

namespace {

struct Shape {
  int rows, cols, kernel_rows, kernel_cols;
  int out_rows() const { return rows - kernel_rows + 1; }
  int out_cols() const { return cols - kernel_cols + 1; }
};

struct Buffers {
  Shape shape;
  float *in, *kernel, *out;
};

Buffers make_buffers(const Values& v, Arena& arena) {
  const Shape s{int(v.at("input_rows")), int(v.at("input_cols")), int(v.at("kernel_rows")),
                int(v.at("kernel_cols"))};
  Buffers b{s, arena.make<float>(std::size_t(s.rows) * s.cols),
            arena.make<float>(std::size_t(s.kernel_rows) * s.kernel_cols),
            arena.make<float>(std::size_t(s.out_rows()) * s.out_cols())};
  fill_uniform(b.in, std::size_t(s.rows) * s.cols, -1, 1, 1);
  fill_uniform(b.kernel, std::size_t(s.kernel_rows) * s.kernel_cols, -1, 1, 2);
  return b;
}

double convolution_error(const Buffers& b) {
  const Shape& s = b.shape;
  const auto in = download(b.in, std::size_t(s.rows) * s.cols);
  const auto kernel = download(b.kernel, std::size_t(s.kernel_rows) * s.kernel_cols);
  const auto out = download(b.out, std::size_t(s.out_rows()) * s.out_cols());
  std::vector<double> got, expected;
  for (int r = 0; r < s.out_rows(); r += 5) {
    for (int c = 0; c < s.out_cols(); c += 3) {
      double sum = 0;
      for (int i = 0; i < s.kernel_rows; ++i) {
        for (int j = 0; j < s.kernel_cols; ++j) {
          sum += double(in[std::size_t(r + i) * s.cols + c + j]) * kernel[i * s.kernel_cols + j];
        }
      }
      got.push_back(out[std::size_t(r) * s.out_cols() + c]);
      expected.push_back(sum);
    }
  }
  return relative_error(got, expected);
}

__global__ void widen(const float* kernel, float* wide, Shape s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= s.kernel_rows * s.kernel_cols) return;
  wide[std::size_t(i / s.kernel_cols) * s.cols + i % s.kernel_cols] = kernel[i];
}

/// a times the conjugate of b: correlation, not convolution.
__global__ void correlate(cufftComplex* a, const cufftComplex* b, std::size_t n, float scale) {
  const std::size_t i = std::size_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const cufftComplex x = a[i], y = b[i];
  a[i] = {(x.x * y.x + x.y * y.y) * scale, (x.y * y.x - x.x * y.y) * scale};
}

class Fourier {
 public:
  Fourier(const Shape& s, Arena& arena) : shape_(s) {
    const std::size_t real = std::size_t(s.rows) * s.cols;
    count_ = std::size_t(s.rows) * (s.cols / 2 + 1);
    wide_ = arena.make<float>(real);
    back_ = arena.make<float>(real);
    image_ = arena.make<cufftComplex>(count_);
    taps_ = arena.make<cufftComplex>(count_);
    if (cufftPlan2d(&forward_, s.rows, s.cols, CUFFT_R2C) != CUFFT_SUCCESS ||
        cufftPlan2d(&inverse_, s.rows, s.cols, CUFFT_C2R) != CUFFT_SUCCESS) {
      give_up("cuFFT refuses its plans");
    }
  }
  Fourier(const Fourier&) = delete;
  Fourier& operator=(const Fourier&) = delete;
  ~Fourier() {
    cufftDestroy(forward_);
    cufftDestroy(inverse_);
  }
  void run(const Buffers& b, cudaStream_t s) {
    cufftSetStream(forward_, s);
    cufftSetStream(inverse_, s);
    const std::size_t real = std::size_t(shape_.rows) * shape_.cols;
    cudaMemsetAsync(wide_, 0, real * sizeof(float), s);
    const int taps = shape_.kernel_rows * shape_.kernel_cols;
    widen<<<(taps + 255) / 256, 256, 0, s>>>(b.kernel, wide_, shape_);
    cufftExecR2C(forward_, b.in, image_);
    cufftExecR2C(forward_, wide_, taps_);
    correlate<<<static_cast<unsigned>((count_ + 255) / 256), 256, 0, s>>>(image_, taps_, count_,
                                                                         1.0f / real);
    cufftExecC2R(inverse_, image_, back_);
    cudaMemcpy2DAsync(b.out, shape_.out_cols() * sizeof(float), back_, shape_.cols * sizeof(float),
                      shape_.out_cols() * sizeof(float), shape_.out_rows(), cudaMemcpyDeviceToDevice, s);
  }

 private:
  Shape shape_;
  std::size_t count_ = 0;
  float *wide_ = nullptr, *back_ = nullptr;
  cufftComplex *image_ = nullptr, *taps_ = nullptr;
  cufftHandle forward_ = 0, inverse_ = 0;
};

std::vector<Op> conv2d_fft(const Values& v, Arena& arena) {
  const Buffers b = make_buffers(v, arena);
  const auto fourier = std::make_shared<Fourier>(b.shape, arena);
  Op op;
  op.name = "cufft.convolution";
  op.note = "both transforms, the product and the way back";
  op.run = [=](cudaStream_t s) { fourier->run(b, s); };
  op.error = [=] { return convolution_error(b); };
  return {op};
}

#if defined(COMPARATORS_WITH_CUDNN)

void check(cudnnStatus_t status, const char* what) {
  if (status != CUDNN_STATUS_SUCCESS) give_up(std::string(what) + ": " + cudnnGetErrorString(status));
}

class Dnn {
 public:
  Dnn() {
    check(cudnnCreate(&handle), "cudnnCreate");
    check(cudnnCreateTensorDescriptor(&in), "describe a tensor");
    check(cudnnCreateTensorDescriptor(&out), "describe a tensor");
    check(cudnnCreateFilterDescriptor(&filter), "describe a filter");
    check(cudnnCreateConvolutionDescriptor(&convolution), "describe a convolution");
  }
  Dnn(const Dnn&) = delete;
  Dnn& operator=(const Dnn&) = delete;
  ~Dnn() {
    cudnnDestroyConvolutionDescriptor(convolution);
    cudnnDestroyFilterDescriptor(filter);
    cudnnDestroyTensorDescriptor(out);
    cudnnDestroyTensorDescriptor(in);
    cudnnDestroy(handle);
  }
  cudnnHandle_t handle = nullptr;
  cudnnTensorDescriptor_t in = nullptr, out = nullptr;
  cudnnFilterDescriptor_t filter = nullptr;
  cudnnConvolutionDescriptor_t convolution = nullptr;
};

std::vector<Op> conv2d_dnn(const Values& v, Arena& arena) {
  const Buffers b = make_buffers(v, arena);
  const Shape& s = b.shape;
  const auto dnn = std::make_shared<Dnn>();
  const auto nchw = CUDNN_TENSOR_NCHW;
  check(cudnnSetTensor4dDescriptor(dnn->in, nchw, CUDNN_DATA_FLOAT, 1, 1, s.rows, s.cols), "tensor");
  check(cudnnSetTensor4dDescriptor(dnn->out, nchw, CUDNN_DATA_FLOAT, 1, 1, s.out_rows(), s.out_cols()),
        "tensor");
  check(cudnnSetFilter4dDescriptor(dnn->filter, CUDNN_DATA_FLOAT, nchw, 1, 1, s.kernel_rows,
                                   s.kernel_cols),
        "filter");
  check(cudnnSetConvolution2dDescriptor(dnn->convolution, 0, 0, 1, 1, 1, 1, CUDNN_CROSS_CORRELATION,
                                        CUDNN_DATA_FLOAT),
        "convolution");
  check(cudnnSetConvolutionMathType(dnn->convolution, CUDNN_FMA_MATH), "math type");
  cudnnConvolutionFwdAlgoPerf_t found[8];
  int count = 0;
  if (cudnnFindConvolutionForwardAlgorithm(dnn->handle, dnn->in, dnn->filter, dnn->convolution,
                                           dnn->out, 8, &count, found) != CUDNN_STATUS_SUCCESS ||
      count == 0 || found[0].status != CUDNN_STATUS_SUCCESS) {
    return {};
  }
  void* work = arena.bytes(found[0].memory);
  const auto best = found[0];
  Op op;
  op.name = "cudnn.convolution";
  op.note = "fastest of its algorithms without tensor cores: " + std::to_string(best.algo);
  op.run = [=](cudaStream_t stream) {
    const float one = 1, zero = 0;
    cudnnSetStream(dnn->handle, stream);
    cudnnConvolutionForward(dnn->handle, &one, dnn->in, b.in, dnn->filter, b.kernel, dnn->convolution,
                            best.algo, work, best.memory, &zero, dnn->out, b.out);
  };
  op.error = [=] { return convolution_error(b); };
  return {op};
}

#endif

}  // namespace

std::vector<TaskRow> convolve_rows() {
  std::vector<TaskRow> rows = {{"conv2d", conv2d_fft}};
#if defined(COMPARATORS_WITH_CUDNN)
  rows.push_back({"conv2d", conv2d_dnn});
#endif
  return rows;
}

}  // namespace comparators
