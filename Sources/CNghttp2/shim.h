#ifndef SWITCHBOARD_CNGHTTP2_SHIM_H
#define SWITCHBOARD_CNGHTTP2_SHIM_H
#include <nghttp2/nghttp2.h>
#endif
