#ifndef SWITCHBOARD_COPENSSL_SHIM_H
#define SWITCHBOARD_COPENSSL_SHIM_H
#include <limits.h>
#include <openssl/ssl.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/pkcs12.h>
#include <openssl/provider.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

// Keeps OpenSSL from freeing its state when the process exits (OPENSSL_init_crypto(3)): other threads may still use it
// then, and would crash. Has no effect after another call that initializes OpenSSL, so it is called before the first one.
static inline void switchboard_keep_openssl_at_exit(void) { OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT, NULL); }

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

// The times from which and until which a certificate is valid, in seconds since 1970; 0 when they cannot be read.
static inline int switchboard_X509_validity(const X509 *certificate, long long *from, long long *until) {
    int days, seconds, isRead = 0;
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    if (epoch != NULL && ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notBefore(certificate)) == 1) {
        *from = days * 86400LL + seconds;
        if (ASN1_TIME_diff(&days, &seconds, epoch, X509_get0_notAfter(certificate)) == 1) {
            *until = days * 86400LL + seconds;
            isRead = 1;
        }
    }
    ASN1_TIME_free(epoch);
    return isRead;
}
static inline EVP_PKEY *switchboard_EVP_RSA_gen(unsigned int bits) { return EVP_RSA_gen(bits); }
static inline EVP_PKEY *switchboard_EVP_EC_gen(const char *curve) { return EVP_EC_gen(curve); }

// How many rounds the key derivations that an algorithm names have together; -1 for an algorithm that we do not know.
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
        // Those of PKCS#12 derive the key and the initialization vector, one after the other (RFC 7292 appendix B.3).
        if (iterations > 0) iterations = iterations > LONG_MAX / 2 ? LONG_MAX : 2 * iterations;
    }
    return iterations;
}

static inline int switchboard_sk_PKCS7_num(const STACK_OF(PKCS7) *stack) { return sk_PKCS7_num(stack); }
static inline PKCS7 *switchboard_sk_PKCS7_value(const STACK_OF(PKCS7) *stack, int index) {
    return sk_PKCS7_value(stack, index);
}
static inline void switchboard_sk_PKCS7_free_all(STACK_OF(PKCS7) *stack) { sk_PKCS7_pop_free(stack, PKCS7_free); }
static inline int switchboard_sk_PKCS12_SAFEBAG_num(const STACK_OF(PKCS12_SAFEBAG) *stack) {
    return sk_PKCS12_SAFEBAG_num(stack);
}
static inline PKCS12_SAFEBAG *
switchboard_sk_PKCS12_SAFEBAG_value(const STACK_OF(PKCS12_SAFEBAG) *stack, int index) {
    return sk_PKCS12_SAFEBAG_value(stack, index);
}
static inline void switchboard_sk_PKCS12_SAFEBAG_free_all(STACK_OF(PKCS12_SAFEBAG) *stack) {
    sk_PKCS12_SAFEBAG_pop_free(stack, PKCS12_SAFEBAG_free);
}
static inline int switchboard_PKCS7_is_data(PKCS7 *safe) { return PKCS7_type_is_data(safe); }

// The algorithm that a safe is encrypted with; NULL for one that is not encrypted by a password.
static inline const X509_ALGOR *switchboard_PKCS7_encryption(PKCS7 *safe) {
    if (!PKCS7_type_is_encrypted(safe) || safe->d.encrypted == NULL) return NULL;
    if (safe->d.encrypted->enc_data == NULL) return NULL;
    return safe->d.encrypted->enc_data->algorithm;
}

// How often the key of the MAC is derived: 0 where a file has no MAC, -1 where its derivation is not PKCS#12's own
// (PBMAC1 of RFC 9579 names another in its parameters).
static inline long switchboard_PKCS12_mac_iterations(const PKCS12 *file) {
    if (!PKCS12_mac_present(file)) return 0;
    const X509_ALGOR *algorithm = NULL;
    const ASN1_INTEGER *iterations = NULL;
    const ASN1_OBJECT *object = NULL;
    PKCS12_get0_mac(NULL, &algorithm, NULL, &iterations, file);
    if (algorithm == NULL) return -1;
    X509_ALGOR_get0(&object, NULL, NULL, algorithm);
    if (EVP_get_digestbyobj(object) == NULL) return -1;
    return iterations == NULL ? 1 : ASN1_INTEGER_get(iterations);
}

