#include "COpenAPI.h"

// #embed belongs to C23, and is an extension of earlier versions.
#pragma clang diagnostic ignored "-Wc23-extensions"

const char *_Nonnull switchboard_openapi(void) {
    static const char text[] = {
#embed "../GatewayHTTP/openapi.yaml"
        , 0};
    return text;
}
