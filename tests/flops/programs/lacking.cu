// SPDX-License-Identifier: Apache-2.0
// Needs a header that is not there.
// code: 2
// missing: include no_such_library/header.h
#include "no_such_library/header.h"

int main() {}
