// SPDX-License-Identifier: Apache-2.0
#include "exchange/stand_in.h"

namespace warpwright::exchange {

const char* const kStandIn = R"(// Stands in for the headers of PyTorch and tvm-ffi.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace c10 {
enum class ScalarType { Byte, Char, Short, Int, Long, Half, Float, Double, Bool, BFloat16 };
using Half = __half;
using BFloat16 = __nv_bfloat16;
struct Device {
  int device_type = 2, device_id = 0;
  bool is_cuda() const { return true; }
  int index() const { return 0; }
  bool operator==(const Device&) const { return true; }
  bool operator!=(const Device&) const { return false; }
};
inline int size_of(ScalarType type) {
  switch (type) {
    case ScalarType::Byte: case ScalarType::Char: case ScalarType::Bool: return 1;
    case ScalarType::Short: case ScalarType::Half: case ScalarType::BFloat16: return 2;
    case ScalarType::Int: case ScalarType::Float: return 4;
    default: return 8;
  }
}
}  // namespace c10

[[noreturn]] inline void ww_fail(const char* what) {
  std::fprintf(stderr, "check failed: %s\n", what);
  std::abort();
}
#define TORCH_CHECK(condition, ...) ((condition) ? (void)0 : ww_fail(#condition))
#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define AT_ASSERTM TORCH_CHECK
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define C10_CUDA_CHECK(call) TORCH_CHECK((call) == cudaSuccess)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define AT_CUDA_CHECK C10_CUDA_CHECK
#define TVM_FFI_CHECK(condition, ...) TORCH_CHECK(condition)
#define TVM_FFI_ICHECK(condition) TORCH_CHECK(condition)
#define TVM_FFI_DLL_EXPORT_TYPED_FUNC(name, function) static_assert(true, "")
struct ww_module {
  template <class... A>
  ww_module& def(A&&...) { return *this; }
  template <class... A>
  ww_module& impl(A&&...) { return *this; }
};
#define PYBIND11_MODULE(name, m) [[maybe_unused]] static void ww_bound(ww_module& m)
#define TORCH_LIBRARY(name, m) [[maybe_unused]] static void ww_library(ww_module& m)
#define TORCH_LIBRARY_IMPL(name, key, m) [[maybe_unused]] static void ww_library_impl(ww_module& m)

namespace at {
using namespace c10;
using IntArrayRef = std::vector<std::int64_t>;
struct TensorOptions {
  ScalarType type = ScalarType::Float;
  TensorOptions dtype(ScalarType t) const { return {t}; }
  template <class D>
  TensorOptions device(D, int = 0) const { return *this; }
  TensorOptions requires_grad(bool) const { return *this; }
};
constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char, kShort = ScalarType::Short,
                     kInt = ScalarType::Int, kLong = ScalarType::Long, kHalf = ScalarType::Half,
                     kFloat = ScalarType::Float, kDouble = ScalarType::Double, kBool = ScalarType::Bool,
                     kBFloat16 = ScalarType::BFloat16, kFloat32 = kFloat, kFloat16 = kHalf,
                     kFloat64 = kDouble, kInt32 = kInt, kInt64 = kLong, kUInt8 = kByte, kInt8 = kChar;
enum DeviceType { kCPU = 1, kCUDA = 2 };

// A tensor over memory that somebody else owns.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const void* data, std::vector<std::int64_t> shape, ScalarType type)
      : data_(const_cast<void*>(data)), shape_(std::move(shape)), type_(type) {}
  void* data_ptr() const { return data_; }
  template <class T>
  T* data_ptr() const { return static_cast<T*>(data_); }
  template <class T>
  T* mutable_data_ptr() const { return static_cast<T*>(data_); }
  template <class T>
  const T* const_data_ptr() const { return static_cast<const T*>(data_); }
  void* mutable_data_ptr() const { return data_; }
  const void* const_data_ptr() const { return data_; }
  std::int64_t size(std::int64_t i) const { return shape_[static_cast<std::size_t>(at(i))]; }
  const std::vector<std::int64_t>& sizes() const { return shape_; }
  const std::vector<std::int64_t>& shape() const { return shape_; }
  std::int64_t stride(std::int64_t i) const {
    std::int64_t step = 1;
    for (std::int64_t d = dim() - 1; d > at(i); --d) step *= size(d);
    return step;
  }
  std::int64_t dim() const { return static_cast<std::int64_t>(shape_.size()); }
  std::int64_t ndim() const { return dim(); }
  std::int64_t ndimension() const { return dim(); }
  std::int64_t numel() const {
    std::int64_t n = 1;
    for (std::int64_t s : shape_) n *= s;
    return n;
  }
  std::int64_t element_size() const { return size_of(type_); }
  std::int64_t nbytes() const { return numel() * element_size(); }
  ScalarType scalar_type() const { return type_; }
  ScalarType dtype() const { return type_; }
  Device device() const { return {}; }
  int get_device() const { return 0; }
  TensorOptions options() const { return {type_}; }
  bool is_cuda() const { return true; }
  bool is_contiguous() const { return true; }
  bool defined() const { return data_ != nullptr; }
  Tensor contiguous() const { return *this; }
  Tensor view(std::vector<std::int64_t> shape) const { return Tensor(data_, resolved(shape), type_); }
  Tensor reshape(std::vector<std::int64_t> shape) const { return view(std::move(shape)); }
  Tensor& zero_() {
    cudaMemsetAsync(data_, 0, static_cast<std::size_t>(nbytes()));
    return *this;
  }

