#ifndef SWITCHBOARD_CCURL_SHIM_H
#define SWITCHBOARD_CCURL_SHIM_H
#include <curl/curl.h>
// The thread of libcurl waits with these; Swift's module of the C library leaves them out.
#include <sys/epoll.h>
#include <sys/eventfd.h>

// libcurl sets and reads options with variadic functions, which Swift cannot call: here is one for each type.
static inline CURLcode switchboard_curl_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode switchboard_curl_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode switchboard_curl_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode switchboard_curl_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode switchboard_curl_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}
// For the header function as well: it has the same type.
static inline CURLcode switchboard_curl_set_write(CURL *easy, CURLoption option, curl_write_callback value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode switchboard_curl_set_open_socket(CURL *easy, curl_opensocket_callback value) {
    return curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, value);
}
static inline CURLcode switchboard_curl_set_before_request(CURL *easy, curl_prereq_callback value) {
    return curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
}
static inline CURLcode switchboard_curl_set_tls_context(CURL *easy, curl_ssl_ctx_callback value) {
    return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, value);
}
static inline CURLcode switchboard_curl_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode switchboard_curl_get_text(CURL *easy, CURLINFO info, const char **value) {
    return curl_easy_getinfo(easy, info, (char **)value);
}
static inline CURLMcode switchboard_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode switchboard_curl_multi_set_callbacks(
    CURLM *multi, curl_socket_callback socket, curl_multi_timer_callback timer, void *context
) {
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    return curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
}
// A macro with a cast.
static const long switchboard_CURLAUTH_BASIC = (long)CURLAUTH_BASIC;
// The easy handle and the result of a message that says that a transfer has ended; no handle for other messages.
static inline CURL *switchboard_curl_message_ended(const CURLMsg *message, CURLcode *result) {
    if (message->msg != CURLMSG_DONE) return NULL;
    *result = message->data.result;
    return message->easy_handle;
}

#endif
