// SPDX-License-Identifier: Apache-2.0
// Arrays, texture and surface objects, made of calls of the runtime API itself: an array is pitched
// memory, an object is the address of its description. Both runtimes that programs are linked with
// have this file; a GPU gets the driver's own texture in its place.
#include <cstdint>
#include <cstring>
#include <map>

#include <cuda_runtime_api.h>

#include "descriptors.h"

#define WW_TEXTURE_API extern "C" __attribute__((visibility("default")))

extern "C" [[noreturn]] void ww_missing_entry_point(const char* name, const void* caller);

namespace ww_textures {

using ww_descriptors::Texture;
using ww_descriptors::TextureEdge;
using ww_descriptors::TextureKind;
using ww_descriptors::TextureSource;

/// What a cudaArray_t points to.
struct Array {
  void* memory = nullptr;
  std::size_t pitch = 0;
  cudaChannelFormatDesc format = {};
  std::size_t width = 0, height = 0, depth = 0;  ///< elements; 0 as the caller gave it
  unsigned flags = 0;

  std::size_t rows() const { return height == 0 ? 1 : height; }
  std::size_t planes() const { return depth == 0 ? 1 : depth; }
};

constexpr unsigned kLayered = 1, kSurface = 2;

inline std::size_t bytes_of(const cudaChannelFormatDesc& format) {
  return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
}

inline Array* array_of(const void* handle) {
  return const_cast<Array*>(static_cast<const Array*>(handle));
}

/// Whether all channels are alike and a device can read them.
inline bool set_format(Texture& t, const cudaChannelFormatDesc& format) {
  const int sizes[4] = {format.x, format.y, format.z, format.w};
  while (t.channels < 4 && sizes[t.channels] != 0) ++t.channels;
  t.channel_bytes = static_cast<std::uint8_t>(format.x / 8);
  for (unsigned c = 0; c < 4; ++c) {
    if (sizes[c] != (c < t.channels ? format.x : 0)) return false;
  }
  if (format.x != 8 && format.x != 16 && format.x != 32) return false;
  if (t.channels == 0 || t.channels == 3) return false;
  switch (static_cast<int>(format.f)) {
    case 0:
      t.kind = static_cast<std::uint8_t>(TextureKind::s);
      return true;
    case 1:
      t.kind = static_cast<std::uint8_t>(TextureKind::u);
      return true;
    case 2:
      t.kind = static_cast<std::uint8_t>(TextureKind::f);
      return format.x != 8;
    default:
      return false;
  }
}

inline bool set_source(Texture& t, const cudaResourceDesc& resource) {
  t.height = t.depth = 1;
  if (resource.resType == cudaResourceTypeLinear) {
    const auto& linear = resource.res.linear;
    if (!set_format(t, linear.desc)) return false;
    t.source = static_cast<std::uint8_t>(TextureSource::linear);
    t.address = reinterpret_cast<std::uintptr_t>(linear.devPtr);
    t.width = linear.sizeInBytes / bytes_of(linear.desc);
    return true;
  }
  if (resource.resType == cudaResourceTypePitch2D) {
    const auto& rows = resource.res.pitch2D;
    if (!set_format(t, rows.desc)) return false;
    t.source = static_cast<std::uint8_t>(TextureSource::rows);
    t.address = reinterpret_cast<std::uintptr_t>(rows.devPtr);
    t.width = rows.width;
    t.height = static_cast<std::uint32_t>(rows.height);
    t.pitch_bytes = rows.pitchInBytes;
    return true;
  }
  if (resource.resType != cudaResourceTypeArray || resource.res.array.array == nullptr)
    return false;
  const Array& array = *array_of(resource.res.array.array);
  if (!set_format(t, array.format)) return false;
  t.source = static_cast<std::uint8_t>(TextureSource::array);
  t.address = reinterpret_cast<std::uintptr_t>(array.memory);
  t.width = array.width;
  t.height = static_cast<std::uint32_t>(array.rows());
  t.depth = static_cast<std::uint32_t>(array.planes());
  t.pitch_bytes = array.pitch;
  t.slice_bytes = array.pitch * array.rows();
  t.layered = (array.flags & kLayered) != 0;
  return true;
}

inline bool describe(Texture& t, const cudaResourceDesc& resource, const cudaTextureDesc& how) {
  std::memset(&t, 0, sizeof t);
  std::memcpy(t.mark, ww_descriptors::kTextureMark, sizeof t.mark);
  if (!set_source(t, resource)) return false;
  for (unsigned d = 0; d < 3; ++d) t.edge[d] = static_cast<std::uint8_t>(how.addressMode[d]);
  std::memcpy(t.border, how.borderColor, sizeof t.border);
  t.interpolates = how.filterMode == cudaFilterModeLinear;
  t.as_fractions = how.readMode == cudaReadModeNormalizedFloat &&
                   t.kind != static_cast<std::uint8_t>(TextureKind::f);
  t.normalized = how.normalizedCoords != 0;
  const bool reals = t.as_fractions != 0 || t.kind == static_cast<std::uint8_t>(TextureKind::f);
  if (t.as_fractions != 0 && t.channel_bytes == 4) return false;
  return t.interpolates == 0 || reals;
}

/// The description in device memory; its address is the object.
inline cudaError_t put(unsigned long long* made, const Texture& described) {
  void* place = nullptr;
  cudaError_t error = cudaMalloc(&place, sizeof described);
  if (error == cudaSuccess)
    error = cudaMemcpy(place, &described, sizeof described, cudaMemcpyHostToDevice);
  *made = reinterpret_cast<std::uintptr_t>(place);
  return error;
}

inline cudaError_t make_array(cudaArray_t* made, const cudaChannelFormatDesc* format,
                              std::size_t width, std::size_t height, std::size_t depth,
                              unsigned flags) {
  if (made == nullptr || format == nullptr || width == 0) return cudaErrorInvalidValue;
  auto* array = new Array{nullptr, 0, *format, width, height, depth, flags};
  const cudaError_t error = cudaMallocPitch(
      &array->memory, &array->pitch, width * bytes_of(*format), array->rows() * array->planes());
  if (error != cudaSuccess) {
    delete array;
    return error;
  }
  *made = reinterpret_cast<cudaArray_t>(array);
  return cudaSuccess;
}

/// Where byte x of a row of an array is.
inline char* place(const Array& array, std::size_t x, std::size_t y, std::size_t z) {
  return static_cast<char*>(array.memory) + (z * array.rows() + y) * array.pitch + x;
}

/// One side of a copy of a box.
struct Side {
  char* begin;
  std::size_t pitch, plane;
};

inline Side side_of(const void* array, const cudaPitchedPtr& memory, const cudaPos& at) {
  if (array == nullptr) {
    char* begin =
        static_cast<char*>(memory.ptr) + (at.z * memory.ysize + at.y) * memory.pitch + at.x;
    return {begin, memory.pitch, memory.pitch * memory.ysize};
  }
  const Array& a = *array_of(array);
  return {place(a, at.x * bytes_of(a.format), at.y, at.z), a.pitch, a.pitch * a.rows()};
}

/// Widths of boxes are elements where an array takes part, else bytes.
inline std::size_t width_of(const cudaMemcpy3DParms& box) {
  const void* array =
      box.srcArray != nullptr ? static_cast<const void*>(box.srcArray) : box.dstArray;
  return array == nullptr ? box.extent.width : box.extent.width * bytes_of(array_of(array)->format);
}

template <class Copy>
cudaError_t copy_box(const cudaMemcpy3DParms* box, Copy copy) {
  if (box == nullptr) return cudaErrorInvalidValue;
  const Side from = side_of(box->srcArray, box->srcPtr, box->srcPos);
  const Side to = side_of(box->dstArray, box->dstPtr, box->dstPos);
  for (std::size_t z = 0; z < box->extent.depth; ++z) {
    const cudaError_t error = copy(to.begin + z * to.plane, to.pitch, from.begin + z * from.plane,
                                   from.pitch, width_of(*box), box->extent.height);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

}  // namespace ww_textures

WW_TEXTURE_API cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format,
                                           size_t width, size_t height, unsigned flags) {
  return ww_textures::make_array(array, format, width, height, 0, flags);
}
WW_TEXTURE_API cudaError_t cudaMalloc3DArray(cudaArray_t* array,
                                             const cudaChannelFormatDesc* format, cudaExtent size,
                                             unsigned flags) {
  return ww_textures::make_array(array, format, size.width, size.height, size.depth, flags);
}
WW_TEXTURE_API cudaError_t cudaFreeArray(cudaArray_t handle) {
  if (handle == nullptr) return cudaSuccess;
  ww_textures::Array* array = ww_textures::array_of(handle);
  const cudaError_t error = cudaFree(array->memory);
  delete array;
  return error;
}
WW_TEXTURE_API cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from,
                                               size_t pitch, size_t width, size_t height,
                                               cudaMemcpyKind kind) {
  const ww_textures::Array& array = *ww_textures::array_of(to);
  return cudaMemcpy2D(ww_textures::place(array, x, y, 0), array.pitch, from, pitch, width, height,
                      kind);
}
WW_TEXTURE_API cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y,
                                                    const void* from, size_t pitch, size_t width,
                                                    size_t height, cudaMemcpyKind kind,
                                                    cudaStream_t stream) {
  const ww_textures::Array& array = *ww_textures::array_of(to);
  return cudaMemcpy2DAsync(ww_textures::place(array, x, y, 0), array.pitch, from, pitch, width,
                           height, kind, stream);
}
WW_TEXTURE_API cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from,
                                                 size_t x, size_t y, size_t width, size_t height,
                                                 cudaMemcpyKind kind) {
  const ww_textures::Array& array = *ww_textures::array_of(from);
  return cudaMemcpy2D(to, pitch, ww_textures::place(array, x, y, 0), array.pitch, width, height,
                      kind);
}
/// Rows of the array one after the other, as the older call has it; from the beginning of a row.
WW_TEXTURE_API cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from,
                                             size_t count, cudaMemcpyKind kind) {
  const ww_textures::Array& array = *ww_textures::array_of(to);
  const size_t row = array.width * ww_textures::bytes_of(array.format);
  if (x != 0 && x + count > row) return cudaErrorInvalidValue;
  if (count <= row) return cudaMemcpy2DToArray(to, x, y, from, count, count, 1, kind);
  if (count % row != 0) return cudaErrorInvalidValue;
  return cudaMemcpy2DToArray(to, 0, y, from, row, row, count / row, kind);
}
WW_TEXTURE_API cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* box) {
  return ww_textures::copy_box(box, [&](void* to, size_t to_pitch, const void* from,
                                        size_t from_pitch, size_t width, size_t height) {
    return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, box->kind);
  });
}
WW_TEXTURE_API cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* box, cudaStream_t stream) {
  return ww_textures::copy_box(box, [&](void* to, size_t to_pitch, const void* from,
                                        size_t from_pitch, size_t width, size_t height) {
    return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, box->kind, stream);
  });
}
WW_TEXTURE_API cudaError_t cudaMalloc3D(cudaPitchedPtr* memory, cudaExtent size) {
  if (memory == nullptr) return cudaErrorInvalidValue;
  memory->xsize = size.width;
  memory->ysize = size.height;
  return cudaMallocPitch(&memory->ptr, &memory->pitch, size.width, size.height * size.depth);
}
WW_TEXTURE_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format,
                                              cudaArray_const_t array) {
  *format = ww_textures::array_of(array)->format;
  return cudaSuccess;
}
WW_TEXTURE_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                           cudaChannelFormatKind kind) {
  cudaChannelFormatDesc format = {};
  format.x = x, format.y = y, format.z = z, format.w = w, format.f = kind;
  return format;
}

