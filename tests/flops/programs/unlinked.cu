// SPDX-License-Identifier: Apache-2.0
// Calls a function of a library that is not there.
// code: 2
// missing: function library_multiply
extern "C" int library_multiply(float*, int);

int main() { return library_multiply(nullptr, 3); }
