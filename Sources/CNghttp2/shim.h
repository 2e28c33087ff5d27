#ifndef SWITCHBOARD_CNGHTTP2_SHIM_H
#define SWITCHBOARD_CNGHTTP2_SHIM_H
#include <nghttp2/nghttp2.h>
#include <stdint.h>

// Frames are a C union; Swift would copy the whole of it for each field read.
static inline int32_t switchboard_nghttp2_stream_id(const nghttp2_frame *frame) { return frame->hd.stream_id; }
static inline uint8_t switchboard_nghttp2_type(const nghttp2_frame *frame) { return frame->hd.type; }
static inline uint8_t switchboard_nghttp2_flags(const nghttp2_frame *frame) { return frame->hd.flags; }
static inline size_t switchboard_nghttp2_length(const nghttp2_frame *frame) { return frame->hd.length; }
static inline int switchboard_nghttp2_is_request(const nghttp2_frame *frame) {
    return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
}
static inline int32_t switchboard_nghttp2_goaway_last_stream_id(const nghttp2_frame *frame) {
    return frame->goaway.last_stream_id;
}
static inline uint32_t switchboard_nghttp2_goaway_error_code(const nghttp2_frame *frame) {
    return frame->goaway.error_code;
}
static inline const uint8_t *switchboard_nghttp2_goaway_data(const nghttp2_frame *frame) {
    return frame->goaway.opaque_data;
}
static inline size_t switchboard_nghttp2_goaway_data_length(const nghttp2_frame *frame) {
    return frame->goaway.opaque_data_len;
}

// A body is found again by the number of its stream record, carried where nghttp2 would carry a pointer.
static inline nghttp2_data_provider switchboard_nghttp2_body(uintptr_t record,
                                                             nghttp2_data_source_read_callback read) {
    nghttp2_data_provider provider;
    provider.source.ptr = (void *)record;
    provider.read_callback = read;
    return provider;
}
static inline uintptr_t switchboard_nghttp2_body_record(const nghttp2_data_source *source) {
    return (uintptr_t)source->ptr;
}
#endif