 private:
  std::int64_t at(std::int64_t i) const { return i < 0 ? i + dim() : i; }
  std::vector<std::int64_t> resolved(std::vector<std::int64_t> shape) const {
    std::int64_t known = 1;
    for (std::int64_t s : shape) known *= s < 0 ? 1 : s;
    for (std::int64_t& s : shape)
      if (s < 0) s = numel() / known;
    return shape;
  }
  void* data_ = nullptr;
  std::vector<std::int64_t> shape_;
  ScalarType type_ = ScalarType::Float;
};

// Outputs of the call that no tensor has been made of yet: the first that fits is taken.
inline std::vector<Tensor>& ww_outputs() {
  static std::vector<Tensor> outputs;
  return outputs;
}
inline Tensor empty(std::vector<std::int64_t> shape, TensorOptions options) {
  Tensor wanted(nullptr, shape, options.type);
  auto& outputs = ww_outputs();
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].scalar_type() != options.type || outputs[i].numel() != wanted.numel()) continue;
    Tensor found = outputs[i].view(shape);
    outputs.erase(outputs.begin() + static_cast<std::ptrdiff_t>(i));
    return found;
  }
  void* data = nullptr;
  cudaMalloc(&data, static_cast<std::size_t>(std::max<std::int64_t>(1, wanted.nbytes())));
  return Tensor(data, std::move(shape), options.type);
}
inline Tensor zeros(std::vector<std::int64_t> shape, TensorOptions options) {
  Tensor made = empty(std::move(shape), options);
  made.zero_();
  return made;
}
inline Tensor empty_like(const Tensor& t) { return empty(t.sizes(), t.options()); }
inline Tensor empty_like(const Tensor& t, TensorOptions o) { return empty(t.sizes(), o); }
inline Tensor zeros_like(const Tensor& t) { return zeros(t.sizes(), t.options()); }
inline Tensor zeros_like(const Tensor& t, TensorOptions o) { return zeros(t.sizes(), o); }
inline TensorOptions device(DeviceType) { return {}; }
inline TensorOptions dtype(ScalarType t) { return {t}; }

namespace cuda {
struct CUDAStream {
  operator cudaStream_t() const { return nullptr; }
  cudaStream_t stream() const { return nullptr; }
};
inline CUDAStream getCurrentCUDAStream(int = -1) { return {}; }
struct CUDAGuard {
  template <class D>
  explicit CUDAGuard(D&&) {}
};
struct OptionalCUDAGuard {
  OptionalCUDAGuard() = default;
  template <class D>
  explicit OptionalCUDAGuard(D&&) {}
};
}  // namespace cuda
inline Device device_of(const Tensor&) { return {}; }
}  // namespace at
namespace c10 {
namespace cuda { using namespace at::cuda; }
}
namespace torch { using namespace at; }
using at::device_of;

struct DLDevice_ { int device_type = 2, device_id = 0; };
inline void* TVMFFIEnvGetStream(int, int) { return nullptr; }
namespace tvm { namespace ffi { using TensorView = at::Tensor; using Tensor = at::Tensor; } }

[[maybe_unused]] static double ww_mod(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
[[maybe_unused]] static double ww_and(double a, double b) { return a != 0 && b != 0 ? 1 : 0; }
[[maybe_unused]] static double ww_or(double a, double b) { return a != 0 || b != 0 ? 1 : 0; }

inline void ww_behind(cudaStream_t first, cudaStream_t then) {
  cudaEvent_t event;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaEventRecord(event, first);
  cudaStreamWaitEvent(then, event, 0);
  cudaEventDestroy(event);
}

inline void ww_return(const at::Tensor& made, const at::Tensor& wanted) {
  if (made.data_ptr() == wanted.data_ptr()) return;
  TORCH_CHECK(made.numel() == wanted.numel() && made.scalar_type() == wanted.scalar_type());
  cudaMemcpyAsync(wanted.data_ptr(), made.data_ptr(), static_cast<std::size_t>(made.nbytes()),
                  cudaMemcpyDeviceToDevice);
}
inline void ww_return_all(const at::Tensor& made, const std::vector<at::Tensor>& wanted) {
  ww_return(made, wanted[0]);
}
inline void ww_return_all(const std::vector<at::Tensor>& made, const std::vector<at::Tensor>& wanted) {
  TORCH_CHECK(made.size() == wanted.size());
  for (std::size_t i = 0; i < made.size(); ++i) ww_return(made[i], wanted[i]);
}
template <class... T>
inline void ww_return_all(const std::tuple<T...>& made, const std::vector<at::Tensor>& wanted) {
  std::apply([&](const auto&... m) { ww_return_all(std::vector<at::Tensor>{m...}, wanted); }, made);
}

)";

}  // namespace warpwright::exchange
