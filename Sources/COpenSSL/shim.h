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
#include <string.h>

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

// What became of reading a private key or a PKCS#12 file.
enum switchboard_read {
    SWITCHBOARD_READ,
    // It is damaged, or of a form that is not read here.
    SWITCHBOARD_UNREADABLE,
    // There is no private key.
    SWITCHBOARD_NO_KEY,
    // There are several private keys: each of them could be the one that is meant.
    SWITCHBOARD_SEVERAL_KEYS,
    // Its keys are derived more often than allowed, all of them together, or in a way that is not known here.
    SWITCHBOARD_TOO_COSTLY,
    // The password does not open it.
    SWITCHBOARD_WRONG_PASSWORD,
};

// Takes the price of one derivation from what may still be spent. Each has a price of its own beside its repetitions: what
// makes it ready costs as much as some thousands of them.
static inline int switchboard_spend(long iterations, long *left) {
    const long least = 10000;
    if (iterations < 0 || iterations > *left) return 0;
    long price = iterations < least ? least : iterations;
    *left = price > *left ? 0 : *left - price;
    return 1;
}

// The only private key of a PEM text (RFC 7468). Every block is looked at here, and only the one block's bytes are read on:
// OpenSSL's own reader would go on to the next block where the first does not please it.
static inline enum switchboard_read switchboard_read_private_key(BIO *pem, char *password, long most, EVP_PKEY **key) {
    char *name = NULL, *header = NULL, *kept_name = NULL, *kept_header = NULL;
    unsigned char *data = NULL, *kept = NULL;
    long length = 0, kept_length = 0;
    int found = 0;
    *key = NULL;
    while (PEM_read_bio(pem, &name, &header, &data, &length)) {
        size_t count = strlen(name);
        if (count >= 11 && strcmp(name + count - 11, "PRIVATE KEY") == 0 && found++ == 0) {
            kept_name = name;
            kept_header = header;
            kept = data;
            kept_length = length;
        } else {
            OPENSSL_free(name);
            OPENSSL_free(header);
            OPENSSL_clear_free(data, length > 0 ? (size_t)length : 0);
        }
    }
    unsigned long error = ERR_peek_last_error();
    int isWhole = ERR_GET_LIB(error) == ERR_LIB_PEM && ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
    enum switchboard_read result = SWITCHBOARD_UNREADABLE;
    const unsigned char *at = kept;
    if (!isWhole) {
        // A block that cannot be read may be one that another reader takes for a key.
    } else if (found == 0) {
        result = SWITCHBOARD_NO_KEY;
    } else if (found > 1) {
        result = SWITCHBOARD_SEVERAL_KEYS;
    } else if (strcmp(kept_name, "ENCRYPTED PRIVATE KEY") == 0 && *kept_header == 0) {
        X509_SIG *closed = d2i_X509_SIG(NULL, &at, kept_length);
        if (closed != NULL) {
            const X509_ALGOR *algorithm;
            X509_SIG_get0(closed, &algorithm, NULL);
            if (!switchboard_spend(switchboard_iterations(algorithm), &most)) {
                result = SWITCHBOARD_TOO_COSTLY;
            } else {
                PKCS8_PRIV_KEY_INFO *opened = PKCS8_decrypt(closed, password, (int)strlen(password));
                if (opened != NULL) *key = EVP_PKCS82PKEY(opened);
                result = *key != NULL ? SWITCHBOARD_READ : SWITCHBOARD_WRONG_PASSWORD;
                PKCS8_PRIV_KEY_INFO_free(opened);
            }
        }
        X509_SIG_free(closed);
    } else if (strcmp(kept_name, "PRIVATE KEY") == 0 && *kept_header == 0) {
        PKCS8_PRIV_KEY_INFO *opened = d2i_PKCS8_PRIV_KEY_INFO(NULL, &at, kept_length);
        if (opened != NULL) *key = EVP_PKCS82PKEY(opened);
        if (*key != NULL) result = SWITCHBOARD_READ;
        PKCS8_PRIV_KEY_INFO_free(opened);
    } else if (strcmp(kept_name, "RSA PRIVATE KEY") == 0 || strcmp(kept_name, "EC PRIVATE KEY") == 0) {
        // The traditional form's encryption (RFC 1421 section 4.6.1.1) derives its key once.
        EVP_CIPHER_INFO cipher;
        if (PEM_get_EVP_CIPHER_INFO(kept_header, &cipher)) {
            if (cipher.cipher != NULL && !PEM_do_header(&cipher, kept, &kept_length, NULL, password)) {
                result = SWITCHBOARD_WRONG_PASSWORD;
            } else {
                *key = d2i_PrivateKey(*kept_name == 'R' ? EVP_PKEY_RSA : EVP_PKEY_EC, NULL, &at, kept_length);
                if (*key != NULL) result = SWITCHBOARD_READ;
            }
        }
    }
    OPENSSL_free(kept_name);
    OPENSSL_free(kept_header);
    OPENSSL_clear_free(kept, kept_length > 0 ? (size_t)kept_length : 0);
    return result;
}

