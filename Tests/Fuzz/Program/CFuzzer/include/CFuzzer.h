#pragma once

#include <stddef.h>
#include <stdint.h>

/// Runs libFuzzer with a program's arguments (compiler-rt, lib/fuzzer/FuzzerDriver.cpp).
int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*callback)(const uint8_t *bytes, size_t count));
