// SPDX-License-Identifier: Apache-2.0
// OpenMP without its threads: programs are compiled without -fopenmp, so that there is one.
#pragma once

#include <time.h>

typedef int omp_lock_t;
static inline int omp_get_thread_num() { return 0; }
static inline int omp_get_num_threads() { return 1; }
static inline int omp_get_max_threads() { return 1; }
static inline int omp_get_num_procs() { return 1; }
static inline int omp_get_num_devices() { return 0; }
static inline int omp_in_parallel() { return 0; }
static inline void omp_set_num_threads(int) {}
static inline void omp_set_nested(int) {}
static inline void omp_set_dynamic(int) {}
static inline void omp_init_lock(omp_lock_t*) {}
static inline void omp_destroy_lock(omp_lock_t*) {}
static inline void omp_set_lock(omp_lock_t*) {}
static inline void omp_unset_lock(omp_lock_t*) {}
static inline double omp_get_wtime() {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}
