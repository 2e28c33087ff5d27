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
#endif
