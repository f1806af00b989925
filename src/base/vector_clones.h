// SPDX-License-Identifier: Apache-2.0
#pragma once

// Machines differ in their vectors; the program is built once. A function with this attribute is
// compiled for both kinds of x86-64, and the choice is made when the program is loaded. The
// sanitizers' start-up code and that choice do not go together.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WW_VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define WW_VECTOR_CLONES
#endif
