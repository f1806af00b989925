// SPDX-License-Identifier: Apache-2.0
// clang asks for it; ww_intrinsics.h holds what it would bring.
#pragma once
