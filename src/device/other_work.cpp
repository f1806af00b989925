// SPDX-License-Identifier: Apache-2.0
#include "device/other_work.h"

#include <algorithm>
#include <array>
#include <bit>

#include "device/cuda_driver.h"

namespace warpwright::device {

namespace {

constexpr unsigned kWorkThreads = 256;
constexpr double kCyclesPerUs = 1500;
constexpr std::uint64_t kLeastRoom = std::uint64_t{64} << 20;

class CudaOtherWork final : public OtherWork {
 public:
  CudaOtherWork(const CudaDriver& driver, int sm_count)
      : driver_(driver), blocks_(static_cast<unsigned>(std::max(sm_count, 1))) {}
  CudaOtherWork(const CudaOtherWork&) = delete;
  CudaOtherWork& operator=(const CudaOtherWork&) = delete;
  ~CudaOtherWork() override {
    if (stream_ != nullptr) driver_.stream_synchronize(stream_);
    if (ended_ != nullptr) driver_.event_destroy(ended_);
    if (stream_ != nullptr) driver_.stream_destroy(stream_);
    if (module_ != nullptr) driver_.module_unload(module_);
    if (room_ != 0) driver_.memory_free(room_);
  }

  Status start(std::uint64_t l2_bytes) {
    bytes_ = std::bit_ceil(std::max(2 * l2_bytes, kLeastRoom));
    const std::string ptx = other_work_ptx();
    WW_CHECK(driver_.check(driver_.memory_alloc(&room_, bytes_), "allocate room for other work"));
    WW_CHECK(driver_.check(driver_.module_load(&module_, ptx.c_str(), 0, nullptr, nullptr),
                           "load the kernel of other work"));
    WW_CHECK(driver_.check(driver_.module_function(&function_, module_, "work"),
                           "load the kernel of other work"));
    WW_CHECK(driver_.check(driver_.event_create(&ended_, kCuEventDisableTiming), "make an event"));
    return driver_.check(driver_.stream_create(&stream_, kCuStreamNonBlocking), "make a stream");
  }

  Status begin(Busy what, double about_us) override {
    if (begun_ && driver_.event_query(ended_) == kCuNotReady) return {};
    begun_ = true;
    OtherWorkCall call{room_, (bytes_ - 1) & ~std::uint64_t{15},
                       static_cast<std::uint64_t>(std::max(about_us, 1.0) * kCyclesPerUs),
                       what == Busy::memory ? 1U : 0U};
    std::array<void*, 4> parameters = {&call.room, &call.mask, &call.cycles, &call.loads};
    const CuLaunchConfig config{blocks_, 1, 1, kWorkThreads, 1, 1, 0, stream_, nullptr, 0};
    WW_CHECK(driver_.check(driver_.launch(&config, function_, parameters.data(), nullptr),
                           "begin other work"));
    return driver_.check(driver_.event_record(ended_, stream_), "record an event");
  }

 private:
  CudaDriver driver_;
  unsigned blocks_;
  CuAddress room_ = 0;
  std::uint64_t bytes_ = 0;
  CuModule module_ = nullptr;
  CuFunction function_ = nullptr;
  CuStream stream_ = nullptr;
  CuEvent ended_ = nullptr;
  bool begun_ = false;
};

}  // namespace

std::string other_work_ptx() {
  return R"(.version 7.0
.target sm_50
.address_size 64
.visible .entry work(.param .u64 room, .param .u64 mask, .param .u64 cycles, .param .u32 loads)
{
  .reg .pred %p, %m;
  .reg .b32 %x, %y, %t, %b, %loads;
  .reg .f32 %f, %g;
  .reg .b64 %start, %now, %limit, %room, %mask, %i;
  ld.param.u64 %room, [room];
  ld.param.u64 %mask, [mask];
  ld.param.u64 %limit, [cycles];
  ld.param.u32 %loads, [loads];
  mov.u32 %t, %tid.x;
  mov.u32 %b, %ctaid.x;
  mad.lo.u32 %x, %b, 1024, %t;
  mul.lo.u32 %x, %x, 0x9E3779B9;
  cvt.rn.f32.u32 %f, %t;
  mov.f32 %g, 0f3F000000;
  setp.ne.u32 %m, %loads, 0;
  mov.u64 %start, %clock64;
MORE:
  @%m bra LOAD;
  fma.rn.f32 %f, %f, %g, %g;
  fma.rn.f32 %f, %f, %g, %g;
  fma.rn.f32 %f, %f, %g, %g;
  fma.rn.f32 %f, %f, %g, %g;
  bra NEXT;
LOAD:
  mad.lo.u32 %x, %x, 1664525, 1013904223;
  cvt.u64.u32 %i, %x;
  and.b64 %i, %i, %mask;
  add.u64 %i, %i, %room;
  ld.global.u32 %y, [%i];
  xor.b32 %x, %x, %y;
NEXT:
  mov.u64 %now, %clock64;
  sub.u64 %now, %now, %start;
  setp.lt.u64 %p, %now, %limit;
  @%p bra MORE;
  // Never true: %f goes towards one. Else an assembler might leave everything out.
  setp.lt.f32 %p, %f, 0fC2C80000;
  @!%p bra END;
  st.global.u32 [%room], %x;
END:
  ret;
}
)";
}

Result<std::unique_ptr<OtherWork>> open_other_work(const ResolvedDevice& resolved) {
  if (!resolved.is_cuda) return Error{"other work needs a GPU"};
  WW_TRY(const CudaDriver driver, CudaDriver::open());
  auto work = std::make_unique<CudaOtherWork>(driver, resolved.facts.sm_count);
  WW_CHECK(work->start(static_cast<std::uint64_t>(std::max(resolved.facts.l2_bytes, 0LL))));
  return std::unique_ptr<OtherWork>(std::move(work));
}

}  // namespace warpwright::device
