#define _GNU_SOURCE
#include "DerivationCounter.h"

#include <dlfcn.h>
#include <openssl/core_names.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

static _Thread_local bool is_counting;
static _Thread_local uint64_t most;
static _Thread_local derivation_count counted;

void derivation_counter_start(uint64_t ceiling) {
    is_counting = true;
    most = ceiling;
    counted = (derivation_count){0, false};
}

derivation_count derivation_counter_stop(void) {
    is_counting = false;
    return counted;
}

// Interposes the library's own function: PBKDF1, PBKDF2 and the derivation of PKCS#12 all end here (OpenSSL 3.0,
// crypto/evp/p5_crpt.c, p5_crpt2.c, crypto/pkcs12/p12_key.c). A program's symbols come before those of its libraries.
int EVP_KDF_derive(EVP_KDF_CTX *context, unsigned char *key, size_t count, const OSSL_PARAM params[]) {
    static int (*derive)(EVP_KDF_CTX *, unsigned char *, size_t, const OSSL_PARAM[]);
    if (derive == NULL) {
        derive = (int (*)(EVP_KDF_CTX *, unsigned char *, size_t, const OSSL_PARAM[]))dlsym(RTLD_NEXT, "EVP_KDF_derive");
        if (derive == NULL) { return 0; }
    }
    if (is_counting) {
        const OSSL_PARAM *rounds = params == NULL ? NULL : OSSL_PARAM_locate_const(params, OSSL_KDF_PARAM_ITER);
        uint64_t value = 0;
        if (rounds == NULL || OSSL_PARAM_get_uint64(rounds, &value) != 1) {
            counted.unknown = true;
        } else {
            bool overflows = __builtin_add_overflow(counted.rounds, value, &counted.rounds);
            if (overflows) { counted.rounds = UINT64_MAX; }
            if (counted.rounds > most) { return 0; }
        }
    }
    return derive(context, key, count, params);
}
