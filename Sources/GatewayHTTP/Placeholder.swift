enum GatewayHTTPPlaceholder {}
