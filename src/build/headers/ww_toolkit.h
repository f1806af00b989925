// SPDX-License-Identifier: Apache-2.0
// For sources that include the toolkit's libraries: their headers include their neighbours, which
// declare what ours have declared. The names by which those know that they were read are set here.
#pragma once

#include "cuComplex.h"
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_fp8.h"

#define __VECTOR_TYPES_H__
#define __VECTOR_FUNCTIONS_H__
#define __DRIVER_TYPES_H__
#define __DRIVER_FUNCTIONS_H__
#define __DEVICE_TYPES_H__
#define __SURFACE_TYPES_H__
#define __TEXTURE_TYPES_H__
#define __CHANNEL_DESCRIPTOR_H__
#define __HOST_DEFINES_H__
#define __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_H__
#define __CUDA_DEVICE_RUNTIME_API_H__
#define __DEVICE_LAUNCH_PARAMETERS_H__
#define __CUDA_FP16_H__
#define __CUDA_BF16_H__
#define __CUDA_FP8_H__
#define __cuda_cuda_h__
#define CU_COMPLEX_H_
// Types of six and four bits need more of the toolkit's headers than can be had.
#define CCCL_DISABLE_NVFP6_SUPPORT

#if __has_include(<library_types.h>)
#include <library_types.h>
#endif
