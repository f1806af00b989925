// SPDX-License-Identifier: Apache-2.0
// Needs a file that is not there.
// code: 2
// missing: file no_such_input.txt
#include <fstream>

__global__ void nothing() {}

int main() {
  std::ifstream input("no_such_input.txt");
  if (!input) return 1;
  nothing<<<1, 1>>>();
}
