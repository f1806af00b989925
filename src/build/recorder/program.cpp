// SPDX-License-Identifier: Apache-2.0
// The program; all it does is in the library that the candidate is linked with, too.
extern "C" int ww_record_main(int argc, char** argv);

int main(int argc, char** argv) { return ww_record_main(argc, argv); }
