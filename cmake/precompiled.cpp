// SPDX-License-Identifier: Apache-2.0
// A precompiled header needs a file that it is compiled for.
