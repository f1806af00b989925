// SPDX-License-Identifier: Apache-2.0
// The built-in variables are always there; the prelude declares them.
#pragma once
#include "vector_types.h"
