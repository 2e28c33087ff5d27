#pragma once

// Counts the rounds of key derivation that OpenSSL really does on a thread, whatever the caller believes that it paid for.

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What one thread derived since `derivation_counter_start`.
typedef struct derivation_count {
    /// The rounds of all derivations that were asked for; those beyond the ceiling were refused.
    uint64_t rounds;
    /// A derivation was asked for that names no rounds.
    bool unknown;
} derivation_count;

/// Begins to count on this thread.
///
/// @param ceiling the most rounds that are done; a derivation beyond them fails, so that a hole does not cost hours
void derivation_counter_start(uint64_t ceiling);

/// Ends counting on this thread, and says what was asked for.
derivation_count derivation_counter_stop(void);

#ifdef __cplusplus
}
#endif
