#pragma once

// Counts the rounds of key derivation that OpenSSL really does on a thread, as a check of the caller's own count.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The derivations of one thread since `derivation_counter_start`.
typedef struct derivation_count {
    /// The rounds of all requested derivations; those beyond the ceiling failed.
    uint64_t rounds;
    /// Whether a derivation without a number of rounds was requested.
    bool unknown;
} derivation_count;

/// Starts counting on this thread.
///
/// @param ceiling the maximum of rounds; a derivation beyond it fails, so that a bug does not cost hours
void derivation_counter_start(uint64_t ceiling);

/// Ends counting on this thread, and returns the count.
derivation_count derivation_counter_stop(void);

#ifdef __cplusplus
}
#endif