WW_TEXTURE_API cudaError_t cudaCreateTextureObject(cudaTextureObject_t* made,
                                                   const cudaResourceDesc* resource,
                                                   const cudaTextureDesc* how,
                                                   const cudaResourceViewDesc* view) {
  if (made == nullptr || resource == nullptr || how == nullptr) return cudaErrorInvalidValue;
  if (view != nullptr)
    ww_missing_entry_point("cudaCreateTextureObject with a view", __builtin_return_address(0));
  if (resource->resType == cudaResourceTypeMipmappedArray || how->sRGB != 0)
    ww_missing_entry_point("cudaCreateTextureObject with mipmaps or sRGB",
                           __builtin_return_address(0));
  ww_descriptors::Texture texture;
  if (!ww_textures::describe(texture, *resource, *how)) return cudaErrorInvalidValue;
  return ww_textures::put(made, texture);
}
WW_TEXTURE_API cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
  return cudaFree(reinterpret_cast<void*>(texture));
}
/// Of an array that was made for it (cudaArraySurfaceLoadStore).
WW_TEXTURE_API cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* made,
                                                   const cudaResourceDesc* resource) {
  if (made == nullptr || resource == nullptr || resource->resType != cudaResourceTypeArray)
    return cudaErrorInvalidValue;
  ww_descriptors::Texture surface;
  std::memset(&surface, 0, sizeof surface);
  std::memcpy(surface.mark, ww_descriptors::kSurfaceMark, sizeof surface.mark);
  if (!ww_textures::set_source(surface, *resource)) return cudaErrorInvalidValue;
  const ww_textures::Array& array = *ww_textures::array_of(resource->res.array.array);
  if ((array.flags & ww_textures::kSurface) == 0) return cudaErrorInvalidValue;
  return ww_textures::put(made, surface);
}
WW_TEXTURE_API cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
  return cudaFree(reinterpret_cast<void*>(surface));
}
