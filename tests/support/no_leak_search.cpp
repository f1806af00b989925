// SPDX-License-Identifier: Apache-2.0
// For programs that the tests start hundreds of times, in the sanitizer build. The search for leaks
// at the end of a process takes four seconds of processor time with g++ 12 on ARM; the test
// programs themselves, which have the same libraries, keep it. ASAN_OPTIONS=detect_leaks=1 turns it
// on again.

extern "C" const char* __asan_default_options();  // NOLINT(bugprone-reserved-identifier)

extern "C" const char* __asan_default_options() { return "detect_leaks=0"; }  // NOLINT
