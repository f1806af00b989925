// SPDX-License-Identifier: Apache-2.0
#pragma once
// The spans that benchmarks give to span_attention.
#include <random>
#include <vector>

// The spans of all samples, as the task wants them.
struct Spans {
  std::vector<int> start, length, offsets;
  size_t covered = 0;
};

// One run in every two of them, at a drawn place within the second half of the gap; samples differ.
inline Spans half_in_runs(int samples, int context, int run) {
  Spans spans;
  std::mt19937 random(7);
  for (int b = 0; b < samples; ++b) {
    spans.offsets.push_back((int)spans.start.size());
    for (int from = context / (2 * run) * (2 * run) - 2 * run; from >= 0; from -= 2 * run) {
      spans.start.push_back(from + (int)(random() % (unsigned)(run + 1)));
      spans.length.push_back(run);
      spans.covered += (size_t)run;
    }
  }
  spans.offsets.push_back((int)spans.start.size());
  return spans;
}

inline Spans all_in_pieces(int samples, int context, int pieces) {
  Spans spans;
  for (int b = 0; b < samples; ++b) {
    spans.offsets.push_back((int)spans.start.size());
    for (int i = pieces - 1; i >= 0; --i) {
      const int from = (int)((long)context * i / pieces),
                to = (int)((long)context * (i + 1) / pieces);
      spans.start.push_back(from);
      spans.length.push_back(to - from);
    }
    spans.covered += (size_t)context;
  }
  spans.offsets.push_back((int)spans.start.size());
  return spans;
}
