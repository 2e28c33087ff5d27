#include "CFuzzer.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/// Mutates an input for libFuzzer (compiler-rt, lib/fuzzer/FuzzerInterface.h): mostly as it does without this function, and
/// sometimes by repeating a few bytes of it up to the maximum length of inputs.
///
/// A parser with superlinear time shows it only for long inputs, and long ones that repeat something reach
/// no new code: libFuzzer would drop the short steps towards them.
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    uint32_t random = seed;
    // A step of a linear congruential generator (Knuth, The Art of Computer Programming, volume 2, section 3.3.4).
    random = random * 1664525u + 1013904223u;
    if ((random >> 16) % 64 != 0 || size == 0 || size >= max_size) return LLVMFuzzerMutate(data, size, max_size);
    random = random * 1664525u + 1013904223u;
    size_t start = (random >> 8) % size;
    random = random * 1664525u + 1013904223u;
    size_t length = 1 + (random >> 16) % 8;
    if (length > size - start) length = size - start;
    random = random * 1664525u + 1013904223u;
    size_t added = (max_size - size) >> ((random >> 16) % 8);
    added -= added % length;
    memmove(data + start + added, data + start, size - start);
    for (size_t place = 0; place < added; place++) data[start + place] = data[start + added + place % length];
    return size + added;
}