// Takes the certificates and the first key of the bags of one safe.
static inline enum switchboard_read switchboard_take_bags(
    const STACK_OF(PKCS12_SAFEBAG) *bags, const char *password, long *left, EVP_PKEY **key, STACK_OF(X509) *certificates
) {
    for (int index = 0; index < sk_PKCS12_SAFEBAG_num(bags); index++) {
        const PKCS12_SAFEBAG *bag = sk_PKCS12_SAFEBAG_value(bags, index);
        switch (PKCS12_SAFEBAG_get_nid(bag)) {
        case NID_safeContentsBag: return SWITCHBOARD_TOO_COSTLY;
        case NID_keyBag:
            if (*key != NULL) return SWITCHBOARD_SEVERAL_KEYS;
            *key = EVP_PKCS82PKEY(PKCS12_SAFEBAG_get0_p8inf(bag));
            if (*key == NULL) return SWITCHBOARD_UNREADABLE;
            break;
        case NID_pkcs8ShroudedKeyBag: {
            const X509_ALGOR *algorithm;
            if (*key != NULL) return SWITCHBOARD_SEVERAL_KEYS;
            X509_SIG_get0(PKCS12_SAFEBAG_get0_pkcs8(bag), &algorithm, NULL);
            if (!switchboard_spend(switchboard_iterations(algorithm), left)) return SWITCHBOARD_TOO_COSTLY;
            PKCS8_PRIV_KEY_INFO *opened = PKCS12_decrypt_skey(bag, password, -1);
            if (opened != NULL) *key = EVP_PKCS82PKEY(opened);
            PKCS8_PRIV_KEY_INFO_free(opened);
            if (*key == NULL) return SWITCHBOARD_UNREADABLE;
            break;
        }
        case NID_certBag: {
            if (PKCS12_SAFEBAG_get_bag_nid(bag) != NID_x509Certificate) break;
            X509 *certificate = PKCS12_SAFEBAG_get1_cert(bag);
            if (certificate == NULL || !sk_X509_push(certificates, certificate)) {
                X509_free(certificate);
                return SWITCHBOARD_UNREADABLE;
            }
            break;
        }
        default: break;
        }
    }
    return SWITCHBOARD_READ;
}

// The key and the certificates of a PKCS#12 file (RFC 7292), in the file's order. Its derivations are counted together, each
// before it is made, and each is made once; nested contents, and derivations that are none of PKCS#12's or PBKDF2's, count as
// too many. PKCS12_parse itself knows no limit.
static inline enum switchboard_read switchboard_read_PKCS12(
    PKCS12 *file, const char *password, long most, EVP_PKEY **key, STACK_OF(X509) **certificates
) {
    enum switchboard_read result = SWITCHBOARD_READ;
    // As PKCS12_parse takes an empty password: for none, then for one without a character.
    const char *used = *password == 0 ? NULL : password;
    *key = NULL;
    *certificates = NULL;
    if (PKCS12_mac_present(file)) {
        const ASN1_INTEGER *repeated = NULL;
        PKCS12_get0_mac(NULL, NULL, NULL, &repeated, file);
        long iterations = repeated == NULL ? 1 : ASN1_INTEGER_get(repeated);
        if (!switchboard_spend(iterations, &most)) return SWITCHBOARD_TOO_COSTLY;
        if (!PKCS12_verify_mac(file, used, -1)) {
            if (used != NULL) return SWITCHBOARD_WRONG_PASSWORD;
            if (!switchboard_spend(iterations, &most)) return SWITCHBOARD_TOO_COSTLY;
            if (!PKCS12_verify_mac(file, password, -1)) return SWITCHBOARD_WRONG_PASSWORD;
            used = password;
        }
    }
    STACK_OF(PKCS7) *safes = PKCS12_unpack_authsafes(file);
    *certificates = sk_X509_new_null();
    if (safes == NULL || *certificates == NULL) result = SWITCHBOARD_UNREADABLE;
    for (int index = 0; result == SWITCHBOARD_READ && index < sk_PKCS7_num(safes); index++) {
        PKCS7 *safe = sk_PKCS7_value(safes, index);
        STACK_OF(PKCS12_SAFEBAG) *bags = NULL;
        if (PKCS7_type_is_data(safe)) {
            bags = PKCS12_unpack_p7data(safe);
        } else if (PKCS7_type_is_encrypted(safe)) {
            if (!switchboard_spend(switchboard_iterations(safe->d.encrypted->enc_data->algorithm), &most)) {
                result = SWITCHBOARD_TOO_COSTLY;
                break;
            }
            bags = PKCS12_unpack_p7encdata(safe, used, -1);
        } else {
            continue;
        }
        result = bags == NULL ? SWITCHBOARD_UNREADABLE
                              : switchboard_take_bags(bags, used, &most, key, *certificates);
        sk_PKCS12_SAFEBAG_pop_free(bags, PKCS12_SAFEBAG_free);
    }
    sk_PKCS7_pop_free(safes, PKCS7_free);
    return result;
}
#endif
