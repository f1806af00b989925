// SPDX-License-Identifier: Apache-2.0
// The suite: every task and size with baseline, comparators, floor and regime.

function benchPage(doc) {
  figureCount = 0;
}
