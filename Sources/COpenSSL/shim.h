#ifndef SWITCHBOARD_COPENSSL_SHIM_H
#define SWITCHBOARD_COPENSSL_SHIM_H
#include <openssl/ssl.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Macros of libssl and libcrypto that Swift cannot see.
static inline void switchboard_SSL_CTX_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline long switchboard_SSL_CTX_get_mode(SSL_CTX *context) { return SSL_CTX_get_mode(context); }
static inline int switchboard_SSL_CTX_set_min_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_min_proto_version(context, version);
}
static inline int switchboard_SSL_CTX_set_max_proto_version(SSL_CTX *context, int version) {
    return (int)SSL_CTX_set_max_proto_version(context, version);
}
static inline void switchboard_SSL_CTX_set_session_cache_mode(SSL_CTX *context, long mode) {
    SSL_CTX_set_session_cache_mode(context, mode);
}
static inline int switchboard_SSL_CTX_add1_chain_cert(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add1_chain_cert(context, certificate);
}
static inline int switchboard_SSL_set_tlsext_host_name(SSL *ssl, const char *name) {
    return (int)SSL_set_tlsext_host_name(ssl, name);
}
static inline void switchboard_BIO_set_mem_eof_return(BIO *bio, int value) { BIO_set_mem_eof_return(bio, value); }
static inline size_t switchboard_BIO_pending(BIO *bio) { return BIO_ctrl_pending(bio); }
static inline int switchboard_ERR_GET_REASON(unsigned long code) { return ERR_GET_REASON(code); }
static inline int switchboard_sk_X509_num(const STACK_OF(X509) *stack) { return sk_X509_num(stack); }
static inline X509 *switchboard_sk_X509_value(const STACK_OF(X509) *stack, int index) {
    return sk_X509_value(stack, index);
}
static inline void switchboard_sk_X509_free_all(STACK_OF(X509) *stack) { sk_X509_pop_free(stack, X509_free); }
static inline EVP_PKEY *switchboard_EVP_RSA_gen(unsigned int bits) { return EVP_RSA_gen(bits); }
static inline EVP_PKEY *switchboard_EVP_EC_gen(const char *curve) { return EVP_EC_gen(curve); }

// How often the key derivation that an algorithm names is repeated; -1 for one that we do not know.
static inline long switchboard_iterations(const X509_ALGOR *algorithm) {
    const ASN1_OBJECT *object;
    const void *value;
    int type;
    long iterations = -1;
    X509_ALGOR_get0(&object, &type, &value, algorithm);
    if (type != V_ASN1_SEQUENCE) return -1;
    if (OBJ_obj2nid(object) == NID_pbes2) {
        PBE2PARAM *outer = ASN1_item_unpack(value, ASN1_ITEM_rptr(PBE2PARAM));
        if (outer == NULL) return -1;
        const void *inner;
        X509_ALGOR_get0(&object, &type, &inner, outer->keyfunc);
        if (OBJ_obj2nid(object) == NID_id_pbkdf2 && type == V_ASN1_SEQUENCE) {
            PBKDF2PARAM *derivation = ASN1_item_unpack(inner, ASN1_ITEM_rptr(PBKDF2PARAM));
            if (derivation != NULL) iterations = ASN1_INTEGER_get(derivation->iter);
            PBKDF2PARAM_free(derivation);
        }
        PBE2PARAM_free(outer);
    } else {
        PBEPARAM *derivation = ASN1_item_unpack(value, ASN1_ITEM_rptr(PBEPARAM));
        if (derivation != NULL) iterations = ASN1_INTEGER_get(derivation->iter);
        PBEPARAM_free(derivation);
    }
    return iterations;
}

// Whether the first key that a PEM text holds encrypted as PKCS#8, if it holds one, is derived at most `most` times.
static inline int switchboard_PKCS8_is_cheap(BIO *pem, long most) {
    X509_SIG *closed = PEM_read_bio_PKCS8(pem, NULL, NULL, NULL);
    if (closed == NULL) return 1;
    const X509_ALGOR *algorithm;
    X509_SIG_get0(closed, &algorithm, NULL);
    long iterations = switchboard_iterations(algorithm);
    X509_SIG_free(closed);
    return iterations >= 0 && iterations <= most;
}

// Whether no derivation among these bags is repeated more often than `most`.
static inline int switchboard_bags_are_cheap(const STACK_OF(PKCS12_SAFEBAG) *bags, long most) {
    for (int index = 0; index < sk_PKCS12_SAFEBAG_num(bags); index++) {
        const PKCS12_SAFEBAG *bag = sk_PKCS12_SAFEBAG_value(bags, index);
        int type = PKCS12_SAFEBAG_get_nid(bag);
        if (type == NID_safeContentsBag) return 0;
        if (type != NID_pkcs8ShroudedKeyBag) continue;
        const X509_ALGOR *algorithm;
        X509_SIG_get0(PKCS12_SAFEBAG_get0_pkcs8(bag), &algorithm, NULL);
        long iterations = switchboard_iterations(algorithm);
        if (iterations < 0 || iterations > most) return 0;
    }
    return 1;
}

// Whether no key derivation of a file is repeated more often than `most`, looked at before each is made; nested
// contents and derivations that are none of PKCS#12's or PBKDF2's count as too many. What cannot be read at all counts as
// cheap: reading it tells why. PKCS12_parse itself knows no limit.
static inline int switchboard_PKCS12_is_cheap(PKCS12 *file, const char *password, long most) {
    // As PKCS12_parse takes an empty password: for none, then for one without a character.
    const char *used = *password == 0 ? NULL : password;
    if (PKCS12_mac_present(file)) {
        const ASN1_INTEGER *repeated = NULL;
        PKCS12_get0_mac(NULL, NULL, NULL, &repeated, file);
        long iterations = repeated == NULL ? 1 : ASN1_INTEGER_get(repeated);
        if (iterations < 0 || iterations > most) return 0;
        if (!PKCS12_verify_mac(file, used, -1)) {
            // Nothing more is derived with a wrong password.
            if (used != NULL || !PKCS12_verify_mac(file, password, -1)) return 1;
            used = password;
        }
    }
    STACK_OF(PKCS7) *safes = PKCS12_unpack_authsafes(file);
    int isCheap = 1;
    for (int index = 0; isCheap && index < sk_PKCS7_num(safes); index++) {
        PKCS7 *safe = sk_PKCS7_value(safes, index);
        STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
        if (PKCS7_type_is_data(safe)) {
            bags = PKCS12_unpack_p7data(safe);
        } else if (PKCS7_type_is_encrypted(safe)) {
            long iterations = switchboard_iterations(safe->d.encrypted->enc_data->algorithm);
            isCheap = iterations >= 0 && iterations <= most;
            if (isCheap) bags = PKCS12_unpack_p7encdata(safe, used, -1);
        }
        if (bags != NULL) isCheap = isCheap && switchboard_bags_are_cheap(bags, most);
        sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    }
    sk_PKCS7_pop_free(safes, PKCS7_free);
    return isCheap;
}
#endif
