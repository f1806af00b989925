// SPDX-License-Identifier: Apache-2.0

// All terms are positive, so the scale is the result itself.
extern "C" void reference(const float* predictions, const float* targets, double* mse,
                          double* mse_scale, int N) {
  double sum = 0;
  for (int i = 0; i < N; ++i) {
    const double difference = double(predictions[i]) - targets[i];
    sum += difference * difference;
  }
  mse[0] = sum / N;
  mse_scale[0] = mse[0];
}