// A key from its parameters; NULL when one of them is not valid for its type.
static inline EVP_PKEY *switchboard_EVP_PKEY_from(const char *type, int selection, OSSL_PARAM_BLD *parameters) {
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    OSSL_PARAM *list = OSSL_PARAM_BLD_to_param(parameters);
    if (context == NULL || list == NULL || EVP_PKEY_fromdata_init(context) != 1
        || EVP_PKEY_fromdata(context, &key, selection, list) != 1) {
        EVP_PKEY_free(key);
        key = NULL;
    }
    OSSL_PARAM_free(list);
    EVP_PKEY_CTX_free(context);
    return key;
}

// A public RSA key from its big-endian numbers.
static inline EVP_PKEY *
switchboard_RSA_key(const unsigned char *n, int n_length, const unsigned char *e, int e_length) {
    EVP_PKEY *key = NULL;
    BIGNUM *modulus = BN_bin2bn(n, n_length, NULL), *exponent = BN_bin2bn(e, e_length, NULL);
    OSSL_PARAM_BLD *parameters = OSSL_PARAM_BLD_new();
    if (modulus != NULL && exponent != NULL && parameters != NULL
        && OSSL_PARAM_BLD_push_BN(parameters, OSSL_PKEY_PARAM_RSA_N, modulus) == 1
        && OSSL_PARAM_BLD_push_BN(parameters, OSSL_PKEY_PARAM_RSA_E, exponent) == 1) {
        key = switchboard_EVP_PKEY_from("RSA", EVP_PKEY_PUBLIC_KEY, parameters);
    }
    OSSL_PARAM_BLD_free(parameters);
    BN_free(modulus);
    BN_free(exponent);
    return key;
}

// The key of a private number on P-256, whose point is computed; NULL unless it is from 1 to the order less 1.
static inline EVP_PKEY *switchboard_P256_private_key(const unsigned char *bytes, int length) {
    EVP_PKEY *key = NULL;
    unsigned char encoded[65];
    EC_GROUP *group = EC_GROUP_new_by_curve_name(NID_X9_62_prime256v1);
    BIGNUM *number = BN_bin2bn(bytes, length, BN_secure_new());
    EC_POINT *point = group == NULL ? NULL : EC_POINT_new(group);
    OSSL_PARAM_BLD *parameters = OSSL_PARAM_BLD_new();
    int isInRange = parameters != NULL && number != NULL && point != NULL && !BN_is_zero(number)
        && BN_cmp(number, EC_GROUP_get0_order(group)) < 0;
    if (isInRange) BN_set_flags(number, BN_FLG_CONSTTIME);
    if (isInRange && EC_POINT_mul(group, point, number, NULL, NULL, NULL) == 1
        && EC_POINT_point2oct(group, point, POINT_CONVERSION_UNCOMPRESSED, encoded, 65, NULL) == 65
        && OSSL_PARAM_BLD_push_utf8_string(parameters, OSSL_PKEY_PARAM_GROUP_NAME, "prime256v1", 0) == 1
        && OSSL_PARAM_BLD_push_octet_string(parameters, OSSL_PKEY_PARAM_PUB_KEY, encoded, 65) == 1
        && OSSL_PARAM_BLD_push_BN(parameters, OSSL_PKEY_PARAM_PRIV_KEY, number) == 1) {
        key = switchboard_EVP_PKEY_from("EC", EVP_PKEY_KEYPAIR, parameters);
    }
    OSSL_PARAM_BLD_free(parameters);
    EC_POINT_free(point);
    BN_clear_free(number);
    EC_GROUP_free(group);
    return key;
}

// Adds an extension in the syntax of x509v3_config(5); 1 when it succeeds.
static inline int
switchboard_X509_add_extension(X509 *certificate, X509 *issuer, const char *name, const char *value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_nconf(NULL, &context, name, value);
    int result = extension == NULL ? 0 : X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
    return result;
}
#endif
